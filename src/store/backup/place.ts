import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { link, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { attachmentsFolder } from '../files/attachments.ts';
import { auditFolder } from '../files/audit.ts';
import { isAbsent, syncFolder, syncFolders, writeWhole } from '../files/durable.ts';
import { restoringFolder } from '../files/left-behind.ts';
import { StoreRefused } from '../port/errors.ts';

/** In the staging folder while attachments and audit log have their final names, and the database has not. */
const markerName = 'placing';

/** Throws `StoreRefused` if a file or folder of a store exists at a path. */
export function requireNone(path: string): void {
  requireAbsent([path, `${path}-wal`, `${path}-shm`, `${path}-journal`]);
  const folders = [attachmentsFolder(path), auditFolder(path)];
  requireAbsent(folders.filter(one => existsSync(one) && !isEmptyFolder(one)));
}

function requireAbsent(paths: readonly string[]): void {
  const found = paths.find(existsSync);
  if (found === undefined) return;
  throw new StoreRefused(
    `\`${found}\` exists already, and a restore replaces nothing; move it, or name another file with \`--store\``,
  );
}

/** False for a link to a folder: restored files would not be where it leads. */
function isEmptyFolder(path: string): boolean {
  return lstatSync(path).isDirectory() && readdirSync(path).length === 0;
}

/**
 * Removes the remains of an interrupted restore: the folder and, if it has the marker, the files that got their final
 * names. Without the marker the files beside it may be in use.
 */
export async function removeInterrupted(path: string): Promise<void> {
  const staging = restoringFolder(path);
  if (existsSync(path) || !existsSync(staging)) return;
  if (existsSync(join(staging, markerName)))
    for (const placed of [attachmentsFolder(path), auditFolder(path)])
      await rm(placed, { recursive: true, force: true });
  await rm(staging, { recursive: true });
}

/** Gives attachments and audit log of a staged store their final names. */
export async function placeBeside(staged: string, path: string): Promise<void> {
  await syncFolders(dirname(staged));
  const marker = join(dirname(staged), markerName);
  await writeWhole(marker, '', `${marker}.new`);
  await syncFolder(dirname(staged));
  for (const folder of [attachmentsFolder, auditFolder])
    if (existsSync(folder(staged))) await rename(folder(staged), folder(path)); // over an empty folder too
  await syncFolder(dirname(path));
}

/** Gives the database its final name, and removes the staging folder: the store is complete. */
export async function placeDatabase(staged: string, path: string): Promise<void> {
  await rm(join(dirname(staged), markerName));
  await syncFolder(dirname(staged));
  await placeNew(staged, path);
  await syncFolder(dirname(path));
  await rm(dirname(staged), { recursive: true });
}

/** A link replaces nothing, unlike a rename. */
async function placeNew(staged: string, path: string): Promise<void> {
  try {
    await link(staged, path);
  } catch (error) {
    requireAbsent([path]);
    if (isAbsent(error)) throw error;
    await rename(staged, path); // a file system without links
  }
}
