import type { Failure } from '../files/failures.ts';
import type { StoreTimes } from '../port/store.ts';
import { failureOf, isBusy } from './failures.ts';
import type { Database } from './open.ts';

/** Number of WAL pages that starts a checkpoint (64 MB): pages that many commits write are then moved once. */
const enough = 8_192;
/** A WAL of more pages (128 MB) is restarted, which waits for readers. */
const mostPages = 16_384;
/** Delay after the last commit before the rest is moved, in milliseconds. */
const idle = 300;
/** Delay after a failed checkpoint, in milliseconds. */
const pause = 1_000;

/**
 * Checkpoints outside of commits, so that no write waits long for one. A failed one loses nothing and is retried:
 * SQLite counts pages as moved only after the sync of the file (`nBackfill`), so that the retry writes all of them once
 * more, as is required after a failed sync. https://sqlite.org/wal.html#ckpt, https://sqlite.org/walformat.html
 */
export class Checkpoints {
  readonly #database: Database;
  readonly #path: string;
  readonly #report: (failure: Failure | undefined) => void;
  readonly #timed: StoreTimes | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The WAL is restarted above so many pages. */
  #restartAbove = mostPages;

  /** `report` receives each failure, and undefined when a checkpoint works; `timed` how long each took. */
  constructor(database: Database, path: string, report: (failure: Failure | undefined) => void, timed?: StoreTimes) {
    this.#timed = timed;
    this.#database = database;
    this.#path = path;
    this.#report = report;
  }

  /** After a commit: starts a checkpoint, restarts a large WAL, or else waits for a quiet moment. */
  afterCommit(): void {
    this.#after(idle);
    const wal = this.#run('NOOP');
    if (wal === undefined) return;
    if (wal.pages - wal.moved > enough) this.#move('PASSIVE');
    if (wal.pages <= this.#restartAbove) return;
    // A long read transaction, such as that of a backup, blocks each restart until it ends: retry when the WAL has
    // doubled.
    this.#restartAbove = this.#move('RESTART') ? mostPages : 2 * wal.pages;
  }

  /** At the end: empties the WAL, if no other process reads it. */
  atEnd(): void {
    this.stop();
    this.#run('TRUNCATE');
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #after(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#move('PASSIVE'), milliseconds);
  }

  /** Returns whether nothing blocked it. */
  #move(how: 'PASSIVE' | 'RESTART'): boolean {
    const began = performance.now();
    const wal = this.#run(how);
    this.#timed?.('checkpoint', performance.now() - began);
    if (wal === undefined) this.#after(pause);
    else this.#report(undefined);
    return wal?.busy === false;
  }

  /**
   * Pages in the WAL, and how many of them are in the file already; undefined after a failure. `NOOP` only reads;
   * before SQLite 3.51 it is `PASSIVE`.
   */
  #run(how: 'NOOP' | 'PASSIVE' | 'RESTART' | 'TRUNCATE'): WalState | undefined {
    const waits = how === 'RESTART' || how === 'TRUNCATE';
    try {
      if (waits) this.#database.exec('PRAGMA busy_timeout = 1000');
      const [busy, pages, moved] = this.#database.get(`PRAGMA wal_checkpoint(${how})`) ?? [];
      return { busy: busy === 1, pages: Number(pages ?? 0), moved: Number(moved ?? 0) };
    } catch (error) {
      if (isBusy(error)) return { busy: true, pages: 0, moved: 0 };
      this.#report(failureOf(error, 'write', this.#path) ?? mistake(error));
      return undefined;
    } finally {
      if (waits) this.#database.exec('PRAGMA busy_timeout = 30000');
    }
  }
}

interface WalState {
  /** Another connection blocked it. */
  readonly busy: boolean;
  readonly pages: number;
  readonly moved: number;
}

const mistake = (error: unknown): Failure => ({
  reason: 'exception',
  message: `A checkpoint failed: ${String(error)}`,
  summary: 'Checkpoints fail.',
});
