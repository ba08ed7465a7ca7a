import { existsSync } from 'node:fs';
import { link, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { attachmentsFolder, bytesPath, hasBytes, trashPath } from '../files/attachments.ts';
import { copyPrivate, ifThere, isAbsent, makeFolder } from '../files/durable.ts';
import { type KeptBytes, verifyAttachments } from '../upkeep/verify-attachments.ts';
import { digestOfFile, type Pace } from './pace.ts';
import type { BackupFinding } from './port.ts';

/** Files that are copied concurrently. */
const atOnce = 8;

/** Files of stores, with attachments beside each. */
export interface Places {
  readonly from: string;
  readonly to: string;
  /** A backup that may have the same attachments. */
  readonly previous?: string | undefined;
}

/**
 * Copies the attachments that records of a database reference, and nothing else beside the store. Missing ones are
 * skipped: the check of the copy reports them. Links to the previous backup if that has a file of this digest and size;
 * returns the number of links.
 */
export async function copyAttachments(
  { size: of, partitions, slices }: Referenced,
  places: Places,
  pace: Pace,
  step: (done: number, of: number) => void,
): Promise<number> {
  await removeOthers([...partitions.values()], places.to);
  const made = new Set<string>();
  let [done, linked] = [0, 0];
  for (const rows of slices()) {
    for (const { n, digest } of rows) {
      const folder = dirname(bytesPath(places.to, n, digest));
      if (!made.has(folder)) makeFolder(folder);
      made.add(folder);
    }
    for (let at = 0; at < rows.length; at += atOnce) {
      const some = rows.slice(at, at + atOnce);
      const how = await Promise.all(some.map(bytes => take(places, bytes)));
      linked += how.filter(one => one === 'linked').length;
      await pace.spend(sizeOf(some.filter((_, index) => how[index] === 'copied')));
      done += sizeOf(some);
      step(done, of);
    }
  }
  return linked;
}

/** Copies attachments again in place of damaged ones; also from the trash. */
export async function copyAgain({ from, to }: Places, n: number, digest: string): Promise<void> {
  makeFolder(dirname(bytesPath(to, n, digest)));
  for (const path of [bytesPath(from, n, digest), trashPath(from, n, digest)]) {
    try {
      return await copyPrivate(path, bytesPath(to, n, digest));
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }
}

async function take(places: Places, bytes: Bytes): Promise<'there' | 'linked' | 'copied'> {
  const { n, digest, size } = bytes;
  const { to, previous } = places;
  if (hasBytes(bytesPath(to, n, digest), size)) return 'there';
  if (previous !== undefined && (await linked(previous, to, bytes))) return 'linked';
  await copyAgain(places, n, digest);
  return 'copied';
}

async function linked(previous: string, to: string, { n, digest, size }: Bytes): Promise<boolean> {
  const path = bytesPath(previous, n, digest);
  if (!hasBytes(path, size)) return false;
  try {
    await rm(bytesPath(to, n, digest), { force: true });
    await link(path, bytesPath(to, n, digest));
    return true;
  } catch {
    return false; // another file system, or one without links
  }
}

/** Removes folders of removed partitions, which an interrupted run may have left. */
async function removeOthers(partitions: readonly number[], to: string): Promise<void> {
  const names = (await ifThere(() => readdir(attachmentsFolder(to)))) ?? [];
  for (const name of names)
    if (!partitions.includes(Number(name))) await rm(join(attachmentsFolder(to), name), { recursive: true });
}

const sizeOf = (some: readonly Bytes[]): number => some.reduce((sum, { size }) => sum + size, 0);

/** The attachments that the records of a copied database reference: those of removed partitions are not copied. */
export interface Referenced {
  /** Their number and their total size. */
  readonly files: number;
  readonly size: number;
  /** The number of each partition, by id. */
  readonly partitions: ReadonlyMap<string, number>;
  /** Each once. */
  readonly slices: () => Iterable<readonly Bytes[]>;
  /** The bytes of a partition in the copy: no record will follow for one without any. */
  readonly bytes: (n: number) => KeptBytes;
}

/** An attachment of a partition by number. */
export interface Bytes {
  readonly n: number;
  readonly digest: string;
  readonly size: number;
}

/** Damage of the attachments beside a database that no process writes to. */
export async function checkAttachments(
  { files, size, partitions, bytes }: Referenced,
  pace: Pace,
  step: (done: number, of: number) => void,
): Promise<readonly BackupFinding[]> {
  const findings: BackupFinding[] = [];
  if (files === 0) return findings;
  let done = 0;
  for (const [partition, n] of partitions) {
    let before = 0;
    for await (const { checked, findings: found } of verifyAttachments(partition, bytes(n))) {
      findings.push(...found.map(one => ({ in: 'attachments', partition, ...one }) as const));
      const read = ((checked - before) * size) / files; // files are counted, not bytes
      before = checked;
      done += read;
      step(Math.min(done, size), size);
      await pace.spend(read);
    }
  }
  return findings;
}

/**
 * Copies damaged attachments again, of an interrupted run or of the older backup. Removes attachments that no record
 * references. Returns the remaining findings, which are damage of the store.
 */
export async function mend(
  findings: readonly BackupFinding[],
  places: Places,
  { partitions }: Referenced,
): Promise<readonly BackupFinding[]> {
  const left: BackupFinding[] = [];
  for (const finding of findings) {
    const n = finding.in === 'attachments' ? partitions.get(finding.partition) : undefined;
    if (finding.in !== 'attachments' || n === undefined) {
      left.push(finding);
      continue;
    }
    const path = bytesPath(places.to, n, finding.digest);
    if (finding.is === 'orphan') {
      await rm(path);
      continue;
    }
    await copyAgain(places, n, finding.digest);
    if (!existsSync(path) || (await digestOfFile(path)) !== finding.digest) left.push(finding);
  }
  return left;
}
