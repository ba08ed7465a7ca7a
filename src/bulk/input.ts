import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';

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

async function fileInput(path: string): Promise<Input> {
  const found = await stat(path);
  const plain = withoutGzip(basename(path));
  // The size of a pipe is not that of its data.
  const size = found.isFile() ? found.size : undefined;
  return { name: path, path, size, lines: plain.endsWith('.ndjson') || plain.endsWith('.jsonl') };
}

const isRecords = (name: string): boolean => endings.some(ending => withoutGzip(name).endsWith(ending));

const withoutGzip = (name: string): string => name.toLowerCase().replace(/\.gz$/, '');
