import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Sql, SqlValue } from './sql.ts';

export type Row = readonly SqlValue[];

/** How long a statement waits for a lock of another process, in milliseconds. */
const busyTimeout = 30_000;
/** Prepared statements that a connection keeps, and the longest of them: each takes many times its length. */
const keptStatements = 500;
const keptLength = 10_000;

/**
 * A connection to the file: `write` for the one that writes, `read` for one that only reads while others write,
 * `readOnly` where the file must not change at all. The only place that knows node:sqlite. Throws what SQLite throws.
 */
export function openDatabase(path: string, mode: 'write' | 'read' | 'readOnly'): Database {
  const database = new Database(
    new DatabaseSync(path, { timeout: busyTimeout, returnArrays: true, readOnly: mode === 'readOnly' }),
  );
  // The WAL grows while commits wait for no checkpoint: the writer worker makes those (checkpoint.ts).
  database.exec(
    'PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;',
  );
  if (mode === 'read') database.exec('PRAGMA query_only = 1');
  return database;
}

/** A connection without our settings, for the lock file; `timeout` in milliseconds. */
export function openBare(path: string, timeout: number): Database {
  return new Database(new DatabaseSync(path, { timeout, returnArrays: true }));
}

/** Whether an error says that another connection holds a lock. https://sqlite.org/rescode.html#busy */
export function isBusy(error: unknown): boolean {
  return isSqliteError(error) && (error.errcode & 0xff) === 5;
}

/** Whether SQLite says so itself. https://sqlite.org/rescode.html */
export function isSqliteError(error: unknown): error is Error & { readonly errcode: number } {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
}

/** A connection that keeps its prepared statements and gives rows as arrays. */
export class Database {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  all(text: string, values: readonly SqlValue[] = []): readonly Row[] {
    // The connection returns arrays, which its types do not say.
    return this.#prepare(text).all(...values) as unknown as readonly Row[];
  }

  get(text: string, values: readonly SqlValue[] = []): Row | undefined {
    return this.#prepare(text).get(...values) as unknown as Row | undefined;
  }

  run(text: string, values: readonly SqlValue[] = []): { readonly changes: number; readonly rowid: number } {
    const { changes, lastInsertRowid } = this.#prepare(text).run(...values);
    return { changes: Number(changes), rowid: Number(lastInsertRowid) };
  }

  /** A statement that is run often with a fixed number of values. */
  runner(text: string): (...values: SqlValue[]) => void {
    const statement = this.#database.prepare(text);
    return (...values) => void statement.run(...values);
  }

  query(statement: Sql): readonly Row[] {
    return this.all(statement.text, statement.values);
  }

  exec(text: string): void {
    this.#database.exec(text);
  }

  /** Everything that `work` reads is of one moment. */
  snapshot<T>(work: () => T): T {
    this.run('BEGIN');
    try {
      return work();
    } finally {
      this.run('COMMIT');
    }
  }

  /** All that `work` writes, or nothing of it. */
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

  /** Ends a transaction that SQLite may have ended by itself (a full disk). */
  rollback(): void {
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }

  /** A function without arguments for SQL, called each time anew. */
  define(name: string, call: () => SqlValue): void {
    this.#database.function(name, { deterministic: false }, call);
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepare(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    if (this.#statements.size >= keptStatements) {
      const oldest = this.#statements.keys().next();
      if (!oldest.done) this.#statements.delete(oldest.value);
    }
    const statement = this.#database.prepare(text);
    if (text.length <= keptLength) this.#statements.set(text, statement);
    return statement;
  }
}
