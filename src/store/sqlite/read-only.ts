import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * How a file is read that no process has open: `immutable` if there is only the file, `unlocked` if there is a WAL,
 * whose index SQLite then builds in memory. No file is created beside it.
 */
export type ReadOnlyMode = 'immutable' | 'unlocked';

/**
 * How to read a store on a read-only medium, where SQLite cannot create the WAL index that it needs; undefined if the
 * medium is writable, or if the index exists: another process may have the store open.
 * https://sqlite.org/wal.html#read_only_databases
 */
export function readOnlyMode(path: string): ReadOnlyMode | undefined {
  if (existsSync(`${path}-shm`) || !isMountedReadOnly(dirname(path))) return undefined;
  return existsSync(`${path}-wal`) ? 'unlocked' : 'immutable';
}

/** The file in the form that SQLite needs for a mode. https://sqlite.org/uri.html */
export function locationIn(path: string, mode: string): string | URL {
  if (mode !== 'immutable' && mode !== 'unlocked') return path;
  const url = pathToFileURL(path);
  if (mode === 'immutable') url.searchParams.set('immutable', '1');
  // Without locks, which need a writable file: https://sqlite.org/vfs.html#standard_unix_vfses
  else url.searchParams.set('vfs', process.platform === 'win32' ? 'win32-none' : 'unix-none');
  return url;
}

/** Whether the file system of a folder is mounted read-only. */
export function isMountedReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EROFS';
  }
}
