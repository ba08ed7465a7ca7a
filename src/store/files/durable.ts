import { closeSync, fsync, mkdirSync, open as openFile, openSync, statSync, writeFile } from 'node:fs';
import { chmod, constants, copyFile, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Modes of files and folders with health data: readable by their owner only, whatever the umask. Windows has no such
 * bits.
 */
export const ownerOnly = { file: 0o600, folder: 0o700 } as const;

// Calls that write or change names may wait for a disk and run in libuv's threads. Others, which the system answers
// from memory, are called directly: passing a call to a thread takes longer than the call.
const [create, write, flush] = [promisify(openFile), promisify(writeFile), promisify(fsync)];

/** The result of work on a file or folder; undefined if that does not exist. */
export async function ifThere<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

export function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/**
 * Creates a folder and its parents if they do not exist, for their owner only; returns the first that it created.
 * Node's `recursive` never ends where the parent exists and no folder can be created in it, as in `/proc`.
 */
export function makeFolder(folder: string, mode: number = ownerOnly.folder): string | undefined {
  try {
    return makeOne(folder, mode);
  } catch (error) {
    if (!isAbsent(error) || dirname(folder) === folder) throw error;
  }
  const above = makeFolder(dirname(folder), mode);
  const made = makeOne(folder, mode);
  return above ?? made;
}

/** Returns it unless it exists. */
function makeOne(folder: string, mode: number): string | undefined {
  try {
    mkdirSync(folder, mode);
    return folder;
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return undefined;
    throw error;
  }
}

/** A new file, open for writing. Throws if it exists. */
export function openNew(path: string): ReturnType<typeof open> {
  return open(path, 'wx', ownerOnly.file);
}

/** Bytes of a file that are written at once: a slow disk then has a thread for a short time only. */
const slice = 512 * 1024;

/** Writes a file atomically, by way of a temporary one beside it; `syncFolder` then makes its name durable. */
export async function writeWhole(path: string, content: Uint8Array | string, temporary: string): Promise<void> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  try {
    const file = await create(temporary, 'wx', ownerOnly.file);
    await closing(file, async () => {
      for (let at = 0; at < bytes.length; at += slice) await write(file, bytes.subarray(at, at + slice));
      await flush(file);
    });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined); // the first error is thrown
    throw error;
  }
}

/** Copies a file, replacing `to`; durable when it resolves. File systems that can share its blocks do so. */
export async function copyPrivate(from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  await chmod(to, ownerOnly.file);
  await sync(to, 'r+');
}

/** Makes the names in a folder durable; Windows does so automatically, and cannot open folders. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform !== 'win32') await sync(folder, 'r');
}

/** Makes all names below a folder durable, and the folder itself. */
export async function syncFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await syncFolders(join(folder, entry.name));
  await syncFolder(folder);
}

async function sync(path: string, flags: string): Promise<void> {
  const file = openSync(path, flags);
  await closing(file, () => flush(file));
}

async function closing(file: number, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } finally {
    closeSync(file);
  }
}
