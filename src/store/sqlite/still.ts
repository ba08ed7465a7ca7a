import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * How a file is read that no process has open: `immutable` where it is all there is, `unlocked` where there is a WAL, of
 * which SQLite then makes the index in memory. Nothing is made beside the file.
 */
export type StillMode = 'immutable' | 'unlocked';

/**
 * How to read a store on a medium that is mounted read-only, where SQLite cannot make the index of the WAL that it asks
 * for; undefined where the medium can be written, or where the index is there: another process may have the store open.
 * https://sqlite.org/wal.html#read_only_databases
 */
export function stillMode(path: string): StillMode | undefined {
  if (existsSync(`${path}-shm`) || !isMountedReadOnly(dirname(path))) return undefined;
  return existsSync(`${path}-wal`) ? 'unlocked' : 'immutable';
}

/** The file as SQLite takes it for a mode. https://sqlite.org/uri.html */
export function locationIn(path: string, mode: string): string | URL {
  if (mode !== 'immutable' && mode !== 'unlocked') return path;
  const url = pathToFileURL(path);
  if (mode === 'immutable') url.searchParams.set('immutable', '1');
  // Without locks, which take a file that can be written: https://sqlite.org/vfs.html#standard_unix_vfses
  else url.searchParams.set('vfs', process.platform === 'win32' ? 'win32-none' : 'unix-none');
  return url;
}

/** Whether the file system of a folder is mounted so that nothing on it changes. */
export function isMountedReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EROFS';
  }
}
