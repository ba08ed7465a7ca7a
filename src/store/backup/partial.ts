import { existsSync } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ifThere, makeFolder, openNew, syncFolder, syncFolders, writeWhole } from '../files/durable.ts';
import { StoreRefused } from '../port/errors.ts';
import { databaseName, manifestName } from './manifest.ts';

const lockName = 'lock';
const newManifest = `${manifestName}.new`;
const attachmentsName = `${databaseName}.attachments`;
const ownNames = [databaseName, `${databaseName}-journal`, attachmentsName, `${databaseName}.audit`];

/** Locks a file until it is closed; throws `refusal()` if another process holds it for `wait` ms. */
type LockFile = (path: string, wait: number, refusal: () => StoreRefused) => Lock;

interface Lock {
  close(): void;
}

/**
 * The staging folder of a backup: `DIR.partial`, which gets the name of the backup when it is complete. One that an
 * interrupted run has left is reused: its attachments need not be copied again, since their names are their digests.
 */
export class PartialBackup {
  /** The database; attachments and audit log are beside it, as beside a store. */
  readonly file: string;
  readonly #folder: string;
  readonly #partial: string;
  readonly #lock: Lock;

  private constructor(folder: string, partial: string, lock: Lock) {
    this.file = join(partial, databaseName);
    this.#folder = folder;
    this.#partial = partial;
    this.#lock = lock;
  }

  /** Throws `StoreRefused` if the folder is not empty, or another backup into it runs. */
  static async begin(folder: string, lockFile: LockFile): Promise<PartialBackup> {
    const partial = `${folder}.partial`;
    makeFolder(dirname(folder));
    await requireEmpty(folder);
    await requireOwn(partial);
    makeFolder(partial);
    const lock = await lockFolder(partial, folder, lockFile);
    try {
      for (const name of await readdir(partial))
        if (name !== lockName && name !== attachmentsName) await rm(join(partial, name), { recursive: true });
      return new PartialBackup(folder, partial, lock);
    } catch (error) {
      lock.close();
      throw error;
    }
  }

  /** Makes it the backup: before this nothing is at its folder. Durable when it resolves. */
  async finish(manifest: string): Promise<void> {
    await syncFolders(this.#partial);
    await writeWhole(join(this.#partial, manifestName), manifest, join(this.#partial, newManifest));
    await syncFolder(this.#partial);
    await rename(this.#partial, this.#folder);
    this.#lock.close();
    await rm(join(this.#folder, lockName), { force: true });
    await syncFolder(this.#folder);
    await syncFolder(dirname(this.#folder));
  }

  /** Keeps it for the next run. */
  leave(): void {
    this.#lock.close();
  }

  /** Deletes all of it, after a full disk. */
  async remove(): Promise<void> {
    this.#lock.close();
    await rm(this.#partial, { recursive: true, force: true });
  }
}

async function requireEmpty(folder: string): Promise<void> {
  const names = await ifThere(() => readdir(folder));
  if (names === undefined) return;
  if (names.length > 0) throw new StoreRefused(`\`${folder}\` is not empty; name a new folder for each backup`);
  const [own, above] = await Promise.all([stat(folder), stat(dirname(folder))]);
  // A mount point cannot be replaced by a rename.
  if (own.dev !== above.dev) throw new StoreRefused(`\`${folder}\` is where a disk is mounted; name a folder in it`);
}

async function requireOwn(partial: string): Promise<void> {
  const known = [...ownNames, lockName, `${lockName}-journal`, manifestName, newManifest];
  const other = (await ifThere(() => readdir(partial)))?.find(name => !known.includes(name));
  if (other !== undefined)
    throw new StoreRefused(`\`${partial}\` has \`${other}\`, which is not of a backup; remove that folder first`);
}

/** The operating system releases the lock with the process, so it is never stale. */
async function lockFolder(partial: string, folder: string, lockFile: LockFile): Promise<Lock> {
  const path = join(partial, lockName);
  if (!existsSync(path)) await (await openNew(path)).close();
  const running = `Another backup into \`${folder}\` runs; wait for it, or name another folder`;
  return lockFile(path, 0, () => new StoreRefused(running));
}
