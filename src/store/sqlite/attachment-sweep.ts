import { existsSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { grace, trashTime } from '../attachment-ages.ts';
import { isDigest } from '../digest.ts';
import { attachmentsFolder, bytesPath, trashFolder, trashPath } from '../files/attachments.ts';
import { isAbsent } from '../files/durable.ts';
import { moveToTrash, takeBack } from '../files/trash.ts';
import type { Database } from './open.ts';

/** Attachments, or temporary files of a process that ended: other files are not touched. */
const ownName = /^([0-9a-f]{64})(\.|$)/;

/**
 * A folder of attachments, and the one of the same name in the trash: a partition by number and the first two digits of
 * the digests.
 */
export interface BytesFolder {
  readonly n: number;
  readonly digits: string;
}

/** The work of a sweep in a folder: names of files there and in the trash. */
export interface DueBytes extends BytesFolder {
  readonly loose: readonly string[];
  readonly trashed: readonly string[];
}

/**
 * The existing folders of attachments. Those of partitions that the store never had belong to another store, and are
 * not touched.
 */
export function bytesFolders(database: Database, file: string): readonly BytesFolder[] {
  return ownPartitions(database, file).flatMap(n =>
    [...new Set([...digitsIn(attachmentsFolder(file, n)), ...digitsIn(trashFolder(file, n))])].map(digits => ({
      n,
      digits,
    })),
  );
}

/**
 * The due files of a folder: attachments that no version of a record has referenced for long, and old files in the
 * trash.
 */
export function dueBytes(database: Database, file: string, { n, digits }: BytesFolder): DueBytes | undefined {
  const [names, inTrash] = [ownNames(attachmentsFolder(file, n, digits)), ownNames(trashFolder(file, n, digits))];
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
 * Moves unreferenced attachments to the trash; restores those that have a record again, and deletes old ones. Runs
 * inside of a write transaction, like the writes of records that reference them: so none are taken from a new record.
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

/** Whether a file exists that is older than so many milliseconds, by the machine's clock. */
export function isOlder(path: string, milliseconds: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.mtimeMs < Date.now() - milliseconds;
}

/**
 * Sweeps when a server starts: for so many milliseconds, so that the start stays short, and up to the first failure.
 * Returns the remaining folders, which are swept, and whose failures are reported, in the background.
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

/** The names of attachments and temporary files in a folder. */
export function ownNames(folder: string): readonly string[] {
  return namesIn(folder).filter(name => ownName.test(name));
}

/** Removes a folder of attachments of a removed partition, the trash first; false if none is left. */
export function removeBytes(file: string, n: number): boolean {
  for (const folder of [trashFolder(file, n), attachmentsFolder(file, n)]) {
    const [digits] = digitsIn(folder);
    if (digits !== undefined) {
      rmSync(join(folder, digits), { recursive: true, force: true });
      return true;
    }
    removeIfEmpty(folder);
  }
  return false;
}

/** Removes empty folders that late writes to a removed partition have left. */
function removeEmpty(file: string, n: number): void {
  for (const folder of [trashFolder(file, n), attachmentsFolder(file, n)]) {
    for (const digits of digitsIn(folder)) removeIfEmpty(join(folder, digits));
    removeIfEmpty(folder);
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It does not exist, or has other files.
  }
}

/** The partitions with attachments that the store has or once had. */
function ownPartitions(database: Database, file: string): readonly number[] {
  const [last = 0] = database.get(`SELECT seq FROM sqlite_sequence WHERE name = 'partitions'`) ?? [];
  return namesIn(attachmentsFolder(file))
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
