import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { createGunzip } from 'node:zlib';
import { definitionOf, definitionTypes, resourcesIn } from './definition.ts';
import type { Definition } from './definition.ts';
import { asObject, asString, stringsOf } from './json-object.ts';
import type { JsonObject } from './json-object.ts';
import type { Problem } from './problem.ts';
import { content } from './same.ts';
import { PackageRefused, readTar } from './tar.ts';

/** What a FHIR package says of itself and what it holds. */
export interface Package {
  /** `name@version`, or the file's name where it does not say. */
  readonly name: string;
  readonly file: string;
  /** Names of the packages that it needs, without versions. */
  readonly dependencies: readonly string[];
  readonly definitions: readonly Definition[];
  readonly problems: readonly Problem[];
  /** Of the definition files in it. */
  readonly digest: string;
}

/**
 * Reads a FHIR package (`.tgz`) in memory. Definitions are the JSON files that lie directly in its `package` folder;
 * CapabilityStatements, examples and all else are passed over. Texts are kept as bytes without prose, and parsed when
 * somebody asks. What is wrong with the package as a whole is one problem.
 * https://confluence.hl7.org/display/FHIR/NPM+Package+Specification
 */
export async function readPackage(path: string, file: string): Promise<Package> {
  const problems: Problem[] = [];
  const definitions: Definition[] = [];
  let manifest: JsonObject = {};
  const digest = createHash('sha256');
  try {
    const source = createReadStream(path);
    const unzipped = createGunzip();
    source.on('error', error => unzipped.destroy(error));
    for await (const { name, bytes } of readTar(source.pipe(unzipped), isDefinitionFile)) {
      digest.update(name).update(bytes);
      const json = parse(bytes);
      if (json === undefined) problems.push({ file: `${file}/${name}`, path: '', text: 'The file is not JSON.' });
      else if (name === 'package/package.json') manifest = asObject(json);
      else definitions.push(...definitionsIn(json, name, file));
    }
  } catch (error) {
    if (!isRefusal(error)) throw error;
    problems.push({ file, path: '', text: refusalText(error) });
  }
  const versions = [...stringsOf(manifest['fhirVersions']), ...stringsOf(manifest['fhir-version-list'])];
  if (versions.length > 0 && !versions.some(version => version.startsWith('4.0')))
    problems.push({
      file,
      path: 'fhirVersions',
      text: `The package is for FHIR ${versions.join(', ')}; this server is FHIR R4 (4.0.1).`,
    });
  const name = asString(manifest['name']);
  return {
    name: name === undefined ? basename(file) : `${name}@${asString(manifest['version']) ?? '?'}`,
    file,
    dependencies: Object.keys(asObject(manifest['dependencies'])),
    definitions,
    problems,
    digest: digest.digest('hex'),
  };
}

const isDefinitionFile = (name: string): boolean => /^package\/[^/.][^/]*\.json$/.test(name);

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

function definitionsIn(json: unknown, name: string, file: string): readonly Definition[] {
  return resourcesIn(json)
    .filter(({ resource }) => isKept(resource))
    .map(({ path, resource }) => {
      const bytes = Buffer.from(JSON.stringify(content(resource)));
      const read = (): JsonObject => asObject(JSON.parse(bytes.toString('utf8')));
      return definitionOf(resource, { file: `${file}/${name}`, path, package: file }, read);
    });
}

const isKept = ({ resourceType, url }: JsonObject): boolean =>
  resourceType !== 'CapabilityStatement' && definitionTypes.has(String(resourceType)) && typeof url === 'string';

/** Failures that the file is to blame for: ours, those of zlib, and those of the file system. */
const isRefusal = (error: unknown): error is Error & { code?: string } =>
  error instanceof PackageRefused || (error instanceof Error && 'code' in error);

function refusalText(error: Error & { code?: string }): string {
  if (error instanceof PackageRefused) return error.message;
  if (error.code?.startsWith('Z_') === true) return `The file is not gzip, or it is damaged (${error.message}).`;
  return `The file cannot be read (${error.message}).`;
}
