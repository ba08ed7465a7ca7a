import { readFile, readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { isObject, objectsOf } from '../fhir/json-object.ts';

/** An input of a load: a file, or stdin. */
export interface Input {
  /** The path for messages; `-` for stdin. */
  readonly name: string;
  /** Undefined for stdin. */
  readonly path: string | undefined;
  /** Size on disk in bytes, undefined if unknown. */
  readonly size: number | undefined;
  /** True if the name implies one resource per line. */
  readonly lines: boolean;
}

/**
 * The files of paths, in their order; `-` is stdin. A folder means the files in and below it whose names end in
 * .ndjson, .jsonl, .json or .xml, optionally followed by .gz, sorted by name, except the file `except`. Symbolic links
 * in a folder are not followed, since they may lead anywhere: they are returned as `links`. Throws Error for a path
 * that does not exist and for a folder without such a file.
 */
export async function listInputs(
  paths: readonly string[],
  except = '',
): Promise<{ readonly inputs: readonly Input[]; readonly links: readonly string[] }> {
  const inputs: Input[] = [];
  const links: string[] = [];
  for (const path of paths) {
    if (path === '-') {
      inputs.push({ name: '-', path: undefined, size: undefined, lines: false });
      continue;
    }
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) throw new Error(`There is no file or folder \`${path}\`.`);
    const below = found.isDirectory() ? await filesBelow(path, links) : [path];
    const files = below.filter(file => resolve(file) !== resolve(except));
    if (files.length === 0)
      throw new Error(
        `The folder \`${path}\` has no file that ends in ${endings.join(', ')}; links in it are not followed.`,
      );
    for (const file of files) inputs.push(await fileInput(file));
  }
  return { inputs, links };
}

const endings = ['.ndjson', '.jsonl', '.json', '.xml'];

/** Adds links that could lead to records to `links`. */
async function filesBelow(folder: string, links: string[]): Promise<readonly string[]> {
  const files: string[] = [];
  const items = await readdir(folder, { withFileTypes: true });
  items.sort((a, b) => (a.name < b.name ? -1 : 1));
  const listed = items.some(({ name }) => name === manifestName) ? await filesOfExport(folder) : undefined;
  if (listed !== undefined) return listed;
  for (const item of items) {
    if (item.name.startsWith('.')) continue;
    const path = join(folder, item.name);
    if (item.isDirectory()) files.push(...(await filesBelow(path, links)));
    else if (item.isSymbolicLink()) {
      const target = await stat(path).catch(() => undefined);
      if (target?.isDirectory() === true || isRecords(item.name)) links.push(path);
    } else if (isRecords(item.name)) files.push(path);
  }
  return files;
}

const manifestName = 'manifest.json';

/**
 * The files that the manifest of an export lists, records before deletions; undefined if there is another file of this
 * name. https://hl7.org/fhir/uv/bulkdata/STU2/export.html#response---complete-status
 */
async function filesOfExport(folder: string): Promise<readonly string[] | undefined> {
  const manifest = parseJson(await readFile(join(folder, manifestName), 'utf8'));
  if (!isObject(manifest) || typeof manifest['transactionTime'] !== 'string') return undefined;
  const urls = [...objectsOf(manifest['output']), ...objectsOf(manifest['deleted'])].map(({ url }) => String(url));
  const wrong = urls.find(url => !/^(?:deleted\/)?[\w-]+(?:\.[\w-]+)*$/.test(url));
  if (wrong !== undefined)
    throw new Error(`\`${join(folder, manifestName)}\` names \`${wrong}\`, which is no file beside it.`);
  return urls.map(url => join(folder, url));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function fileInput(path: string): Promise<Input> {
  const found = await stat(path);
  const plain = withoutGzip(basename(path));
  // The size of a pipe is not that of its data.
  const size = found.isFile() ? found.size : undefined;
  return { name: path, path, size, lines: plain.endsWith('.ndjson') || plain.endsWith('.jsonl') };
}

const isRecords = (name: string): boolean => endings.some(ending => withoutGzip(name).endsWith(ending));

const withoutGzip = (name: string): string => name.toLowerCase().replace(/\.gz$/, '');
