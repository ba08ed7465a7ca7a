import { open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { ownerOnly } from '../store/files/durable.ts';

/** Writes a new file, for its owner only, and removes it after an error. Throws Error if it exists. */
export async function writeNewFile<T>(path: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await openNew(path);
  try {
    return await write(file);
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined); // the first error is thrown
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
    throw new Error(`\`${path}\` exists already and is not overwritten; choose another path.`, { cause: error });
  }
}
