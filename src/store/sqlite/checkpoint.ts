import { type Database, isBusy } from './open.ts';

/** How often the WAL is moved into the file while it is written, in milliseconds. */
const interval = 200;
/** A WAL of more pages than this (128 MB) is begun anew, which waits for readers. */
const mostPages = 16_384;

/** Checkpoints outside of commits, so that no write waits for one. https://sqlite.org/wal.html#ckpt */
export class Checkpoints {
  readonly #database: Database;
  #last = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** After a commit: now and then moves what it can, and begins the WAL anew when it has grown. */
  afterCommit(): void {
    if (performance.now() - this.#last < interval) return;
    const pages = this.#run('PASSIVE');
    if (pages > mostPages) this.#run('RESTART');
    this.#last = performance.now();
  }

  /** At the end: an empty WAL, where no one else reads. */
  atEnd(): void {
    this.#run('TRUNCATE');
  }

  #run(how: 'PASSIVE' | 'RESTART' | 'TRUNCATE'): number {
    if (how !== 'PASSIVE') this.#database.exec('PRAGMA busy_timeout = 1000');
    try {
      return Number(this.#database.get(`PRAGMA wal_checkpoint(${how})`)?.[1] ?? 0);
    } catch (error) {
      if (isBusy(error)) return 0;
      throw error;
    } finally {
      if (how !== 'PASSIVE') this.#database.exec('PRAGMA busy_timeout = 30000');
    }
  }
}
