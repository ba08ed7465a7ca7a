import { fdatasyncSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Pace } from '../../backup/pace.ts';
import { openNew } from '../../files/durable.ts';
import { StoreRefused } from '../../port/errors.ts';
import type { Database } from '../open.ts';

/** Bytes per step, and per sync of the copy: a server's own syncs then wait for no more than these. */
const stepSize = 1024 * 1024;
const syncSize = 16 * stepSize;

/**
 * Copies the database as it is at one moment into a new file, on the disk when it resolves; gives that moment in
 * milliseconds since 1970: all that was acknowledged before is in the copy. Throws `StoreRefused` where the disk of the
 * store gets full.
 *
 * One read transaction lasts from the first page to the last. Without it SQLite starts the copy again with each commit
 * of another process, which under constant writes is for ever. `VACUUM INTO` reads in one transaction too, but at full
 * speed. The price is that the WAL of the store cannot be emptied meanwhile: it grows by what is written in that time.
 */
export async function copyDatabase(
  source: Database,
  { from, to, pace }: { readonly from: string; readonly to: string; readonly pace: Pace },
  step: (done: number, of: number) => void,
): Promise<number> {
  const pageSize = Number(source.get('PRAGMA page_size')?.[0]);
  requireSpace(from, to, Number(source.get('PRAGMA page_count')?.[0]) * pageSize);
  source.endMoment();
  const handle = await openNew(to);
  try {
    const time = Date.now();
    source.exec('BEGIN; SELECT 1 FROM meta LIMIT 1'); // the first statement that reads takes the snapshot
    const requireWalSpace = createWalCheck(from);
    const pages = Math.ceil(stepSize / pageSize);
    let unsynced = 0;
    await source.copyTo(to, pages, (left, of) => {
      step((of - left) * pageSize, of * pageSize);
      requireWalSpace();
      unsynced += pages * pageSize;
      if (unsynced >= syncSize) {
        fdatasyncSync(handle.fd);
        unsynced = 0;
      }
      pace.spendAsleep(pages * pageSize);
    });
    await handle.sync();
    const { size } = await handle.stat();
    step(size, size);
    return time;
  } finally {
    source.rollback();
    await handle.close();
  }
}

/** A copy on the disk of the store must not fill it. */
function requireSpace(from: string, to: string, size: number): void {
  const free = freeSpace(dirname(to));
  if (statSync(from).dev !== statSync(dirname(to)).dev || free > size) return;
  throw new StoreRefused(
    `The database takes ${size} bytes, but its disk has only ${free} left: name a folder on another disk`,
  );
}

/**
 * The WAL of a writing server may take a third of the space that was left: as much is needed to move it into the
 * database afterwards. Beyond that the backup ends.
 */
function createWalCheck(file: string): () => void {
  const sizeOfWal = (): number => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const before = sizeOfWal();
  return () => {
    if (2 * (sizeOfWal() - before) <= freeSpace(dirname(file))) return;
    const why = 'its write-ahead log grows until the database is copied';
    throw new StoreRefused(`The disk of \`${file}\` is nearly full: ${why}. Free space, or raise \`--pace\``);
  };
}

function freeSpace(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
