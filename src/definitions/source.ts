import { hash } from 'node:crypto';
import { readFile, readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { JsonError, parseJson } from '../fhir/json.ts';
import { XmlError } from '../fhir/xml/error.ts';
import type { XmlTypes } from '../fhir/xml/layout.ts';
import { didYouMean, suggest } from '../fhir/suggest.ts';
import { decodeUtf8 } from '../fhir/utf8.ts';
import { definitionOf, definitionTypes, isView, resourcesIn } from './definition.ts';
import type { Definition } from './definition.ts';
import type { DiskCache } from './disk-cache.ts';
import { isFile, isFolder, listFiles } from './files.ts';
import type { FoundFile } from './files.ts';
import { readPackage } from './package.ts';
import type { Package } from './package.ts';
import { readPacks } from './pack.ts';
import { explainJsonError } from './problem.ts';
import type { Problem } from './problem.ts';
import { tarLimits } from './tar.ts';

/** The sources of definitions. */
export interface Sources {
  /** Folders with `capability`, `searchparameters`, `profiles` and `views` inside, or packages (`.tgz`). */
  readonly definitions: readonly string[];
  /** A folder that replaces the shipped `capability`; false if that is not read. */
  readonly capability: string | false | undefined;
  /** The checkout whose three folders are the shipped ones. */
  readonly root: string;
  /** The cache of unpacked packages; undefined for none. */
  readonly cache?: DiskCache | undefined;
  /** The types of R4, for files in XML. */
  readonly types: XmlTypes;
}

/** The definitions of the sources. */
export interface FoundDefinitions {
  /** CapabilityStatements that declare the interface. */
  readonly statements: readonly Definition[];
  readonly definitions: readonly Definition[];
  readonly packages: readonly Package[];
  readonly problems: readonly Problem[];
  /** Files and folders that are not read although they look as if they were meant, one line each. */
  readonly warnings: readonly string[];
  /** The digest of every file's bytes, in the order of reading. */
  readonly digests: readonly string[];
  /** Finds the line of a path, for each file in XML. */
  readonly lines: ReadonlyMap<string, (path: string) => number | undefined>;
}

/** A file of definitions with its content. */
export interface DefinitionFile {
  /** Its path in messages. */
  readonly file: string;
  /** True for a file directly in a `capability` folder: its CapabilityStatements declare the interface. */
  readonly declares: boolean;
  readonly bytes: Buffer;
}

/**
 * Reads every definition of the sources: single files, Bundles, packages and the R4 pack. Other files are skipped; an
 * unreadable file is a problem, and reading continues. `files` have all that was read, except for the R4 pack.
 */
export async function readSources(
  sources: Sources,
): Promise<FoundDefinitions & { readonly files: readonly DefinitionFile[] }> {
  const { root, definitions } = sources;
  const read = await Promise.all([
    readInterface(sources),
    ...['searchparameters', 'profiles'].map(folder =>
      readFolder(folder, { path: join(root, folder), file: folder }, join(root, folder)),
    ),
    ...definitions.map(readDefinitions),
  ]);
  const files = read.flatMap(one => one.files);
  const parsed = await parseFiles(files, sources);
  return {
    ...parsed,
    problems: [...read.flatMap(({ problems }) => problems), ...parsed.problems],
    warnings: [...read.flatMap(({ warnings }) => warnings), ...parsed.warnings],
    files,
  };
}

/** The definitions in files that were read before, as `readSources` finds them, with those of the R4 pack. */
export async function parseFiles(
  files: readonly DefinitionFile[],
  { root, cache, types }: Pick<Sources, 'root' | 'cache' | 'types'>,
): Promise<FoundDefinitions> {
  const core = readPacks(join(root, 'profiles'));
  const known = new Set(core.definitions.flatMap(({ concrete }) => concrete ?? []));
  const found = await Promise.all(
    files.map(one => (isPackage(one) ? parsePackage(one, cache) : parseFile(one, known, types))),
  );
  return joined([{ ...nothing, ...core }, ...found]);
}

/** The files of a source. */
interface ReadFiles {
  readonly files: readonly DefinitionFile[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

const isPackage = ({ file }: Pick<DefinitionFile, 'file'>): boolean => file.endsWith('.tgz');

/** The folders inside of one with definitions. */
export const folders = ['capability', 'searchparameters', 'profiles', 'views'];

/** The folder with views that belongs to the folder of `--capability`: it is beside that one. */
export const viewsBeside = (capability: string): string => join(dirname(resolve(capability)), 'views');

const nothing: FoundDefinitions = {
  statements: [],
  definitions: [],
  packages: [],
  problems: [],
  warnings: [],
  digests: [],
  lines: new Map(),
};
const noFiles: ReadFiles = { files: [], problems: [], warnings: [] };
const refused = (file: string, text: string): ReadFiles => ({ ...noFiles, problems: [{ file, path: '', text }] });

async function readInterface({ capability, root }: Sources): Promise<ReadFiles> {
  if (capability === false) return noFiles;
  if (capability !== undefined) return readCapability(capability);
  return readFolder('capability', { path: join(root, 'capability'), file: 'capability' }, root);
}

async function readCapability(path: string): Promise<ReadFiles> {
  if (await isFolder(path)) {
    const views = viewsBeside(path);
    return allOf([
      await readFolder('capability', { path, file: path }, path),
      await otherFolders(path, [], 'Files directly in the folder of `--capability` are read.'),
      ...((await isFolder(views)) ? [await readFolder('views', { path: views, file: views }, views)] : []),
    ]);
  }
  return refused(path, 'This is not a folder; `--capability` takes a folder with CapabilityStatements.');
}

async function readDefinitions(path: string): Promise<ReadFiles> {
  if (await isFile(path))
    return isPackage({ file: path })
      ? readPackageFile({ path, file: path })
      : refused(path, 'The file is not a FHIR package (.tgz).');
  if (!(await isFolder(path)))
    return refused(path, 'This does not exist; `--definitions` takes a folder or a FHIR package (.tgz).');
  const there = await Promise.all(folders.map(folder => isFolder(join(path, folder))));
  const others = await otherFolders(path, folders, `Folders are ${listed}.`);
  if (!there.includes(true)) return allOf([refused(path, `The folder has none of ${listed} inside.`), others]);
  const found = await Promise.all(
    folders.map(folder => readFolder(folder, { path: join(path, folder), file: join(path, folder) }, path)),
  );
  return allOf([...found, others]);
}

const listed = '`capability`, `searchparameters`, `profiles` and `views`';

/** A warning for each folder with definitions that is not read, such as `capabilities`. */
async function otherFolders(path: string, read: readonly string[], which: string): Promise<ReadFiles> {
  const names = (await readdir(path)).filter(name => !name.startsWith('.') && !read.includes(name)).sort();
  const found = await Promise.all(
    names.map(async (name): Promise<string | undefined> => {
      const file = join(path, name);
      if (!(await isFolder(file))) return undefined;
      const { files } = await listFiles({ path: file, file }, path, false);
      if (!files.some(one => /\.(json|xml|tgz)$/i.test(one.file))) return undefined;
      return `${file}: This folder is not read.${didYouMean(name, read)} ${which}`;
    }),
  );
  return { ...noFiles, warnings: found.filter(one => one !== undefined) };
}

/** One of these folders; only files directly in `capability` declare the interface. */
async function readFolder(kind: string, folder: FoundFile, root: string): Promise<ReadFiles> {
  const declares = kind === 'capability';
  const { files, problems } = await listFiles(folder, root, !declares);
  const names = new Set(files.map(({ file }) => file));
  const found = await Promise.all(
    files.map(async ({ path, file }) => {
      if (/\.json$/i.test(file)) return { ...noFiles, files: [{ file, declares, bytes: await readFile(path) }] };
      if (isXml(file) && !names.has(file.replace(/xml$/i, 'json')))
        return withXml({ file, declares, bytes: await readFile(path) });
      return isPackage({ file }) && !declares ? await readPackageFile({ path, file }) : noFiles;
    }),
  );
  return allOf([{ ...noFiles, problems }, ...found]);
}

/**
 * A definition or a Bundle as XML. Other XML files are skipped, and so are those beside a JSON file of their name:
 * published guides have both. https://hl7.org/fhir/R4/xml.html
 */
function withXml(file: DefinitionFile): ReadFiles {
  const start = file.bytes.subarray(0, 100_000).toString();
  const [, root = ''] = rootOfFhir.exec(start) ?? [];
  return root === 'Bundle' || (definitionTypes.has(root) && !isView({ resourceType: root }))
    ? { ...noFiles, files: [file] }
    : noFiles;
}

const rootOfFhir = /<(?:[\w.-]+:)?([A-Z][A-Za-z]*)\s[^>]*\bxmlns(?::[\w.-]+)?\s*=\s*["']http:\/\/hl7\.org\/fhir["']/;

/** Whether a file of definitions is XML. */
const isXml = (file: string): boolean => /\.xml$/i.test(file);

async function readPackageFile({ path, file }: FoundFile): Promise<ReadFiles> {
  try {
    const { size } = await stat(path);
    if (size > tarLimits.totalBytes) return refused(file, `The package is larger than ${tarLimits.totalBytes} bytes.`);
    return { ...noFiles, files: [{ file, declares: false, bytes: await readFile(path) }] };
  } catch (error) {
    return refused(file, `The file cannot be read (${(error as Error).message}).`); // of the file system
  }
}

async function parsePackage({ file, bytes }: DefinitionFile, cache: DiskCache | undefined): Promise<FoundDefinitions> {
  const read = await readPackage(bytes, file, cache);
  return {
    ...nothing,
    definitions: read.definitions,
    packages: [read],
    problems: read.problems,
    digests: [read.digest],
  };
}

async function parseFile(
  { file, declares, bytes }: DefinitionFile,
  known: ReadonlySet<string>,
  types: XmlTypes,
): Promise<FoundDefinitions> {
  let content: unknown;
  const xml = isXml(file) ? await import('../fhir/xml/convert.ts') : undefined; // loaded with the first such file
  try {
    content = parseJson(xml === undefined ? decodeUtf8(bytes) : xml.jsonOfXml(bytes, types)).value;
  } catch (error) {
    if (error instanceof XmlError) return { ...nothing, problems: [{ file, path: '', text: error.withPlace }] };
    if (!(error instanceof JsonError)) throw error;
    return { ...nothing, problems: [{ file, path: '', text: explainJsonError(error) }] };
  }
  if (Array.isArray(content)) return { ...nothing, problems: [{ file, path: '', text: array(content) }] };
  const problems: Problem[] = [];
  const definitions = resourcesIn(content).flatMap(({ path, resource }) => {
    const definition = definitionOf(resource, { file, path, package: undefined });
    problems.push(...problemsOf(definition, declares, known));
    return definitionTypes.has(definition.resourceType) ? [definition] : [];
  });
  const isStatement = ({ resourceType }: Definition): boolean => resourceType === 'CapabilityStatement';
  return {
    ...nothing,
    statements: declares ? definitions.filter(isStatement) : [],
    definitions: definitions.filter(definition => !isStatement(definition) && definition.url !== ''),
    problems,
    digests: [hash('sha256', bytes)],
    lines: new Map(xml === undefined ? [] : [[file, xml.linesOf(bytes, types)]]),
  };
}

const array = (content: readonly unknown[]): string =>
  `The file is a JSON array of ${content.length} items; write each resource as a file of its own, or all as the ` +
  'entries of a Bundle.';

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

const allOf = (found: readonly ReadFiles[]): ReadFiles => ({
  files: found.flatMap(({ files }) => files),
  problems: found.flatMap(({ problems }) => problems),
  warnings: found.flatMap(({ warnings }) => warnings),
});

const joined = (found: readonly FoundDefinitions[]): FoundDefinitions => ({
  statements: found.flatMap(({ statements }) => statements),
  definitions: found.flatMap(({ definitions }) => definitions),
  packages: found.flatMap(({ packages }) => packages),
  problems: found.flatMap(({ problems }) => problems),
  warnings: found.flatMap(({ warnings }) => warnings),
  digests: found.flatMap(({ digests }) => digests),
  lines: new Map(found.flatMap(({ lines }) => [...lines])),
});

/** Definitions as they were read: with the R4 pack of the program, all that determines the interface. */
export interface DefinitionSet {
  /** `r4` replaces the shipped folder `capability` by what declareAll makes. */
  readonly interface: 'shipped' | 'r4';
  readonly files: readonly DefinitionFile[];
}
