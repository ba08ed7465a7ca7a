import { readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { bytesFolder, isAbsent } from './attachment-files.ts';
import type { Database } from './open.ts';

/** Bytes, or what was being written when a process ended: nothing else is touched. */
const ownName = /^([0-9a-f]{64})(\.|$)/;

/** A folder of bytes: a partition by number and the first two digits of the digests. */
export interface BytesFolder {
  readonly n: number;
  readonly digits: string;
}

/** The folders of bytes that are there. */
export function bytesFolders(file: string): readonly BytesFolder[] {
  return partitionsIn(file).flatMap(n => digitsIn(file, n).map(digits => ({ n, digits })));
}

/** The names of files in a folder to which no version of a record refers. */
export function looseBytes(database: Database, file: string, { n, digits }: BytesFolder): readonly string[] {
  const names = ownNames(bytesFolder(file, n, digits));
  if (names.length === 0) return [];
  const rows = database.all('SELECT DISTINCT digest FROM attachments WHERE n = ? AND digest >= ? AND digest < ?', [
    n,
    digits,
    `${digits}g`,
  ]);
  const kept = new Set(rows.map(([digest]) => String(digest)));
  return names.filter(name => !kept.has(name));
}

/**
 * Deletes loose bytes that were put before an instant (milliseconds of the machine's own clock, as the files have it). Runs
 * inside of a transaction that writes, as what refers to bytes does: so they are not taken from a record that comes just now.
 */
export function dropLoose(
  database: Database,
  file: string,
  { n, digits }: BytesFolder,
  names: readonly string[],
  before: number,
): void {
  for (const name of names) {
    const path = join(bytesFolder(file, n, digits), name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined || !found.isFile() || found.mtimeMs >= before) continue;
    if (!isReferred(database, n, name)) rmSync(path, { force: true });
  }
}

export function isReferred(database: Database, n: number, digest: string): boolean {
  return database.get('SELECT 1 FROM attachments WHERE n = ? AND digest = ? LIMIT 1', [n, digest]) !== undefined;
}

/**
 * Deletes all bytes without a record: for a start, when no one else serves. So that a start stays short it goes on for that
 * many milliseconds only; the result is what is left.
 */
export function sweepBytes(database: Database, file: string, milliseconds: number): readonly BytesFolder[] {
  const end = performance.now() + milliseconds;
  const partitions = new Set(database.all('SELECT n FROM partitions').map(([n]) => Number(n)));
  for (const n of partitionsIn(file)) if (!partitions.has(n)) while (removeBytes(file, n));
  const folders = bytesFolders(file);
  for (const [at, folder] of folders.entries()) {
    if (performance.now() > end) return folders.slice(at);
    const loose = looseBytes(database, file, folder);
    if (loose.length > 0) database.transaction(() => dropLoose(database, file, folder, loose, Infinity));
  }
  return [];
}

/** The names of bytes in a folder, and of what was being written. */
export function ownNames(folder: string): readonly string[] {
  return namesIn(folder).filter(name => ownName.test(name));
}

/** Removes a folder of bytes of a partition that is gone; false where none is left. */
export function removeBytes(file: string, n: number): boolean {
  const [digits] = digitsIn(file, n);
  if (digits !== undefined) {
    rmSync(bytesFolder(file, n, digits), { recursive: true, force: true });
    return true;
  }
  try {
    rmdirSync(bytesFolder(file, n));
  } catch {
    // Not there, or somebody's own files are in it.
  }
  return false;
}

function partitionsIn(file: string): readonly number[] {
  return namesIn(bytesFolder(file))
    .filter(name => /^\d+$/.test(name))
    .map(Number);
}

function digitsIn(file: string, n: number): readonly string[] {
  return namesIn(bytesFolder(file, n)).filter(name => /^[0-9a-f]{2}$/.test(name));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
