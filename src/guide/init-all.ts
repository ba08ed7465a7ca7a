import { fileURLToPath } from 'node:url';
import { cacheFolders, openDiskCache } from '../definitions/disk-cache.ts';
import { indexDefinitions } from '../definitions/definitions.ts';
import { readSources } from '../definitions/source.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import type { ImplementedOperations } from '../model/implemented-operation.ts';
import { baseTypes, coreTypes } from '../model/type-definitions.ts';
import { declareAll } from './declare-all.ts';
import type { InterfaceTemplate } from './template.ts';

/**
 * The CapabilityStatement of the interface `r4`, or its part for some types, to be written. `choose` receives the
 * resource types of R4 and returns those to declare; `definitions` are folders and packages beside the definitions of
 * R4. Throws Error with one line for each problem of these.
 */
export async function initAll(
  template: InterfaceTemplate,
  choose: (types: ReadonlySet<string>) => (typeName: string) => boolean,
  paths: readonly string[],
  implemented: ImplementedOperations,
): Promise<JsonObject> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const cache = openDiskCache(cacheFolders(root, 'definitions'));
  const found = await readSources({ definitions: paths, capability: false, root, cache, types: coreTypes });
  const { definitions, problems } = indexDefinitions(found.definitions);
  const refused = [...found.problems, ...problems];
  if (refused.length > 0) throw new Error(refused.map(({ file, text }) => `${file}: ${text}`).join('\n'));
  const types = baseTypes(definitions);
  return declareAll(template, definitions, types, implemented, choose(types.resourceTypes));
}
