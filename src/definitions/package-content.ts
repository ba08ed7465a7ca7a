import { definitionOf, isIncomplete } from './definition.ts';
import type { Definition } from './definition.ts';
import { asObject, asString, isObject, objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { digestsOf } from './digests.ts';
import type { Digests } from './digests.ts';
import { namedIn } from './unpack.ts';
import type { Unpacked } from './unpack.ts';

/**
 * The cached content of a package: its manifest, the heads of its definitions, and their texts, parsed at their first
 * use.
 */
export interface PackageContent {
  readonly manifest: JsonObject;
  readonly definitions: readonly Definition[];
  readonly valueSets: readonly string[];
  readonly extensions: readonly string[];
  readonly digest: string;
}

/** To be raised whenever the cached content or its format changes. */
export const packageForm = 5;

/**
 * The bytes that `readPackageContent` reads: one line of JSON, then the texts of the definitions without separators.
 */
export function printPackageContent({ manifest, definitions, digest }: Unpacked): Buffer {
  const texts = definitions.map(({ resource }) => Buffer.from(JSON.stringify(resource)));
  const named = definitions
    .filter(({ resource }) => resource['resourceType'] === 'StructureDefinition')
    .map(({ resource }) => namedIn(resource));
  const head = {
    manifest: Object.fromEntries(kept.filter(key => key in manifest).map(key => [key, manifest[key]])),
    definitions: definitions.map(({ resource, entry, path }, at) => ({
      ...Object.fromEntries(heads.filter(key => key in resource).map(key => [key, resource[key]])),
      entry,
      path,
      ...(isIncomplete(resource) ? { incomplete: true } : {}),
      digests: digestsOf(resource),
      length: texts[at]?.length,
    })),
    valueSets: [...new Set(named.flatMap(({ valueSets }) => valueSets))],
    extensions: [...new Set(named.flatMap(({ extensions }) => extensions))],
    digest,
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...texts]);
}

/** `file` is the package's name in messages. Throws Error for other bytes. */
export function readPackageContent(bytes: Buffer, file: string): PackageContent {
  const newline = bytes.indexOf(0x0a);
  const head: unknown = JSON.parse(bytes.toString('utf8', 0, Math.max(0, newline)));
  if (!isObject(head)) throw new Error(`The cache of ${file} is not what was written.`);
  let start = newline + 1;
  const definitions = objectsOf(head['definitions']).map(one => {
    const from = start;
    const end = (start += Number(one['length']));
    const read = (): JsonObject => asObject(JSON.parse(bytes.toString('utf8', from, end)));
    const place = { file: `${file}/${asString(one['entry']) ?? ''}`, path: asString(one['path']) ?? '', package: file };
    const digests = digestsIn(asObject(one['digests']));
    return { ...definitionOf(one, place, read), incomplete: one['incomplete'] === true, digests };
  });
  if (start !== bytes.length) throw new Error(`The cache of ${file} is not what was written.`);
  return {
    manifest: asObject(head['manifest']),
    definitions,
    valueSets: stringsOf(head['valueSets']),
    extensions: stringsOf(head['extensions']),
    digest: String(head['digest']),
  };
}

function digestsIn({ whole, reduced }: JsonObject): Digests | undefined {
  return typeof whole === 'string' && typeof reduced === 'string' ? { whole, reduced } : undefined;
}

const kept = ['name', 'version', 'fhirVersions', 'fhir-version-list', 'dependencies'];

/** The properties that `definitionOf` reads. */
const heads = [
  'resourceType',
  'name',
  'url',
  'version',
  'kind',
  'abstract',
  'derivation',
  'type',
  'baseDefinition',
  'caseSensitive',
];
