import { link, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { attachmentsFolder, bytesPath, hasBytes, trashPath } from '../../files/attachments.ts';
import { copyPrivate, ifThere, isAbsent, makeFolder } from '../../files/durable.ts';
import type { Database } from '../open.ts';
import type { Pace } from './pace.ts';
import { type Bytes, referred, totals } from './referred.ts';

/** Files that are copied concurrently. */
const atOnce = 8;

/** Files of stores, with attachments beside each. */
export interface Places {
  readonly from: string;
  readonly to: string;
  /** A backup that may have the same attachments. */
  readonly previous?: string | undefined;
}

export interface CopiedAttachments {
  readonly files: number;
  readonly size: number;
  readonly linked: number;
}

/**
 * Copies the attachments that records of a database reference, and nothing else beside the store. Missing ones are
 * skipped: the check of the copy reports them. Links to the previous backup if that has a file of this digest and size.
 */
export async function copyAttachments(
  database: Database,
  places: Places,
  pace: Pace,
  step: (done: number, of: number) => void,
): Promise<CopiedAttachments> {
  const [files, of] = totals(database);
  await removeOthers(database, places.to);
  const made = new Set<string>();
  let [done, linked] = [0, 0];
  for (const rows of referred(database)) {
    for (const { n, digest } of rows) {
      const folder = dirname(bytesPath(places.to, n, digest));
      if (!made.has(folder)) await makeFolder(folder);
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
  return { files, size: of, linked };
}

/** Copies attachments again in place of damaged ones; also from the trash. */
export async function copyAgain({ from, to }: Places, n: number, digest: string): Promise<void> {
  await makeFolder(dirname(bytesPath(to, n, digest)));
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
async function removeOthers(database: Database, to: string): Promise<void> {
  const partitions = new Set(database.all('SELECT n FROM partitions WHERE id IS NOT NULL').map(([n]) => String(n)));
  const names = (await ifThere(() => readdir(attachmentsFolder(to)))) ?? [];
  for (const name of names) if (!partitions.has(name)) await rm(join(attachmentsFolder(to), name), { recursive: true });
}

const sizeOf = (some: readonly Bytes[]): number => some.reduce((sum, { size }) => sum + size, 0);
