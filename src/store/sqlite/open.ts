import { backup, DatabaseSync, type StatementSync } from 'node:sqlite';
import { Cache } from '../../limits/cache.ts';
import { type Failure, unavailable } from '../files/failures.ts';
import { mostPageText } from '../port/pages.ts';
import { failureOf, isCannotOpen } from './failures.ts';
import { locationIn, readOnlyMode, type ReadOnlyMode } from './read-only.ts';
import type { Sql, SqlValue } from './sql.ts';
import { Trace, type Traced } from './trace.ts';

export type Row = readonly SqlValue[];

/** Rows of a page that are read in one call: their texts are bounded by those of so many records. */
const readAtOnce = 64;

/** How long a statement waits for a lock of another process, in milliseconds. */
const busyTimeout = 30_000;
/**
 * Number of cached prepared statements of a connection, and their maximum length: each uses many times its length in
 * memory.
 */
const keptStatements = 500;
const keptLength = 10_000;

/** Cached pages of a connection in kB. A server keeps what its searches read; a load reads few pages again. */
const cachedPages = { serve: 64 * 1024, command: 16 * 1024 } as const;

/** What a connection is used for. */
export type Use = keyof typeof cachedPages;

type Mode = 'write' | 'read' | 'readOnly' | 'immutable';

/**
 * A connection to the file: `write` for the one that writes, `read` for one that only reads while others write,
 * `readOnly` if the file must not change at all, `immutable` if no process writes to it: no file is created beside it.
 * The only module that uses node:sqlite. Throws SQLite's errors. Reads of a connection that only reads throw
 * `StoreUnavailable` if the file fails; `failed` is called before.
 */
export function openDatabase(
  path: string,
  mode: Mode,
  failed: (failure: Failure) => void = () => {},
  use: Use = 'serve',
): Database {
  try {
    return connect(path, mode, failed, use);
  } catch (error) {
    const how = mode === 'readOnly' && isCannotOpen(error) ? readOnlyMode(path) : undefined;
    if (how === undefined) throw error;
    return connect(path, how, failed, use);
  }
}

function connect(path: string, mode: Mode | ReadOnlyMode, failed: (failure: Failure) => void, use: Use): Database {
  const readOnly = mode !== 'write' && mode !== 'read';
  const database = new Database(
    new DatabaseSync(locationIn(path, mode), { timeout: busyTimeout, returnArrays: true, readOnly }),
    mode === 'write' ? undefined : { path, failed },
  );
  try {
    if (mode === 'unlocked') database.exec('PRAGMA locking_mode = EXCLUSIVE');
    // The WAL grows while commits wait for no checkpoint: the writer worker makes those (checkpoint.ts).
    database.exec(
      'PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; ' +
        `PRAGMA cache_size = -${cachedPages[use]};`,
    );
    if (mode === 'read') database.exec('PRAGMA query_only = 1');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A connection without our settings, for the lock file; `timeout` in milliseconds. */
export function openBare(path: string, timeout: number): Database {
  return new Database(new DatabaseSync(path, { timeout, returnArrays: true }), undefined);
}

/** The file that a connection only reads, and the handler of its failures. */
interface Reads {
  readonly path: string;
  readonly failed: (failure: Failure) => void;
}

/**
 * A connection that caches its prepared statements and returns rows as arrays. If it only reads, all reads of one
 * callback of the event loop, with everything that it awaits without another callback, are one snapshot: a transaction
 * per statement would cost more than most statements, and a longer one could return data from before a commit whose
 * result the caller already has.
 */
export class Database {
  readonly #database: DatabaseSync;
  readonly #statements = new Cache<StatementSync>(keptStatements);
  /** Undefined if it writes. */
  readonly #reads: Reads | undefined;
  #moment: object | undefined;
  #trace: Trace | undefined;
  /** Whether the function that counts candidates is defined. */
  #hasCount = false;

  constructor(database: DatabaseSync, reads: Reads | undefined) {
    this.#database = database;
    this.#reads = reads;
  }

  /** Identifies the snapshot of current reads. */
  get moment(): object {
    if (this.#moment !== undefined) return this.#moment;
    this.#prepare('BEGIN').run();
    const moment = {};
    this.#moment = moment;
    // Ticks run before promises: this one runs after all pending ones of both.
    queueMicrotask(() => process.nextTick(() => this.#moment === moment && this.endMoment()));
    return moment;
  }

  /** Later reads see the current state: for callers that have the result of a commit. */
  endMoment(): void {
    if (this.#moment === undefined) return;
    this.#moment = undefined;
    // SQLite ends a transaction itself after some errors; after others the end fails like the read before it. The error
    // is ignored: if the transaction stays open, the next read throws.
    try {
      if (this.#database.isTransaction) this.#prepare('COMMIT').run();
    } catch {
      if (this.#database.isTransaction) this.#tryRollback();
    }
  }

  #tryRollback(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {} // the next read throws
  }

  /** The record of the running explanation; undefined otherwise. */
  get trace(): Trace | undefined {
    return this.#trace;
  }

  /** Runs synchronous work and records its statements. */
  traced<T>(work: () => T): { readonly result: T; readonly trace: Traced } {
    const planOf = (text: string, values: readonly SqlValue[]): readonly Row[] =>
      this.#database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values) as unknown as readonly Row[];
    const trace = new Trace(planOf);
    // Once: a new definition makes SQLite prepare all statements again.
    if (!this.#hasCount) this.define('examined', () => this.#trace?.count() ?? 1);
    this.#hasCount = true;
    this.#trace = trace;
    try {
      const result = work();
      return { result, trace: trace.read() };
    } finally {
      this.#trace = undefined;
    }
  }

  all(text: string, values: readonly SqlValue[] = []): readonly Row[] {
    const trace = this.#trace;
    return trace === undefined ? this.#all(text, values) : trace.run(text, values, () => this.#all(text, values));
  }

  #all(text: string, values: readonly SqlValue[]): readonly Row[] {
    try {
      if (this.#reads !== undefined) void this.moment;
      // The connection returns arrays, which its types do not express.
      return this.#prepare(text).all(...values) as unknown as readonly Row[];
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /**
   * The rows of a page, whose last column is the text of a record: no more are read than one beyond those that fit on
   * it. Few rows are read at once, which is faster.
   */
  page(statement: Sql, want: number): readonly Row[] {
    if (want <= readAtOnce) return this.query(statement);
    const values: SqlValue[] = [];
    const text = statement.read(values);
    const trace = this.#trace;
    return trace === undefined ? this.#page(text, values) : trace.run(text, values, () => this.#page(text, values));
  }

  #page(text: string, values: readonly SqlValue[]): readonly Row[] {
    try {
      if (this.#reads !== undefined) void this.moment;
      const rows: Row[] = [];
      let characters = 0;
      for (const found of this.#prepare(text).iterate(...values)) {
        const row = found as unknown as Row; // the connection returns arrays
        rows.push(row);
        characters += String(row.at(-1) ?? '').length;
        if (characters > mostPageText) break;
      }
      return rows;
    } catch (error) {
      throw this.#failure(error);
    }
  }

  get(text: string, values: readonly SqlValue[] = []): Row | undefined {
    try {
      if (this.#reads !== undefined) void this.moment;
      return this.#prepare(text).get(...values) as unknown as Row | undefined;
    } catch (error) {
      throw this.#failure(error);
    }
  }

  run(text: string, values: readonly SqlValue[] = []): { readonly changes: number; readonly rowid: number } {
    const statement = this.#prepare(text);
    // After a commit the last rowid may be one of FTS5's own tables, beyond 2^53.
    statement.setReadBigInts(true);
    const { changes, lastInsertRowid } = statement.run(...values);
    return { changes: Number(changes), rowid: Number(lastInsertRowid) };
  }

  /** A statement that is run often with a fixed number of values. */
  runner(text: string): (...values: SqlValue[]) => void {
    const statement = this.#database.prepare(text);
    return (...values) => void statement.run(...values);
  }

  query(statement: Sql): readonly Row[] {
    const values: SqlValue[] = [];
    return this.all(statement.read(values), values);
  }

  exec(text: string): void {
    this.#database.exec(text);
  }

  /** Runs `work` atomically. */
  transaction<T>(work: () => T): T {
    this.run('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.run('COMMIT');
      return result;
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  /** Whether a transaction is open: SQLite ends one itself after some errors. */
  get isTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Ends a transaction that SQLite may have ended already (a full disk). */
  rollback(): void {
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }

  /**
   * Copies the database page by page into a file, which must not be read meanwhile. A commit of another connection
   * restarts the copy, unless a transaction of this one is open. `stepped` runs after each step of so many pages; if it
   * throws, the copy ends with its error. https://sqlite.org/c3ref/backup_finish.html
   */
  async copyTo(path: string, pages: number, stepped: (left: number, of: number) => void): Promise<void> {
    const progress = ({ remainingPages, totalPages }: Pages): void => stepped(remainingPages, totalPages);
    await backup(this.#database, path, { rate: pages, progress });
  }

  /** A SQL function without arguments, called each time. */
  define(name: string, call: () => SqlValue): void {
    this.#database.function(name, { deterministic: false }, call);
  }

  close(): void {
    this.endMoment();
    this.#statements.clear();
    this.#database.close();
  }

  /** The error of a failed read; the next one begins in its own transaction. */
  #failure(error: unknown): unknown {
    if (this.#reads === undefined) return error;
    const { path, failed } = this.#reads;
    const failure = failureOf(error, 'read', path);
    if (failure === undefined) return error;
    this.endMoment();
    failed(failure);
    return unavailable(failure, error);
  }

  #prepare(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(text);
    if (text.length <= keptLength) this.#statements.put(text, statement);
    return statement;
  }
}

interface Pages {
  readonly remainingPages: number;
  readonly totalPages: number;
}
