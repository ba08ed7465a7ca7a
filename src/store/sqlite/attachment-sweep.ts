import { existsSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { grace, trashTime } from '../attachment-ages.ts';
import { isDigest } from '../digest.ts';
import { bytesFolder, bytesPath, isAbsent, trashFolder, trashPath } from './attachment-files.ts';
import { moveToTrash, takeBack } from './attachment-trash.ts';
import type { Database } from './open.ts';

/** Bytes, or what was being written when a process ended: nothing else is touched. */
const ownName = /^([0-9a-f]{64})(\.|$)/;

/**
 * A folder of bytes, and the one of the same name in the trash: a partition by number and the first two digits of the
 * digests.
 */
export interface BytesFolder {
  readonly n: number;
  readonly digits: string;
}

/** What a sweep has to do in a folder: names of files there and in the trash. */
export interface DueBytes extends BytesFolder {
  readonly loose: readonly string[];
  readonly trashed: readonly string[];
}

/**
 * The folders of bytes that are there. Those of partitions that the store never had belong to another one, and are left
 * alone.
 */
export function bytesFolders(database: Database, file: string): readonly BytesFolder[] {
  return ownPartitions(database, file).flatMap(n =>
    [...new Set([...digitsIn(bytesFolder(file, n)), ...digitsIn(trashFolder(file, n))])].map(digits => ({ n, digits })),
  );
}

/**
 * What is due in a folder: bytes to which no version of a record has referred for long, and what is in the trash too
 * long.
 */
export function dueBytes(database: Database, file: string, { n, digits }: BytesFolder): DueBytes | undefined {
  const [names, inTrash] = [ownNames(bytesFolder(file, n, digits)), ownNames(trashFolder(file, n, digits))];
  if (names.length + inTrash.length === 0) return undefined;
  const rows = database.all('SELECT DISTINCT digest FROM attachments WHERE n = ? AND digest >= ? AND digest < ?', [
    n,
    digits,
    `${digits}g`,
  ]);
  const referred = new Set(rows.map(([digest]) => String(digest)));
  const loose = names.filter(name => !referred.has(name) && isOlder(bytesPath(file, n, name), grace));
  const trashed = inTrash.filter(name => referred.has(name) || isOlder(trashPath(file, n, name), trashTime));
  return loose.length + trashed.length === 0 ? undefined : { n, digits, loose, trashed };
}

/**
 * Moves loose bytes to the trash; takes back what has a record again, and deletes what is there too long. Runs inside
 * of a transaction that writes, as what refers to bytes does: so they are not taken from a record that comes just now.
 */
export function sweepFolder(database: Database, file: string, { n, loose, trashed }: DueBytes): void {
  for (const name of loose) {
    const path = bytesPath(file, n, name);
    if (!isOlder(path, grace) || isReferred(database, n, name)) continue;
    if (isDigest(name)) moveToTrash(file, n, name);
    else rmSync(path, { force: true });
  }
  for (const name of trashed) {
    const path = trashPath(file, n, name);
    if (isReferred(database, n, name) && !existsSync(bytesPath(file, n, name))) takeBack(file, n, name);
    else if (isOlder(path, trashTime)) rmSync(path, { force: true });
  }
}

export function isReferred(database: Database, n: number, digest: string): boolean {
  return database.get('SELECT 1 FROM attachments WHERE n = ? AND digest = ? LIMIT 1', [n, digest]) !== undefined;
}

/** Whether a file is there whose time is longer ago than so many milliseconds, by the machine's own clock. */
export function isOlder(path: string, milliseconds: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.mtimeMs < Date.now() - milliseconds;
}

/**
 * Sweeps when a server starts: for so many milliseconds, so that the start stays short, and up to the first failure.
 * Gives the folders that are left, which are swept, and whose failure is reported, beside the requests.
 */
export function sweepBytes(database: Database, file: string, milliseconds: number): readonly BytesFolder[] {
  const end = performance.now() + milliseconds;
  const folders = bytesFolders(database, file);
  for (const [at, folder] of folders.entries()) {
    if (performance.now() > end) return folders.slice(at);
    try {
      const due = dueBytes(database, file, folder);
      if (due !== undefined) database.transaction(() => sweepFolder(database, file, due));
    } catch {
      return folders.slice(at);
    }
  }
  const partitions = new Set(database.all('SELECT n FROM partitions').map(([n]) => Number(n)));
  for (const n of ownPartitions(database, file)) if (!partitions.has(n)) removeEmpty(file, n);
  return [];
}

/** The names of bytes in a folder, and of what was being written. */
export function ownNames(folder: string): readonly string[] {
  return namesIn(folder).filter(name => ownName.test(name));
}

/** Removes a folder of bytes of a partition that is removed, the trash first; false where none is left. */
export function removeBytes(file: string, n: number): boolean {
  for (const folder of [trashFolder(file, n), bytesFolder(file, n)]) {
    const [digits] = digitsIn(folder);
    if (digits !== undefined) {
      rmSync(join(folder, digits), { recursive: true, force: true });
      return true;
    }
    removeIfEmpty(folder);
  }
  return false;
}

/** Removes what folders late writes to a partition that is gone have left, where nothing is in them. */
function removeEmpty(file: string, n: number): void {
  for (const folder of [trashFolder(file, n), bytesFolder(file, n)]) {
    for (const digits of digitsIn(folder)) removeIfEmpty(join(folder, digits));
    removeIfEmpty(folder);
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Not there, or somebody's own files are in it.
  }
}

/** The partitions of which there are bytes, and which the store has or once had. */
function ownPartitions(database: Database, file: string): readonly number[] {
  const [last = 0] = database.get(`SELECT seq FROM sqlite_sequence WHERE name = 'partitions'`) ?? [];
  return namesIn(bytesFolder(file))
    .filter(name => /^[1-9]\d*$/.test(name) && Number(name) <= Number(last))
    .map(Number);
}

function digitsIn(folder: string): readonly string[] {
  return namesIn(folder).filter(name => /^[0-9a-f]{2}$/.test(name));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
