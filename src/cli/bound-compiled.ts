import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Limits Node's compile cache to `most` bytes: beyond that, the oldest files are deleted until half is left, and the
 * folders that are empty then. Node writes one file for each module, and one folder for each of its versions, and
 * removes none. A deleted file is compiled again. Safe with concurrent processes; never throws.
 * https://nodejs.org/api/module.html#module-compile-cache
 */
export async function boundCompiled(folder: string, most = 100_000_000): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files: { readonly path: string; readonly size: number; readonly written: number }[] = [];
  for (const entry of entries.filter(entry => entry.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const found = await stat(path).catch(() => undefined); // one by one: thousands at once cost an idle server 18 MB
    files.push({ path, size: found?.size ?? 0, written: found?.mtimeMs ?? 0 });
  }
  let total = files.reduce((sum, { size }) => sum + size, 0);
  if (total <= most) return;
  for (const { path, size } of files.toSorted((a, b) => a.written - b.written)) {
    if (total <= most / 2) break;
    await rm(path, { force: true }).catch(() => undefined);
    total -= size;
  }
  for (const entry of entries.filter(entry => entry.isDirectory()))
    await rmdir(join(entry.parentPath, entry.name)).catch(() => undefined); // a folder that is not empty stays
}
