import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JsonError, parseJson } from '../fhir/json.ts';
import { didYouMean, suggest } from '../fhir/suggest.ts';
import { decodeUtf8 } from '../fhir/utf8.ts';
import { definitionOf, definitionTypes, resourcesIn } from './definition.ts';
import type { Definition } from './definition.ts';
import type { DiskCache } from './disk-cache.ts';
import { isFile, isFolder, listFiles } from './files.ts';
import type { FoundFile } from './files.ts';
import { readPackage } from './package.ts';
import type { Package } from './package.ts';
import { packFile, readPack } from './pack.ts';
import type { Problem } from './problem.ts';

/** The sources of definitions. */
export interface Sources {
  /** Folders with `capability`, `searchparameters` and `profiles` inside, or packages (`.tgz`). */
  readonly definitions: readonly string[];
  /** A folder that replaces the shipped `capability`; false if that is not read. */
  readonly capability: string | false | undefined;
  /** The checkout whose three folders are the shipped ones. */
  readonly root: string;
  /** The cache of unpacked packages; undefined for none. */
  readonly cache?: DiskCache | undefined;
}

/** The definitions of the sources. */
export interface FoundDefinitions {
  /** CapabilityStatements that declare the interface. */
  readonly statements: readonly Definition[];
  readonly definitions: readonly Definition[];
  readonly packages: readonly Package[];
  readonly problems: readonly Problem[];
  /** The digest of every file's bytes, in the order of reading. */
  readonly digests: readonly string[];
}

/**
 * Reads every definition of the sources: single files, Bundles, packages and the R4 pack. Other files are skipped; an
 * unreadable file is a problem, and reading continues.
 */
export async function readSources(sources: Sources): Promise<FoundDefinitions> {
  const core = readPack(join(sources.root, 'profiles', packFile), `profiles/${packFile}`);
  const known = new Set(core.definitions.flatMap(({ concrete }) => concrete ?? []));
  const reading: Reading = { known, cache: sources.cache };
  const found = await Promise.all([
    readInterface(sources, reading),
    ...['searchparameters', 'profiles'].map(folder =>
      readFolder(folder, { path: join(sources.root, folder), file: folder }, join(sources.root, folder), reading),
    ),
    ...sources.definitions.map(path => readDefinitions(path, reading)),
  ]);
  return joined([{ ...nothing, definitions: core.definitions, digests: [core.digest] }, ...found]);
}

interface Reading {
  /** Names of the resource types of R4. */
  readonly known: ReadonlySet<string>;
  readonly cache: DiskCache | undefined;
}

const folders = ['capability', 'searchparameters', 'profiles'];
const nothing: FoundDefinitions = { statements: [], definitions: [], packages: [], problems: [], digests: [] };
const refused = (file: string, text: string): FoundDefinitions => ({
  ...nothing,
  problems: [{ file, path: '', text }],
});

async function readInterface({ capability, root }: Sources, reading: Reading): Promise<FoundDefinitions> {
  if (capability === false) return nothing;
  if (capability !== undefined) return readCapability(capability, reading);
  return readFolder('capability', { path: join(root, 'capability'), file: 'capability' }, root, reading);
}

async function readCapability(path: string, reading: Reading): Promise<FoundDefinitions> {
  if (await isFolder(path)) return readFolder('capability', { path, file: path }, path, reading);
  return refused(path, 'This is not a folder; `--capability` takes a folder with CapabilityStatements.');
}

async function readDefinitions(path: string, reading: Reading): Promise<FoundDefinitions> {
  if (await isFile(path)) return readPackageFile({ path, file: path }, reading);
  if (!(await isFolder(path)))
    return refused(path, 'This does not exist; `--definitions` takes a folder or a FHIR package (.tgz).');
  const there = await Promise.all(folders.map(folder => isFolder(join(path, folder))));
  if (!there.includes(true))
    return refused(path, 'The folder has none of `capability`, `searchparameters` and `profiles` inside.');
  const found = await Promise.all(
    folders.map(folder => readFolder(folder, { path: join(path, folder), file: join(path, folder) }, path, reading)),
  );
  return joined(found);
}

/** One of the three folders; only files directly in `capability` declare the interface. */
async function readFolder(kind: string, folder: FoundFile, root: string, reading: Reading): Promise<FoundDefinitions> {
  const interfaceFolder = kind === 'capability';
  const { files, problems } = await listFiles(folder, root, !interfaceFolder);
  const found = await Promise.all(
    files.map(async file => {
      if (file.path.endsWith('.json')) return await readJson(file, interfaceFolder, reading);
      return file.path.endsWith('.tgz') && !interfaceFolder ? await readPackageFile(file, reading) : nothing;
    }),
  );
  return joined([{ ...nothing, problems }, ...found]);
}

async function readPackageFile({ path, file }: FoundFile, { cache }: Reading): Promise<FoundDefinitions> {
  if (!path.endsWith('.tgz')) return refused(file, 'The file is not a FHIR package (.tgz).');
  const read = await readPackage(path, file, cache);
  return {
    ...nothing,
    definitions: read.definitions,
    packages: [read],
    problems: read.problems,
    digests: [read.digest],
  };
}

async function readJson(
  { path, file }: FoundFile,
  interfaceFolder: boolean,
  reading: Reading,
): Promise<FoundDefinitions> {
  const bytes = await readFile(path);
  let content: unknown;
  try {
    content = parseJson(decodeUtf8(bytes)).value;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return refused(file, `${error.message} Line ${error.line}, column ${error.column}.`);
  }
  const problems: Problem[] = [];
  const definitions = resourcesIn(content).flatMap(({ path, resource }) => {
    const definition = definitionOf(resource, { file, path, package: undefined });
    problems.push(...problemsOf(definition, interfaceFolder, reading.known));
    return definitionTypes.has(definition.resourceType) ? [definition] : [];
  });
  const isStatement = ({ resourceType }: Definition): boolean => resourceType === 'CapabilityStatement';
  return {
    ...nothing,
    statements: interfaceFolder ? definitions.filter(isStatement) : [],
    definitions: definitions.filter(definition => !isStatement(definition) && definition.url !== ''),
    problems,
    digests: [hash('sha256', bytes)],
  };
}

/** A definition without a url, or with a misspelt type, which would otherwise be skipped silently. */
function problemsOf(definition: Definition, interfaceFolder: boolean, known: ReadonlySet<string>): readonly Problem[] {
  const { resourceType, url, file, path } = definition;
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  if (!definitionTypes.has(resourceType)) {
    if (!known.has(resourceType) && (interfaceFolder || suggest(resourceType, definitionTypes) !== undefined))
      return [
        {
          file,
          path: at('resourceType'),
          text: `\`${resourceType}\` is not a resource type of FHIR R4.${didYouMean(resourceType, definitionTypes)}`,
        },
      ];
    return [];
  }
  if (url === '' && resourceType !== 'CapabilityStatement') return [{ file, path: at('url'), text: noUrl(definition) }];
  return [];
}

/** https://hl7.org/fhir/R4/references.html#canonical */
function noUrl(definition: Definition): string {
  const { resourceType } = definition;
  const { id, code, name } = definition.resource();
  const last = [id, code, name].find(text => typeof text === 'string') ?? 'name';
  const example = `"url": "https://example.org/fhir/${resourceType}/${last}"`;
  return (
    `The ${resourceType} has no \`url\`; write the canonical URL by which other definitions name it, ` +
    `such as \`${example}\`.`
  );
}

const joined = (found: readonly FoundDefinitions[]): FoundDefinitions => ({
  statements: found.flatMap(({ statements }) => statements),
  definitions: found.flatMap(({ definitions }) => definitions),
  packages: found.flatMap(({ packages }) => packages),
  problems: found.flatMap(({ problems }) => problems),
  digests: found.flatMap(({ digests }) => digests),
});
