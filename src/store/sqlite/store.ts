import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { ChainPlace } from '../audit/line.ts';
import { auditChains } from '../files/audit.ts';
import { Condition, FileWatch, watchedFiles } from '../files/condition.ts';
import { makeFolder } from '../files/durable.ts';
import type { Failure } from '../files/failures.ts';
import {
  exposureNotice,
  leftBehind,
  lostBytesNotice,
  makePrivate,
  refusal,
  refuseInterrupted,
  requireNothingLeft,
} from '../files/left-behind.ts';
import { type BytesFolder, bytesOf, sweepBytes } from '../files/sweep.ts';
import type { DocumentStore } from '../port/documents.ts';
import { StoreRefused } from '../port/errors.ts';
import type { IndexAdmin } from '../port/indexes.ts';
import type { Partition } from '../port/partitions.ts';
import type { StoreDefinitions } from '../port/definitions.ts';
import type { Store, StoreOptions, StoreState, StoreWaiting } from '../port/store.ts';
import type { Note, VerifyScope } from '../port/transfer.ts';
import type { WriteRelay } from '../server/relay.ts';
import { modelDigest } from '../upkeep/definitions.ts';
import { Indexes } from '../upkeep/indexes.ts';
import { verify } from '../upkeep/verify.ts';
import { changeTo } from '../upkeep/views.ts';
import { knownAttachments } from './attachments.ts';
import { noUpkeep, startUpkeep, type Upkeep } from './background.ts';
import { type Budgets, usualBudgets } from './budget.ts';
import { type Core, partitionIndex, register, submit } from './core.ts';
import { definitionsDigest, hasFullText } from './declared-indexes.ts';
import { keptNotes, prepareNotes, SqliteDocuments } from './documents.ts';
import { openingError } from './failures.ts';
import { registered } from './index-jobs.ts';
import { sqliteIndexes } from './indexes.ts';
import type { SentJob } from './jobs.ts';
import { lockForServing, serverRuns } from './lock.ts';
import { layoutOf, migrate, requireLayout } from './migrations.ts';
import { coreIn } from './defining.ts';
import { openDatabase } from './open.ts';
import { SqlitePartition } from './partition.ts';
import { SqlitePartitions } from './partitions.ts';
import { isMountedReadOnly } from './read-only.ts';
import { Readers } from './readers.ts';
import { partsOf } from './verify-store.ts';
import { requireFullText } from './words-table.ts';
import { RelayedWriter, Writer } from './writer.ts';

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
  if (options.relay !== undefined) return openBeside(path, options, options.relay, budgets);
  refuseInterrupted(path);
  if (options.mode === 'read' && !existsSync(path)) throw new StoreRefused(`There is no store at \`${path}\``);
  const left = options.mode === 'read' ? [] : leftBehind(path);
  requireNothingLeft(path, left);
  makeFolder(dirname(path));
  let lock: { release(): void } | undefined;
  try {
    if (options.mode === 'serve') lock = lockForServing(path);
    const unswept = prepareFile(path, options.mode, left);
    const readOnly = options.mode === 'read';
    const condition = new Condition();
    const failed = (failure: Failure): void => condition.readFailed(failure);
    const use = options.mode === 'command' ? 'command' : 'serve';
    const database = openDatabase(path, readOnly ? 'readOnly' : 'read', failed, use);
    // The first read creates the WAL, which is watched from here on.
    const before = readOnly ? undefined : registered(database);
    const files = watchedFiles(path);
    const writer =
      options.mode === 'read' ? undefined : new Writer({ path, mode: options.mode, files }, condition, options);
    const readers = new Readers({ path, readOnly }, options.deadline, condition, options.processes);
    const core = await chosenCore({ path, options, budgets, condition, database, writer, readers });
    const { model } = core.options;
    if (hasFullText(model)) requireFullText(database);
    if (options.mode === 'serve' && before !== definitionsDigest(model)) await register(core);
    const hasAttachments = (): boolean => database.get('SELECT 1 FROM attachments LIMIT 1') !== undefined;
    for (const text of [exposureNotice(path), lostBytesNotice(path, hasAttachments)])
      if (text !== undefined) options.notice?.(text);
    const relay = writer && {
      commit: (job: unknown) => writer.commit(job as SentJob), // of RelayedWriter
      problems: async () => (await store.check()).problems,
      failed(doing: 'read' | 'write', summary: string) {
        if (doing === 'read') condition.readFailed({ summary });
        else condition.writeFailed({ summary });
      },
    };
    const store: Store = new SqliteStore(core, startUpkeep(core, unswept, new FileWatch(files), lock), relay);
    return store;
  } catch (error) {
    lock?.release();
    throw openingError(error, path, () => `; ${whyNotOpened(path)}`);
  }
}

/** Opens the store for a process beside the one that serves it, which writes, and has created or upgraded the file. */
async function openBeside(path: string, options: StoreOptions, relay: WriteRelay, budgets: Budgets): Promise<Store> {
  const condition = new Condition((doing, summary) => relay.failed(doing, summary));
  const database = openDatabase(path, 'read', failure => condition.readFailed(failure));
  const writer = new RelayedWriter(relay);
  const readers = new Readers({ path, readOnly: false }, options.deadline, condition, options.processes);
  const core = await chosenCore({ path, options, budgets, condition, database, writer, readers });
  return new SqliteStore(core, noUpkeep(core), undefined);
}

/** The core with the definitions that the options choose. */
async function chosenCore(parts: Omit<Core, 'known' | 'views' | 'underWay'>): Promise<Core> {
  const { options } = parts;
  const views = { latest: undefined, changing: undefined };
  const opened: Core = { ...parts, known: new Map(), views, underWay: new Set() };
  const chosen = await options.choose?.(collection => new SqliteDocuments(opened, collection));
  return { ...opened, options: { ...options, ...chosen, choose: undefined } };
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
    return mode === 'serve' && !isNew
      ? sweepBytes(knownAttachments(database), path, sweepTime, sweep => database.transaction(sweep))
      : undefined;
  } finally {
    database.close();
  }
}

class SqliteStore implements Store {
  readonly lacks = [];
  readonly relay: WriteRelay | undefined;
  readonly partitions: SqlitePartitions;
  readonly indexes: IndexAdmin;
  readonly chains: ChainPlace;
  readonly #core: Core;
  readonly #indexes: ReturnType<typeof sqliteIndexes>;
  readonly #upkeep: Upkeep;

  constructor(core: Core, upkeep: Upkeep, relay: WriteRelay | undefined) {
    this.#core = core;
    this.relay = relay;
    this.#upkeep = upkeep;
    this.partitions = new SqlitePartitions(core);
    this.#indexes = sqliteIndexes(core);
    this.indexes = new Indexes(this.#indexes);
    this.chains = auditChains(core.path);
  }

  async partition(id: string): Promise<Partition | undefined> {
    const index = partitionIndex(this.#core, id);
    if (index === undefined) return undefined;
    return new SqlitePartition(index.changes === 0 ? this.#core : await coreIn(this.#core, id), index);
  }

  documents(collection: string): DocumentStore {
    return new SqliteDocuments(this.#core, collection);
  }

  verify(scope?: VerifyScope): ReturnType<Store['verify']> {
    const { database, path } = this.#core;
    const parts = (partition: string | undefined): ReturnType<typeof partsOf> => partsOf(this.#core, partition);
    return verify(
      { indexes: this.#indexes, parts, bytes: ({ n }) => bytesOf(knownAttachments(database), path, n) },
      scope,
    );
  }

  export(): AsyncIterable<Note> {
    return keptNotes(this.#core.database, this.#core.options.now());
  }

  async import(notes: readonly Note[]): Promise<void> {
    await submit(this.#core, () => prepareNotes(this.#core, notes));
  }

  async redefine(definitions: StoreDefinitions, lead: boolean): Promise<Store> {
    const { options, database } = this.#core;
    const core: Core = { ...this.#core, options: { ...options, ...definitions }, known: new Map() };
    if (hasFullText(definitions.model)) requireFullText(database);
    const isKnown = !lead || registered(database) === definitionsDigest(definitions.model);
    await changeTo(core, async () => (isKnown ? undefined : register(core)));
    return new SqliteStore(core, this.#upkeep, this.relay);
  }

  async check(): Promise<StoreState> {
    if (this.#upkeep.isClosed) throw new Error('The store is closed');
    const { database, condition, path, writer } = this.#core;
    const problems = new Set([...condition.problems(), ...((await writer?.problems()) ?? [])]);
    database.endMoment();
    const definitions = registered(database);
    const served = this.#upkeep.serves || serverRuns(path);
    return { problems: [...problems], served, definitions: modelDigest(definitions) };
  }

  get waiting(): StoreWaiting {
    return { writes: this.#core.writer?.waiting ?? 0, searches: this.#core.readers.waiting };
  }

  close(): Promise<void> {
    return this.#upkeep.close();
  }
}
