import { hash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asObject, asString, objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { indexOf, originFile, packFile, terminologyFile } from './pack.ts';
import { printIndex, scanPack } from './pack-index.ts';
import { reduce } from './reduce.ts';

/** A pack and its index, as texts. */
export interface Pack {
  readonly pack: string;
  readonly index: string;
}

/**
 * Makes the R4 packs from a folder with the npm package `hl7.fhir.r4.examples`: one reduced definition per line, sorted
 * by type and url, so that the output is reproducible. `core` has the StructureDefinitions of all resource types, data
 * types and primitives, and R4's own profiles and extensions; the SearchParameters of R4 itself (those of its own
 * bundle; the package has more, of extensions and examples); compartments and operations. `terminology` has all
 * CodeSystems and ValueSets; a ValueSet whose systems are not here has its published expansion.
 * https://hl7.org/fhir/R4/downloads.html
 */
export async function distil(
  folder: string,
): Promise<{ readonly core: Pack; readonly terminology: Pack; readonly origin: JsonObject }> {
  const source = await readSource(folder);
  const [core, terminology] = [
    printPack(packFile, [
      ...source.all('StructureDefinition').filter(isOwn),
      ...objectsOf((await source.file('Bundle-searchParams.json'))['entry']).map(one => asObject(one['resource'])),
      ...source.all('CompartmentDefinition').filter(isOfficial),
      ...source.all('OperationDefinition').filter(isOfficial),
    ]),
    printPack(terminologyFile, [...source.all('CodeSystem'), ...withExpansions(source)]),
  ];
  const manifest = await source.file('package.json');
  return {
    core,
    terminology,
    origin: {
      title: 'The base definitions of FHIR R4, reduced to what this server uses of them (npm run distil)',
      package: `${String(manifest['name'])}@${String(manifest['version'])}`,
      url: manifest['url'],
      license: manifest['license'],
      definitions: { ...core.counts, ...terminology.counts },
      sha256: { [packFile]: core.digest, [terminologyFile]: terminology.digest },
    },
  };
}

function printPack(
  name: string,
  resources: readonly JsonObject[],
): Pack & { readonly digest: string; readonly counts: JsonObject } {
  const lines = resources.map(resource => ({
    key: `${String(resource['resourceType'])} ${String(resource['url'])}`,
    resource: reduce(resource),
  }));
  lines.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const pack = lines.map(({ resource }) => `${JSON.stringify(resource)}\n`).join('');
  const bytes = Buffer.from(pack);
  const digest = hash('sha256', bytes);
  return {
    pack,
    index: printIndex(bytes.length, { digest, entries: scanPack(bytes, name) }),
    digest,
    counts: Object.fromEntries(countsOf(lines.map(({ resource }) => resource))),
  };
}

interface DistilSource {
  all(resourceType: string): readonly JsonObject[];
  file(name: string): Promise<JsonObject>;
  expansion(url: string): JsonObject | undefined;
}

async function readSource(folder: string): Promise<DistilSource> {
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

/** The ValueSets; one whose codes cannot be found from the CodeSystems has its published expansion, if it is whole. */
function withExpansions(source: DistilSource): readonly JsonObject[] {
  const byUrl = (type: string) => new Map(source.all(type).map(one => [String(one['url']), one]));
  const [systems, sets] = [byUrl('CodeSystem'), byUrl('ValueSet')];
  const decided = new Map<string, boolean>();
  const isDecided = (url: string): boolean => {
    const known = decided.get(url);
    if (known !== undefined) return known;
    decided.set(url, false); // a set that includes itself decides nothing
    const { include, exclude } = asObject(sets.get(url)?.['compose']);
    const parts = [...objectsOf(include), ...objectsOf(exclude)];
    const result = parts.every(({ system, concept, valueSet }) => {
      const isHere = concept !== undefined || system === undefined;
      const others = stringsOf(valueSet).map(canonical => canonical.replace(/\|.*/, ''));
      return (isHere || systems.get(asString(system) ?? '')?.['content'] === 'complete') && others.every(isDecided);
    });
    decided.set(url, parts.length > 0 && result);
    return parts.length > 0 && result;
  };
  return [...sets].map(([url, valueSet]) => {
    const published = isDecided(url) ? undefined : source.expansion(url);
    const isKept = published !== undefined && isWhole(published);
    return { ...valueSet, expansion: isKept ? published : undefined };
  });
}

/** HL7's publisher lists so many codes of an include, and does not say so of each that has more. */
const publishedAtMost = 1_000;

/** Whether an expansion lists all codes, and is that of a set that grows only with its definition. */
function isWhole({ total, contains, extension }: JsonObject): boolean {
  if (objectsOf(extension).some(({ url }) => /valueset-(toocostly|unclosed)$/.test(String(url)))) return false;
  const sizeOf = (entries: readonly JsonObject[]): number =>
    entries.reduce((sum, entry) => sum + 1 + sizeOf(objectsOf(entry['contains'])), 0);
  const size = sizeOf(objectsOf(contains));
  return size > 0 && size < publishedAtMost && (typeof total !== 'number' || total <= size);
}

function countsOf(resources: readonly JsonObject[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>(); // in the order of the pack, which is sorted by type
  for (const { resourceType } of resources) found.set(String(resourceType), (found.get(String(resourceType)) ?? 0) + 1);
  return found;
}

if (import.meta.main) {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const { core, terminology, origin } = await distil(join(root, 'node_modules/hl7.fhir.r4.examples'));
  for (const [name, { pack, index }] of [
    [packFile, core],
    [terminologyFile, terminology],
  ] as const) {
    await writeFile(join(root, 'profiles', name), pack);
    await writeFile(join(root, 'profiles', indexOf(name)), index);
    console.log(`profiles/${name}: ${pack.length} bytes`);
  }
  await writeFile(join(root, 'profiles', originFile), `${JSON.stringify(origin, null, 2)}\n`);
  console.log(JSON.stringify(origin['definitions']));
}
