import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, utimesSync } from 'node:fs';
import { dirname } from 'node:path';
import { ownerOnly } from '../file-mode.ts';
import { bytesPath, hasBytes, isAbsent, trashPath } from './attachment-files.ts';

/**
 * Whether bytes of this size are kept; those that are in the trash alone are taken back. For a transaction that writes
 * what refers to them: none are swept while it runs.
 */
export function claimBytes(file: string, n: number, digest: string, size: number): boolean {
  if (hasBytes(bytesPath(file, n, digest), size)) return true;
  if (hasBytes(trashPath(file, n, digest), size)) takeBack(file, n, digest);
  return hasBytes(bytesPath(file, n, digest), size);
}

/** Moves bytes to the trash. The time of the file is then since when they are there. */
export function moveToTrash(file: string, n: number, digest: string): void {
  move(bytesPath(file, n, digest), trashPath(file, n, digest));
}

/** Moves bytes back to where records look for them, on the disk when it returns; they wait for a record anew. */
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

/** The new time first: a process that is killed in between leaves bytes that nothing deletes soon. */
function move(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: ownerOnly.folder });
  try {
    utimesSync(from, new Date(), new Date());
    renameSync(from, to);
  } catch (error) {
    if (!isAbsent(error)) throw error; // whoever puts the same bytes again takes them back too
  }
}
