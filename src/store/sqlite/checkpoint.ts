import { type Database, isBusy } from './open.ts';

/** The WAL is moved into the file when so many pages wait (64 MB): the pages that many commits write are then moved once. */
const enough = 8_192;
/** A WAL of more pages than this (128 MB) is begun anew, which waits for readers. */
const mostPages = 16_384;
/** How long after the last commit the rest is moved, in milliseconds. */
const idle = 300;

/** Checkpoints outside of commits, so that no write waits long for one. https://sqlite.org/wal.html#ckpt */
export class Checkpoints {
  readonly #database: Database;
  #timer: NodeJS.Timeout | undefined;
  /** The WAL is restarted above so many pages. */
  #restartAbove = mostPages;

  constructor(database: Database) {
    this.#database = database;
  }

  /** After a commit: moves what has gathered, begins the WAL anew when it has grown, and else waits for a quiet moment. */
  afterCommit(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run('PASSIVE'), idle);
    const { pages, moved } = this.#run('NOOP');
    if (pages - moved > enough) this.#run('PASSIVE');
    if (pages <= this.#restartAbove) return;
    // A long read transaction, such as that of a backup, blocks each restart until it ends: retry when the WAL has doubled.
    this.#restartAbove = this.#run('RESTART').busy ? 2 * pages : mostPages;
  }

  /** At the end: an empty WAL, where no one else reads. */
  atEnd(): void {
    clearTimeout(this.#timer);
    this.#run('TRUNCATE');
  }

  /** Pages in the WAL, and how many of them are in the file already. `NOOP` only tells; before SQLite 3.51 it is `PASSIVE`. */
  #run(how: 'NOOP' | 'PASSIVE' | 'RESTART' | 'TRUNCATE'): { busy: boolean; pages: number; moved: number } {
    const waits = how === 'RESTART' || how === 'TRUNCATE';
    if (waits) this.#database.exec('PRAGMA busy_timeout = 1000');
    try {
      const [busy, pages, moved] = this.#database.get(`PRAGMA wal_checkpoint(${how})`) ?? [];
      return { busy: busy === 1, pages: Number(pages ?? 0), moved: Number(moved ?? 0) };
    } catch (error) {
      if (isBusy(error)) return { busy: true, pages: 0, moved: 0 };
      throw error;
    } finally {
      if (waits) this.#database.exec('PRAGMA busy_timeout = 30000');
    }
  }
}
