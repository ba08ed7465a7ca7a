import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { asObject } from '../fhir/json-object.ts';
import type { Definition } from './definition.ts';
import { readIndex, scanPack } from './pack-index.ts';

/** Names of the R4 pack, its index, and the file with its origin, under `profiles/`. */
export const packFile = 'r4-core.ndjson';
export const indexFile = 'r4-core.index';
export const originFile = 'r4-core.origin.json';

/**
 * Reads the R4 pack (see distil.ts): one definition per line, parsed at its first use. The index beside it has their
 * positions; without it, or with that of another pack, the heads of the lines are read. `name` is the file's name in
 * problems. Throws Error for a line that does not begin as `reduce` prints it.
 */
export function readPack(
  file: string,
  name: string,
): { readonly definitions: readonly Definition[]; readonly digest: string } {
  const bytes = readFileSync(file);
  const digest = hash('sha256', bytes);
  const index = file.replace(/\.ndjson$/, '.index');
  const indexed = index !== file && existsSync(index) ? readIndex(readFileSync(index, 'utf8'), digest) : undefined;
  const definitions = (indexed ?? scanPack(bytes, name)).map(
    ({ resourceType, url, version, concrete, parameter, start, end }, at): Definition => ({
      resourceType,
      url,
      version,
      file: name,
      path: `line ${at + 1}`,
      package: undefined,
      core: true,
      concrete,
      parameter,
      resource: () => asObject(JSON.parse(bytes.toString('utf8', start, end))),
    }),
  );
  return { definitions, digest };
}
