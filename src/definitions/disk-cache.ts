import { hash, randomBytes } from 'node:crypto';
import { constants, mkdirSync, openSync, readdirSync } from 'node:fs';
import { closeSync, fstatSync, lstatSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A cache of bytes by a key in hex, derived from definitions and derived again if lost or damaged. */
export interface DiskCache {
  read(key: string): Buffer | undefined;
  write(key: string, bytes: Uint8Array): void;
}

/**
 * A cache in the first of some folders that belongs to this user only (created if it does not exist); undefined if
 * there is none. Files are readable by their owner only and are verified by their digest; at most `most` of them and
 * `bytes` in total are kept, by last use. Never throws: a cache that cannot be read or written counts as empty.
 */
export function openDiskCache(folders: readonly string[], most = 24, bytes = 500_000_000): DiskCache | undefined {
  const folder = folders.find(isOurs);
  if (folder === undefined) return undefined;
  return {
    read: key => attempt(() => read(join(folder, key))),
    write(key, content) {
      attempt(() => write(folder, key, content));
      attempt(() => drop(folder, most, bytes));
    },
  };
}

/** The cache folders of a checkout: `.cache` in it, else the temporary folder. */
export const cacheFolders = (root: string, name: string): readonly string[] => [
  join(root, '.cache', name),
  join(tmpdir(), `clinical-records-${user() ?? 0}`, name),
];

const user = (): number | undefined => process.getuid?.();

function isOurs(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    return found.isDirectory() && isPrivate(found);
  } catch {
    return false;
  }
}

/** No other user may write it: its content is trusted like a definition file. Windows has no such bits. */
const isPrivate = ({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean =>
  user() === undefined || (uid === user() && (mode & 0o077) === 0);

const digestLength = 64;

function read(path: string): Buffer | undefined {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)); // Windows has no O_NOFOLLOW
  try {
    const found = fstatSync(file);
    if (!found.isFile() || !isPrivate(found)) return undefined;
    const bytes = readFileSync(file);
    const body = bytes.subarray(digestLength);
    if (hash('sha256', body) !== bytes.toString('latin1', 0, digestLength)) return undefined;
    attempt(() => utimesSync(path, new Date(), new Date()));
    return body;
  } finally {
    closeSync(file);
  }
}

/** Atomic: other processes may read and write the same file. */
function write(folder: string, key: string, bytes: Uint8Array): void {
  const path = join(folder, `${key}.${randomBytes(8).toString('hex')}.tmp`);
  try {
    writeFileSync(path, Buffer.concat([Buffer.from(hash('sha256', bytes)), bytes]), { mode: 0o600, flag: 'wx' });
    renameSync(path, join(folder, key));
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

function drop(folder: string, most: number, bytes: number): void {
  const found = readdirSync(folder)
    .map(name => ({ path: join(folder, name), found: lstatSync(join(folder, name)) }))
    .toSorted((a, b) => b.found.mtimeMs - a.found.mtimeMs);
  let total = 0;
  for (const [at, { path, found: file }] of found.entries()) {
    total += file.size;
    if (at >= most || total > bytes) rmSync(path, { force: true });
  }
}

function attempt<Value>(action: () => Value): Value | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
