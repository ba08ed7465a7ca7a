import { existsSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { grace, overdue, trashTime } from '../port/blobs.ts';
import { isDigest } from '../record/digest.ts';
import {
  allDigits,
  type BytesFile,
  type KeptBytes,
  type Measured,
  type Reference,
} from '../upkeep/verify-attachments.ts';
import {
  attachmentsFolder,
  bytesPath,
  measureFile,
  moveToTrash,
  placesOf,
  takeBack,
  trashFolder,
  trashPath,
} from './attachments.ts';
import { ifThere, isAbsent } from './durable.ts';

/** Attachments, or temporary files of a process that ended: other files are not touched. */
const ownName = /^([0-9a-f]{64})(\.|$)/;

/** What a store knows of the attachments beside its file; partitions have numbers, which are never reused. */
export interface KnownAttachments {
  /** The existing partitions, and the last number that was given. */
  readonly partitions: () => { readonly existing: ReadonlySet<number>; readonly last: number };
  /** The digests with these first digits that versions of records reference. */
  readonly referred: (n: number, digits: string) => ReadonlySet<string>;
  readonly isReferred: (n: number, digest: string) => boolean;
  /** Each reference to such a digest. */
  readonly references: (n: number, digits: string) => Iterable<Reference>;
}

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
export function bytesFolders(known: KnownAttachments, file: string): readonly BytesFolder[] {
  return ownPartitions(known, file).flatMap(n =>
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
export function dueBytes(known: KnownAttachments, file: string, { n, digits }: BytesFolder): DueBytes | undefined {
  const [names, inTrash] = [ownNames(attachmentsFolder(file, n, digits)), ownNames(trashFolder(file, n, digits))];
  if (names.length + inTrash.length === 0) return undefined;
  const referred = known.referred(n, digits);
  const loose = names.filter(name => !referred.has(name) && isOlder(bytesPath(file, n, name), grace));
  const trashed = inTrash.filter(name => referred.has(name) || isOlder(trashPath(file, n, name), trashTime));
  return loose.length + trashed.length === 0 ? undefined : { n, digits, loose, trashed };
}

/**
 * Moves unreferenced attachments to the trash; restores those that have a record again, and deletes old ones. Runs
 * inside of a write transaction, like the writes of records that reference them: so none are taken from a new record.
 */
export function sweepFolder({ isReferred }: KnownAttachments, file: string, { n, loose, trashed }: DueBytes): void {
  for (const name of loose) {
    const path = bytesPath(file, n, name);
    if (!isOlder(path, grace) || isReferred(n, name)) continue;
    if (isDigest(name)) moveToTrash(file, n, name);
    else rmSync(path, { force: true });
  }
  for (const name of trashed) {
    const path = trashPath(file, n, name);
    if (isReferred(n, name) && !existsSync(bytesPath(file, n, name))) takeBack(file, n, name);
    else if (isOlder(path, trashTime)) rmSync(path, { force: true });
  }
}

/** Whether a file exists that is older than so many milliseconds, by the machine's clock. */
export function isOlder(path: string, milliseconds: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.mtimeMs < Date.now() - milliseconds;
}

/**
 * Sweeps when a server starts: for so many milliseconds, so that the start stays short, and up to the first failure.
 * `transaction` runs a sweep of a folder inside of one. Returns the remaining folders, which are swept, and whose
 * failures are reported, in the background.
 */
export function sweepBytes(
  known: KnownAttachments,
  file: string,
  milliseconds: number,
  transaction: (sweep: () => void) => void,
): readonly BytesFolder[] {
  const end = performance.now() + milliseconds;
  const folders = bytesFolders(known, file);
  for (const [at, folder] of folders.entries()) {
    if (performance.now() > end) return folders.slice(at);
    try {
      const due = dueBytes(known, file, folder);
      if (due !== undefined) transaction(() => sweepFolder(known, file, due));
    } catch {
      return folders.slice(at);
    }
  }
  const { existing } = known.partitions();
  for (const n of ownPartitions(known, file)) if (!existing.has(n)) removeEmpty(file, n);
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
function ownPartitions(known: KnownAttachments, file: string): readonly number[] {
  const { last } = known.partitions();
  return namesIn(attachmentsFolder(file))
    .filter(name => /^[1-9]\d*$/.test(name) && Number(name) <= last)
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

/**
 * The attachments of a partition beside the file of a store. Those without a record are overdue when they are older
 * than `age`, in milliseconds.
 */
export function bytesOf(known: KnownAttachments, file: string, n: number, age: number = overdue): KeptBytes {
  return {
    count: async () => allDigits.reduce((sum, digits) => sum + ownNames(attachmentsFolder(file, n, digits)).length, 0),
    async *references(digits) {
      yield* known.references(n, digits);
    },
    isReferred: async digest => known.isReferred(n, digest),
    async *files(digits): AsyncIterable<BytesFile> {
      await setImmediate();
      const inTrash = ownNames(trashFolder(file, n, digits));
      const names = new Set(ownNames(attachmentsFolder(file, n, digits)));
      for (const digest of inTrash) if (!names.has(digest)) yield { digest, isTrash: true, isOverdue: false };
      for (const digest of names) yield { digest, isTrash: false, isOverdue: isOlder(bytesPath(file, n, digest), age) };
    },
    async measure(digest): Promise<Measured | undefined> {
      const trash = trashPath(file, n, digest);
      for (const place of placesOf(file, n, digest)) {
        const measured = await ifThere(() => measureFile(place));
        if (measured !== undefined) return { ...measured, isTrash: place === trash };
      }
      return undefined;
    },
  };
}
