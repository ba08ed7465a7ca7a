import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';

/** Something to load: a file, or what comes in on stdin. */
export interface Input {
  /** The path as it is told to people; `-` for stdin. */
  readonly name: string;
  /** Undefined for stdin. */
  readonly path: string | undefined;
  /** Size on disk in bytes, undefined where it is not known. */
  readonly size: number | undefined;
  /** True where the name says that each line is a resource. */
  readonly lines: boolean;
}

/**
 * The files that paths stand for, in the order of the paths; `-` is stdin. A folder stands for the files in it and below it
 * whose names end in .ndjson, .jsonl or .json, also with .gz behind, sorted by name, but for the file `except`. Symbolic links
 * in a folder are not followed, since they may lead anywhere: they are given as `links`. Throws Error for a path that is not
 * there and for a folder without such a file.
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

const endings = ['.ndjson', '.jsonl', '.json'];

/** Adds to `links` those that could have led to records. */
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
  // The size of a pipe says nothing about what comes out of it.
  const size = found.isFile() ? found.size : undefined;
  return { name: path, path, size, lines: plain.endsWith('.ndjson') || plain.endsWith('.jsonl') };
}

const isRecords = (name: string): boolean => endings.some(ending => withoutGzip(name).endsWith(ending));

const withoutGzip = (name: string): string => name.toLowerCase().replace(/\.gz$/, '');
