import type { JsonObject } from '../fhir/json-object.ts';
import { Turns } from '../limits/turns.ts';
import { capabilityStatement } from '../model/capability-statement.ts';
import { largeSystemsOf } from './large/registry.ts';
import type { LargeSystems } from './large/registry.ts';
import type { TerminologyResource } from './source.ts';
import type { Model } from '../model/model.ts';
import type { TerminologySource } from './source.ts';
import type { DocumentPlace } from './large/layout.ts';

/** What is described; `since` in milliseconds since 1970 UTC. */
interface Described {
  readonly model: Model;
  readonly definitions: TerminologySource;
  readonly since: number;
  readonly store: DocumentPlace;
}

/**
 * The code systems whose codes are known here, with all their versions, and the parameters of `$expand`.
 * https://hl7.org/fhir/R4/terminologycapabilities.html
 */
export async function terminologyCapabilities(
  { model, definitions, since, store }: Described,
  base: string,
  partition: string,
): Promise<JsonObject> {
  const date = new Date(since).toISOString();
  const { url, version, name, title, software, implementation } = capabilityStatement(model, { base, date });
  const expand = model.types.get('ValueSet')?.operations.get('expand');
  const parameters = [...(expand?.parameters.values() ?? [])].filter(one => one.supported).map(one => one.name);
  const { url: place, description } = implementation as JsonObject; // made above
  return {
    resourceType: 'TerminologyCapabilities',
    ...(url === undefined ? {} : { url }),
    version,
    ...(name === undefined ? {} : { name }),
    ...(title === undefined ? {} : { title }),
    status: 'active',
    date,
    kind: 'instance',
    software,
    implementation: { description, url: place },
    codeSystem: await systemsOf(definitions, await largeSystemsOf(store, partition)),
    ...(expand === undefined
      ? {}
      : {
          expansion: {
            hierarchical: true,
            paging: true,
            incomplete: false,
            parameter: parameters.map(one => ({ name: one })),
            textFilter: 'Words, each of which begins a word of the code, of its display or of a designation.',
          },
          validateCode: { translations: true },
        }),
    translation: { needsMap: true },
    closure: { translation: false },
  };
}

/** Read from each resource once: supplements, and systems without their codes, are not listed. */
const isListed = new WeakMap<TerminologyResource, boolean>();

async function systemsOf(source: TerminologySource, large: LargeSystems): Promise<readonly JsonObject[]> {
  const turns = new Turns();
  const urls = new Set(large.all().map(({ url }) => url));
  for (const one of source.all('CodeSystem')) {
    await turns.next();
    if (isKnown(one)) urls.add(one.url);
  }
  return [...urls].sort().map(uri => {
    const known = [...large.versions(uri), ...source.versions('CodeSystem', uri).filter(isKnown)];
    const codes = known.flatMap(({ version }, at) =>
      version === undefined ? [] : [{ code: version, isDefault: at === 0 }],
    );
    return { uri, ...(codes.length === 0 ? {} : { version: codes }), subsumption: true };
  });
}

function isKnown(definition: TerminologyResource): boolean {
  const known = isListed.get(definition);
  if (known !== undefined) return known;
  const { content, concept, count } = definition.resource();
  const listed = (content === 'complete' || content === 'fragment') && (concept !== undefined || count === 0);
  isListed.set(definition, listed);
  return listed;
}
