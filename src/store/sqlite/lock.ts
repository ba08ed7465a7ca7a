import { existsSync } from 'node:fs';
import { makePrivate } from '../files/left-behind.ts';
import { StoreRefused } from '../port/errors.ts';
import { isBusy } from './failures.ts';
import { type Database, openBare } from './open.ts';

/**
 * How long a start waits for the lock, in milliseconds: a process that was just killed may still be ending, and a
 * command that checks whether a server runs holds the lock briefly.
 */
const longestWait = 200;

/**
 * The lock against a second server on one file: an exclusive transaction on an empty database beside it. The operating
 * system releases it with the process, so it is never stale. Throws `StoreRefused` if another server holds it.
 */
export function lockForServing(path: string): { release(): void } {
  makePrivate(lockPath(path));
  const lock = lockFile(lockPath(path), longestWait, () => otherServer(path));
  return { release: () => lock.close() };
}

/** Locks an empty database until it is closed; throws `refusal()` if another process holds it for `wait` ms. */
export function lockFile(path: string, wait: number, refusal: () => StoreRefused): Database {
  const database = openBare(path, wait);
  try {
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    throw isBusy(error) ? refusal() : error;
  }
}

/** Throws `StoreRefused` if a server holds the lock: a start checks it before any slow step. */
export function refuseServed(path: string): void {
  if (serverRuns(path, longestWait)) throw otherServer(path);
}

/** Whether a server holds the lock now, and still does after `wait` milliseconds. */
export function serverRuns(path: string, wait = 0): boolean {
  if (!existsSync(lockPath(path))) return false;
  const database = openBare(lockPath(path), wait);
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

const otherServer = (path: string): StoreRefused =>
  new StoreRefused(`Another server runs on \`${path}\`; stop it first, or name another file`);
