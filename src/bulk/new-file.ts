import { open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { ownerOnly } from '../store/file-mode.ts';

/** Writes a file that is not there yet, for its owner alone; where that fails it is removed again. Throws Error where it is there. */
export async function writeNewFile<T>(path: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await openNew(path);
  try {
    return await write(file);
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined); // what failed is thrown
    throw error;
  } finally {
    await file.close();
  }
}

async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', ownerOnly.file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw new Error(`\`${path}\` is there already and is not written over; name another place.`, { cause: error });
  }
}
