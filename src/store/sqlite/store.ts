import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DocumentStore } from '../documents.ts';
import type { Note, VerifyScope } from '../transfer.ts';
import type { IndexAdmin } from '../indexes.ts';
import type { Partition } from '../partitions.ts';
import type { Store, StoreOptions, StoreState, StoreWaiting } from '../store.ts';
import { StoreRefused, StoreUnavailable } from '../errors.ts';
import type { ChainPlace } from '../../audit/log/place.ts';
import { auditFiles } from './audit-files.ts';
import { type BytesFolder, sweepBytes } from './attachment-sweep.ts';
import { choresOf } from './background.ts';
import { doChores } from '../upkeep/chores.ts';
import { createBackgroundReport } from '../background-report.ts';
import { ownerOnly } from '../file-mode.ts';
import { Condition } from './condition.ts';
import { type Core, partitionIndex, register, submit } from './core.ts';
import { SqliteDocuments } from './documents.ts';
import { unavailable } from './failures.ts';
import { FileWatch, watchedFiles } from './file-watch.ts';
import { sqliteIndexes } from './indexes.ts';
import { Indexes } from '../upkeep/indexes.ts';
import { leftBehind, lostBytesNotice, refusal, requireNothingLeft } from './left-behind.ts';
import { lockForServing, serverRuns } from './lock.ts';
import { layoutOf, migrate, requireLayout } from './migrations.ts';
import { keptNotes, prepareNotes } from './notes.ts';
import { openDatabase } from './open.ts';
import { isCannotOpen, isSqliteError } from './sqlite-error.ts';
import { SqlitePartition } from './partition.ts';
import { SqlitePartitions } from './partitions.ts';
import { exposureNotice, makePrivate } from './private-files.ts';
import { registered } from './register-job.ts';
import { Readers } from './readers.ts';
import { refuseInterrupted } from './restoring.ts';
import { type Budgets, usualBudgets } from './budget.ts';
import { finishUpgrade } from './upgrade.ts';
import { verify } from '../upkeep/verify.ts';
import { bytesOf } from './verify-attachments.ts';
import { partsOf } from './verify-store.ts';
import { isMountedReadOnly } from './still.ts';
import { definitionsDigest, hasFullText } from './wanted.ts';
import { requireFullText } from './words-table.ts';
import { Writer } from './writer.ts';

/**
 * Opens the store in one SQLite file, created if it does not exist unless the mode is `read`. Throws `StoreRefused` for
 * a newer layout, a file with other content, remains of another store without its file, and a second server. Tests use
 * smaller budgets, so that few resources count as many.
 */
export async function openSqliteStore(
  file: string,
  options: StoreOptions,
  budgets: Budgets = usualBudgets,
): Promise<Store> {
  const path = resolve(file);
  refuseInterrupted(path);
  if (options.mode === 'read' && !existsSync(path)) throw new StoreRefused(`There is no store at \`${path}\``);
  const left = options.mode === 'read' ? [] : leftBehind(path);
  requireNothingLeft(path, left);
  mkdirSync(dirname(path), { recursive: true, mode: ownerOnly.folder });
  let lock: { release(): void } | undefined;
  try {
    if (options.mode === 'serve') lock = lockForServing(path);
    const unswept = prepareFile(path, options.mode, left);
    const readOnly = options.mode === 'read';
    const definitions = definitionsDigest(options.model);
    const condition = new Condition();
    const database = openDatabase(path, readOnly ? 'readOnly' : 'read', failure => condition.readFailed(failure));
    if (hasFullText(options.model)) requireFullText(database);
    // The first read creates the WAL, which is watched from here on.
    const isRegistered = !readOnly && registered(database) === definitions;
    const files = watchedFiles(path);
    const core: Core = {
      path,
      options,
      budgets,
      condition,
      database,
      writer: options.mode === 'read' ? undefined : new Writer({ path, mode: options.mode, files }, condition, options),
      readers: new Readers({ path, readOnly }, options.deadline, condition),
      known: new Map(),
      underWay: new Set(),
    };
    if (options.mode === 'serve' && !isRegistered) await register(core);
    if (options.mode === 'serve') await finishUpgrade(core);
    for (const text of [exposureNotice(path), lostBytesNotice(database, path)])
      if (text !== undefined) options.notice?.(text);
    return new SqliteStore(core, unswept, new FileWatch(files), lock);
  } catch (error) {
    lock?.release();
    const cause = error instanceof StoreUnavailable ? error.cause : error;
    if (!isSqliteError(cause)) throw error;
    const hint = isCannotOpen(cause) ? `; ${whyNotOpened(path)}` : '';
    throw new StoreRefused(`The store \`${path}\` cannot be opened: ${cause.message}${hint}`);
  }
}

const whyNotOpened = (path: string): string =>
  isMountedReadOnly(dirname(path))
    ? 'its disk is mounted read-only: commands that only read work, such as `verify`'
    : 'its folder must be writable';

/** How long a start may sweep attachments, in milliseconds: the rest runs in the background. */
const sweepTime = 500;

/** Creates or upgrades the file. Returns folders of attachments that are not swept yet; undefined for a new store. */
function prepareFile(
  path: string,
  mode: StoreOptions['mode'],
  left: readonly string[],
): readonly BytesFolder[] | undefined {
  if (mode !== 'read') makePrivate(path);
  const database = openDatabase(path, mode === 'read' ? 'readOnly' : 'write');
  try {
    if (mode === 'read') {
      requireLayout(database, path);
      return undefined;
    }
    const isNew = layoutOf(database, path) === 0;
    // Another process may be creating the store: its log exists before its layout.
    if (isNew && left.some(one => one !== `${path}-wal`)) throw refusal(path, left);
    migrate(database, path);
    return mode === 'serve' && !isNew ? sweepBytes(database, path, sweepTime) : undefined;
  } finally {
    database.close();
  }
}

/** How often a server checks that its file is still in place, in milliseconds. */
const watchEvery = 1_000;

/** Reports a removed or replaced file, once until it is back. */
function watchFiles({ condition, options }: Core, watch: FileWatch): () => void {
  const { worked, failed } = createBackgroundReport(options.fault);
  return () => {
    const failure = watch.failure();
    condition.lost(failure);
    if (failure === undefined) worked();
    else failed(unavailable(failure));
  };
}

class SqliteStore implements Store {
  readonly lacks = [];
  readonly partitions: SqlitePartitions;
  readonly indexes: IndexAdmin;
  readonly chains: ChainPlace;
  readonly #core: Core;
  readonly #indexes: ReturnType<typeof sqliteIndexes>;
  readonly #lock: { release(): void } | undefined;
  readonly #ending = new AbortController();
  readonly #work: Promise<void> | undefined;
  readonly #watching: NodeJS.Timeout | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    core: Core,
    unswept: readonly BytesFolder[] | undefined,
    watch: FileWatch,
    lock: { release(): void } | undefined,
  ) {
    this.#core = core;
    this.#lock = lock;
    this.partitions = new SqlitePartitions(core);
    this.#indexes = sqliteIndexes(core);
    this.indexes = new Indexes(this.#indexes);
    this.chains = auditFiles(core.path);
    if (core.options.mode !== 'serve') return;
    this.#work = doChores(choresOf(core, unswept), this.#ending.signal, core.options.fault);
    this.#watching = setInterval(watchFiles(core, watch), watchEvery).unref();
  }

  async partition(id: string): Promise<Partition | undefined> {
    const index = partitionIndex(this.#core, id);
    return index === undefined ? undefined : new SqlitePartition(this.#core, index);
  }

  documents(collection: string): DocumentStore {
    return new SqliteDocuments(this.#core, collection);
  }

  verify(scope?: VerifyScope): ReturnType<Store['verify']> {
    const { database, path } = this.#core;
    const parts = (partition: string | undefined): ReturnType<typeof partsOf> => partsOf(this.#core, partition);
    return verify({ indexes: this.#indexes, parts, bytes: ({ n }) => bytesOf(database, path, n) }, scope);
  }

  export(): AsyncIterable<Note> {
    return keptNotes(this.#core.database, this.#core.options.now());
  }

  async import(notes: readonly Note[]): Promise<void> {
    await submit(this.#core, () => prepareNotes(this.#core, notes));
  }

  async check(): Promise<StoreState> {
    if (this.#closed !== undefined) throw new Error('The store is closed');
    this.#core.database.endMoment();
    this.#core.database.get('SELECT value FROM meta LIMIT 1');
    const served = this.#lock !== undefined || serverRuns(this.#core.path);
    return { problems: this.#core.condition.problems(), served };
  }

  get waiting(): StoreWaiting {
    return { writes: this.#core.writer?.waiting ?? 0, searches: this.#core.readers.waiting };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#ending.abort();
    clearInterval(this.#watching);
    await this.#work;
    await Promise.allSettled(this.#core.underWay);
    await this.#core.readers.close();
    this.#core.database.close();
    await this.#core.writer?.close();
    this.#lock?.release();
  }
}
