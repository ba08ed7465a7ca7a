import { closeSync, fsyncSync, openSync, renameSync, utimesSync } from 'node:fs';
import { dirname } from 'node:path';
import { bytesPath, hasBytes, trashPath } from './attachments.ts';
import { isAbsent, makeFolder } from './durable.ts';

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
