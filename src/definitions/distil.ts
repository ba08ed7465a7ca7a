import { hash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asObject, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { indexFile, originFile, packFile } from './pack.ts';
import { printIndex, scanPack } from './pack-index.ts';
import { reachedTerminology } from './reached-terminology.ts';
import { reduce, withoutConcepts } from './reduce.ts';

/**
 * Makes the R4 pack from a folder with the npm package `hl7.fhir.r4.examples`: one reduced definition per line, sorted
 * by type and url, so that the output is reproducible. It has the StructureDefinitions of all resource types, data
 * types and primitives, and R4's own profiles and extensions; the SearchParameters of R4 itself (those of its own
 * bundle; the package has more, of extensions and examples); compartments and operations; the ValueSets that bindings
 * need, with the codes of their CodeSystems (reached-terminology.ts selects them); of all other CodeSystems only their
 * case sensitivity. https://hl7.org/fhir/R4/downloads.html
 */
export async function distil(
  folder: string,
): Promise<{ readonly pack: string; readonly index: string; readonly origin: JsonObject }> {
  const source = await readSource(folder);
  const types = source.all('StructureDefinition').filter(isOwn).map(reduce);
  const { valueSets, systems } = reachedTerminology(types, {
    valueSets: byUrl(source.all('ValueSet')),
    codeSystems: byUrl(source.all('CodeSystem')),
    expansion: url => source.expansion(url),
  });
  const resources = [
    ...types,
    ...objectsOf((await source.file('Bundle-searchParams.json'))['entry']).map(entry =>
      reduce(asObject(entry['resource'])),
    ),
    ...source.all('CompartmentDefinition').filter(isOfficial).map(reduce),
    ...source.all('OperationDefinition').filter(isOfficial).map(reduce),
    ...[...valueSets.values()].map(reduce),
    ...source
      .all('CodeSystem')
      .map(system => (systems.has(String(system['url'])) ? reduce(system) : reduce(withoutConcepts(system)))),
  ];
  const lines = resources.map(resource => ({
    key: `${String(resource['resourceType'])} ${String(resource['url'])}`,
    resource,
  }));
  lines.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const pack = lines.map(({ resource }) => `${JSON.stringify(resource)}\n`).join('');
  const bytes = Buffer.from(pack);
  const digest = hash('sha256', bytes);
  const manifest = await source.file('package.json');
  return {
    pack,
    index: printIndex(digest, scanPack(bytes, packFile)),
    origin: {
      title: 'The base definitions of FHIR R4, reduced to what this server uses of them (npm run distil)',
      package: `${String(manifest['name'])}@${String(manifest['version'])}`,
      url: manifest['url'],
      license: manifest['license'],
      definitions: Object.fromEntries(counts(lines.map(({ resource }) => resource))),
      sha256: digest,
    },
  };
}

interface Source {
  all(resourceType: string): readonly JsonObject[];
  file(name: string): Promise<JsonObject>;
  expansion(url: string): JsonObject | undefined;
}

async function readSource(folder: string): Promise<Source> {
  const wanted = /^(StructureDefinition|CompartmentDefinition|OperationDefinition|ValueSet|CodeSystem)-.*\.json$/;
  const file = async (name: string): Promise<JsonObject> =>
    asObject(JSON.parse(await readFile(join(folder, name), 'utf8')));
  const names = (await readdir(folder)).filter(name => wanted.test(name)).sort();
  const resources = await Promise.all(names.map(file));
  const expansions = new Map(
    objectsOf((await file('Bundle-valueset-expansions.json'))['entry'])
      .map(entry => asObject(entry['resource']))
      .map(valueSet => [valueSet['url'], asObject(valueSet['expansion'])]),
  );
  return {
    all: resourceType => resources.filter(resource => resource['resourceType'] === resourceType),
    file,
    expansion: url => expansions.get(url),
  };
}

/** Types of R4, and its own profiles and extensions; two examples of profiles have no differential. */
function isOwn({ kind, derivation, differential }: JsonObject): boolean {
  return kind !== 'logical' && (derivation !== 'constraint' || differential !== undefined);
}

const isOfficial = ({ url, id }: JsonObject): boolean =>
  String(url).startsWith('http://hl7.org/fhir/') && !String(id).includes('example');

const byUrl = (resources: readonly JsonObject[]): ReadonlyMap<string, JsonObject> =>
  new Map(resources.map(resource => [String(resource['url']), resource]));

function counts(resources: readonly JsonObject[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>(); // in the order of the pack, which is sorted by type
  for (const { resourceType } of resources) found.set(String(resourceType), (found.get(String(resourceType)) ?? 0) + 1);
  return found;
}

if (import.meta.main) {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const { pack, index, origin } = await distil(join(root, 'node_modules/hl7.fhir.r4.examples'));
  await writeFile(join(root, 'profiles', packFile), pack);
  await writeFile(join(root, 'profiles', indexFile), index);
  await writeFile(join(root, 'profiles', originFile), `${JSON.stringify(origin, null, 2)}\n`);
  console.log(`profiles/${packFile}: ${pack.length} bytes, ${JSON.stringify(origin['definitions'])}`);
}
