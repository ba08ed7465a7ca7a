import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { JsonError, parseJson } from '../fhir/json.ts';
import { decodeUtf8, withoutMark } from '../fhir/utf8.ts';
import { definitionOf, definitionTypes, resourcesIn } from './definition.ts';
import type { Definition } from './definition.ts';
import { explainJsonError } from './problem.ts';
import { asObject, asString, objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { content } from './digests.ts';
import { PackageRefused, readTar } from './tar.ts';

/** The content of a package. */
export interface Unpacked {
  /** Its `package.json`; empty if there is none. */
  readonly manifest: JsonObject;
  readonly definitions: readonly UnpackedDefinition[];
  /** Unreadable files, and the package as a whole (an empty `entry`). */
  readonly problems: readonly { readonly entry: string; readonly text: string }[];
  /** Digest of its definition files. */
  readonly digest: string;
}

export interface UnpackedDefinition {
  /** Name of its file in the archive, and its path in a Bundle there. */
  readonly entry: string;
  readonly path: string;
  readonly resource: JsonObject;
}

/**
 * Unpacks a FHIR package (`.tgz`) in memory. Definitions are the JSON files directly in its `package` folder;
 * CapabilityStatements, examples and all others are skipped.
 * https://confluence.hl7.org/display/FHIR/NPM+Package+Specification
 */
export async function unpack(bytes: Uint8Array): Promise<Unpacked> {
  const problems: { readonly entry: string; readonly text: string }[] = [];
  const definitions: UnpackedDefinition[] = [];
  let manifest: JsonObject = {};
  const digest = createHash('sha256');
  let files = 0;
  try {
    for await (const { name, bytes: file } of readTar(Readable.from([bytes]).pipe(createGunzip()), isDefinitionFile)) {
      files += 1;
      digest.update(name).update(file);
      const json = parse(file);
      if (json === undefined) problems.push({ entry: name, text: whyNotJson(file) });
      else if (name === 'package/package.json') manifest = asObject(json);
      else definitions.push(...definitionsIn(json, name));
    }
    if (files === 0) problems.push({ entry: '', text: noFiles });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    problems.push({ entry: '', text: refusalText(error) });
  }
  return { manifest, definitions: isExamples(manifest) ? [] : definitions, problems, digest: digest.digest('hex') };
}

/** Value sets of required and extensible bindings, and extensions, that a definition references. */
export function namedIn({ snapshot, differential }: JsonObject): {
  readonly valueSets: readonly string[];
  readonly extensions: readonly string[];
} {
  const elements = objectsOf(asObject(snapshot ?? differential)['element']);
  return {
    valueSets: elements.flatMap(element => valueSetOf(asObject(element['binding'])) ?? []),
    extensions: elements
      .flatMap(element => objectsOf(element['type']))
      .filter(({ code }) => code === 'Extension')
      .flatMap(type => stringsOf(type['profile'])),
  };
}

const valueSetOf = ({ strength, valueSet }: JsonObject): string | undefined =>
  strength === 'required' || strength === 'extensible' ? asString(valueSet) : undefined;

/** The JSON files directly in the `package` folder. */
export const isDefinitionFile = (name: string): boolean => /^package\/[^/.][^/]*\.json$/.test(name);

/** A package of examples defines nothing, whatever it contains. */
const isExamples = ({ type }: JsonObject): boolean => /^(fhir\.)?examples$/i.test(asString(type) ?? '');

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(withoutMark(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The error of a file that JSON.parse, which is faster, does not read. */
function whyNotJson(bytes: Buffer): string {
  try {
    parseJson(decodeUtf8(bytes));
  } catch (error) {
    if (error instanceof JsonError) return explainJsonError(error);
    throw error;
  }
  return 'The file is not JSON.';
}

const noFiles =
  'The archive has no JSON files directly in a folder `package`, so it is not a FHIR package. Put the definitions ' +
  'and their `package.json` into that folder.';

const definitionsIn = (json: unknown, entry: string): readonly UnpackedDefinition[] =>
  resourcesIn(json)
    .filter(({ resource, path }) => isKept(definitionOf(resource, { file: entry, path, package: entry }), resource))
    .map(({ path, resource }) => ({ entry, path, resource: content(resource) }));

const isKept = ({ resourceType, url }: Definition, { global }: JsonObject): boolean =>
  resourceType !== 'CapabilityStatement' &&
  definitionTypes.has(resourceType) &&
  url !== '' &&
  (resourceType !== 'ImplementationGuide' || objectsOf(global).length > 0);

/** Errors of the file: ours, and those of zlib. */
export const isRefusal = (error: unknown): error is Error =>
  error instanceof PackageRefused || (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'));

/** The error as one sentence. */
export const refusalText = (error: Error): string =>
  error instanceof PackageRefused ? error.message : `The file is not gzip, or it is damaged (${error.message}).`;
