import { randomUUID } from 'node:crypto';
import { closeSync, createReadStream, fsyncSync, openSync, renameSync, statSync, utimesSync } from 'node:fs';
import { open, rename, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { digestOf, isDigest, measure } from '../record/digest.ts';
import { ifThere, isAbsent, makeFolder, syncFolder, writeWhole } from './durable.ts';

/**
 * The folder of a partition's attachments beside the file of the store: in it a folder by the first two digits of the
 * digest, with the files. Partitions are identified by number, since ids may differ by case only, and may be reused
 * after a removal.
 */
export function attachmentsFolder(file: string, n?: number, digits?: string): string {
  return join(
    `${file}.attachments`,
    ...(n === undefined ? [] : [String(n)]),
    ...(digits === undefined ? [] : [digits]),
  );
}

export function bytesPath(file: string, n: number, digest: string): string {
  return join(attachmentsFolder(file, n, digest.slice(0, 2)), digest);
}

/**
 * The folder of a partition's attachments before a sweep deletes them: inside that of the partition, with the same
 * folders.
 */
export function trashFolder(file: string, n: number, digits?: string): string {
  return join(attachmentsFolder(file, n), 'trash', ...(digits === undefined ? [] : [digits]));
}

export function trashPath(file: string, n: number, digest: string): string {
  return join(trashFolder(file, n, digest.slice(0, 2)), digest);
}

/** Where the bytes of a digest may be; the first is tried again finally, since a sweep may restore them meanwhile. */
export function placesOf(file: string, n: number, digest: string): readonly string[] {
  const path = bytesPath(file, n, digest);
  return [path, trashPath(file, n, digest), path];
}

/** Whether a file of this size exists. */
export function hasBytes(path: string, size: number): boolean {
  return statSync(path, { throwIfNoEntry: false })?.size === size;
}

/** Stores bytes by their digest, which is returned; equal bytes once. Durable when it resolves. */
export async function keepBytes(file: string, n: number, bytes: Uint8Array): Promise<string> {
  const digest = await digestOf(bytes);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await keep(file, n, digest, bytes);
      return digest;
    } catch (error) {
      // The folder is created with the first bytes in it. A sweep may move bytes to the trash, and back, while they are
      // read.
      if (!isAbsent(error) || attempt === 4) throw error;
      const folder = dirname(bytesPath(file, n, digest));
      durable.delete(folder);
      makeFolder(folder);
    }
  }
}

/** The bytes of a digest, also from the trash; undefined if they do not exist. */
export async function openBytes(file: string, n: number, digest: string): Promise<Readable | undefined> {
  if (!isDigest(digest)) return undefined;
  for (const place of placesOf(file, n, digest)) {
    const handle = await ifThere(() => open(place));
    if (handle !== undefined) return handle.createReadStream();
  }
  return undefined;
}

/** Bytes of a file that are read at once. */
const mostAtOnce = 1024 * 1024;

/**
 * Size and digest of the bytes in a file. Throws its errors. The buffer is no larger than the file: V8 collects all
 * garbage whenever 64 MB of buffers have been made, which took as long as the rest of a create.
 */
export async function measureFile(path: string): ReturnType<typeof measure> {
  const { size } = await stat(path);
  return measure(createReadStream(path, { highWaterMark: Math.min(Math.max(size, 1), mostAtOnce) }));
}

async function keep(file: string, n: number, digest: string, bytes: Uint8Array): Promise<void> {
  const [path, inTrash] = [bytesPath(file, n, digest), trashPath(file, n, digest)];
  // Their time is the start of their wait for a record.
  if (await isWhole(path, digest, bytes.length)) await utimes(path, new Date(), new Date());
  else if (await isWhole(inTrash, digest, bytes.length)) {
    await utimes(inTrash, new Date(), new Date());
    await rename(inTrash, path);
  } else await writeWhole(path, bytes, `${path}.${randomUUID()}`); // a sweep deletes what a crash leaves
  await syncNames(dirname(path));
}

/** Also false if the bytes cannot be read: they are then written again. */
async function isWhole(path: string, digest: string, size: number): Promise<boolean> {
  try {
    return hasBytes(path, size) && (await measureFile(path)).digest === digest;
  } catch {
    return false;
  }
}

/**
 * Folders that are durable with their parents in the knowledge of this process: it or another one may have just created
 * them.
 */
const durable = new Set<string>();

/** Makes the names in a folder of bytes durable, and that of the folder itself. */
async function syncNames(folder: string): Promise<void> {
  await syncFolder(folder);
  if (durable.has(folder)) return;
  const partition = dirname(folder);
  for (const above of [partition, dirname(partition), dirname(dirname(partition))]) await syncFolder(above);
  durable.add(folder);
}

/**
 * Whether bytes of this size exist; those that are only in the trash are restored. For a transaction that writes a
 * record that references them: none are swept during it.
 */
export function claimBytes(file: string, n: number, digest: string, size: number): boolean {
  if (hasBytes(bytesPath(file, n, digest), size)) return true;
  if (hasBytes(trashPath(file, n, digest), size)) takeBack(file, n, digest);
  return hasBytes(bytesPath(file, n, digest), size);
}

/** Moves bytes to the trash. The time of the file is then the start of its time there. */
export function moveToTrash(file: string, n: number, digest: string): void {
  move(bytesPath(file, n, digest), trashPath(file, n, digest));
}

/** Restores bytes from the trash, durably; their wait for a record starts again. */
export function takeBack(file: string, n: number, digest: string): void {
  const path = bytesPath(file, n, digest);
  move(trashPath(file, n, digest), path);
  if (process.platform === 'win32') return; // it opens no folder
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** The new time first: a process that is killed in between leaves bytes that are not deleted soon. */
function move(from: string, to: string): void {
  makeFolder(dirname(to));
  try {
    utimesSync(from, new Date(), new Date());
    renameSync(from, to);
  } catch (error) {
    if (!isAbsent(error)) throw error; // a process that puts the same bytes restores them too
  }
}
