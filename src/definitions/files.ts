import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Problem } from './problem.ts';

export interface FoundFile {
  readonly path: string;
  /** Its path in messages. */
  readonly file: string;
}

/**
 * The files of a folder sorted by name, with those of its subfolders if `deep`; names that begin with a dot are
 * skipped, and a folder that does not exist is empty. A link that leads out of `root` is a problem and is not followed.
 */
export async function listFiles(
  folder: FoundFile,
  root: string,
  deep: boolean,
): Promise<{ readonly files: readonly FoundFile[]; readonly problems: readonly Problem[] }> {
  const files: FoundFile[] = [];
  const problems: Problem[] = [];
  const inside = await realpath(root);
  const visited = new Set<string>();
  const walk = async ({ path, file }: FoundFile): Promise<void> => {
    const real = await realpath(path);
    if (visited.has(real)) return;
    visited.add(real);
    for (const name of (await readdir(path)).sort()) {
      const found = { path: join(path, name), file: join(file, name) };
      if (name.startsWith('.')) continue;
      const target = (await lstat(found.path)).isSymbolicLink() ? await follow(found.path) : found.path;
      if (target === undefined || (target !== found.path && target !== inside && !target.startsWith(inside + sep))) {
        problems.push({ file: found.file, path: '', text: 'The link leads out of the folder, or nowhere.' });
        continue;
      }
      if (!(await stat(found.path)).isDirectory()) files.push(found);
      else if (deep) await walk(found);
    }
  };
  if (await isFolder(folder.path)) await walk(folder);
  return { files, problems };
}

/** True for a folder, also behind a link. */
export const isFolder = async (path: string): Promise<boolean> => (await statOf(path))?.isDirectory() ?? false;

/** True for a file, also behind a link. */
export const isFile = async (path: string): Promise<boolean> => (await statOf(path))?.isFile() ?? false;

const statOf = (path: string) => stat(path).catch(() => undefined);
const follow = (path: string): Promise<string | undefined> => realpath(path).catch(() => undefined);
