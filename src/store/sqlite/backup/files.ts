import { createReadStream } from 'node:fs';
import { chmod, constants, copyFile, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { measure } from '../../digest.ts';
import { ownerOnly } from '../../file-mode.ts';
import { syncFolder } from '../attachment-files.ts';
import type { Pace } from './pace.ts';

/** Bytes per read. */
const readSize = 1024 * 1024;

/** Creates a folder and its parents if they do not exist. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: ownerOnly.folder });
}

/** A new file, open for writing. Throws if it exists. */
export function openNew(path: string): ReturnType<typeof open> {
  return open(path, 'wx', ownerOnly.file);
}

/** Copies a file, replacing `to`; durable when it resolves. File systems that can share its blocks do so. */
export async function copyPrivate(from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  await chmod(to, ownerOnly.file);
  const handle = await open(to, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes a file atomically. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  await rm(temporary, { force: true });
  const handle = await openNew(temporary);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

/** Makes all names below a folder durable, and the folder itself. */
export async function syncFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await syncFolders(join(folder, entry.name));
  await syncFolder(folder);
}

/** SHA-256 of a file, in hex; `step` receives the number of bytes read so far. */
export async function digestOfFile(path: string, pace?: Pace, step?: (done: number) => void): Promise<string> {
  return (await measure(read(path, pace, step))).digest;
}

async function* read(path: string, pace?: Pace, step?: (done: number) => void): AsyncIterable<Uint8Array> {
  let done = 0;
  for await (const bytes of createReadStream(path, { highWaterMark: readSize })) {
    const part = bytes as Buffer; // a stream without encoding gives bytes
    yield part;
    done += part.length;
    step?.(done);
    await pace?.spend(part.length);
  }
}
