import { existsSync } from 'node:fs';
import { StoreRefused } from '../store.ts';
import { openBare } from './open.ts';
import { isBusy } from './sqlite-error.ts';

/**
 * The lock against a second server on one file: an exclusive transaction on an empty database beside it. The operating
 * system ends it with the process, so it is never stale. Throws `StoreRefused` where another server holds it.
 */
export function lockForServing(path: string): { release(): void } {
  const database = openBare(lockPath(path), 2_000);
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw new StoreRefused(`Another server runs on \`${path}\`; stop it first, or name another file`);
  }
  return { release: () => database.close() };
}

/** Whether a server holds the lock now. */
export function serverRuns(path: string): boolean {
  if (!existsSync(lockPath(path))) return false;
  const database = openBare(lockPath(path), 0);
  try {
    database.get('SELECT count(*) FROM sqlite_schema');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    database.close();
  }
}

const lockPath = (path: string): string => `${path}.lock`;
