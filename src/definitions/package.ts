import { hash } from 'node:crypto';
import { basename } from 'node:path';
import type { Definition } from './definition.ts';
import type { DiskCache } from './disk-cache.ts';
import { asObject, asString, stringsOf } from '../fhir/json-object.ts';
import { packageForm, printPackageContent, readPackageContent } from './package-content.ts';
import type { PackageContent } from './package-content.ts';
import type { Problem } from './problem.ts';
import { unpack } from './unpack.ts';

/** The manifest of a FHIR package and its definitions. */
export interface Package {
  /** `name@version`, or the file's name if the manifest has none. */
  readonly name: string;
  readonly file: string;
  /** Its dependencies: versions (`6.1.0`, `6.1.x`) by name. */
  readonly dependencies: ReadonlyMap<string, string>;
  readonly definitions: readonly Definition[];
  /** Canonicals of the value sets (of required and extensible bindings) and extensions that its profiles reference. */
  readonly valueSets: readonly string[];
  readonly extensions: readonly string[];
  readonly problems: readonly Problem[];
  /** Digest of its definition files. */
  readonly digest: string;
}

/**
 * Reads a FHIR package (`.tgz`) in memory, never unpacked to disk (unpack.ts selects the files). Texts are kept as
 * bytes without prose, and parsed at their first use. The content of a large package is stored in `cache` by the digest
 * of the file, for the next start. A package that cannot be unpacked is one problem. `file` is its path in messages.
 * https://confluence.hl7.org/display/FHIR/NPM+Package+Specification
 */
export async function readPackage(bytes: Buffer, file: string, cache?: DiskCache): Promise<Package> {
  const key = hash('sha256', bytes) + `.${packageForm}`;
  const there = kept(cache?.read(key), file);
  if (there !== undefined) return packageOf(there, file, []);
  const unpacked = await unpack(bytes);
  const printed = printPackageContent(unpacked);
  const isLarge = Math.max(bytes.length, printed.length) >= worthKeeping;
  if (unpacked.problems.length === 0 && isLarge) cache?.write(key, printed);
  const problems = unpacked.problems.map(({ entry, text }) => ({
    file: entry === '' ? file : `${file}/${entry}`,
    path: '',
    text,
  }));
  return packageOf(readPackageContent(printed, file), file, problems);
}

/**
 * Minimum size of a package or its content for the cache, in bytes; smaller ones are unpacked in a few milliseconds.
 */
const worthKeeping = 1_000_000;

function kept(bytes: Buffer | undefined, file: string): PackageContent | undefined {
  try {
    return bytes === undefined ? undefined : readPackageContent(bytes, file);
  } catch {
    return undefined;
  }
}

function packageOf(found: PackageContent, file: string, problems: readonly Problem[]): Package {
  const { manifest, definitions, valueSets, extensions, digest } = found;
  const name = asString(manifest['name']);
  const versions = [...stringsOf(manifest['fhirVersions']), ...stringsOf(manifest['fhir-version-list'])];
  const other = versions.length > 0 && !versions.some(version => version.startsWith('4.0'));
  const text = `The package is for FHIR ${versions.join(', ')}; this server is FHIR R4 (4.0.1).`;
  return {
    name: name === undefined ? basename(file) : `${name}@${asString(manifest['version']) ?? '?'}`,
    file,
    dependencies: new Map(
      Object.entries(asObject(manifest['dependencies'])).map(([needed, version]) => [needed, asString(version) ?? '']),
    ),
    definitions,
    valueSets,
    extensions,
    problems: other ? [...problems, { file, path: 'fhirVersions', text }] : problems,
    digest,
  };
}
