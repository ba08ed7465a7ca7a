import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Query } from '../../search/ast.ts';
import { isIndexedOrder } from '../../search/sort.ts';
import { attachmentsFolder, keepBytes, openBytes } from '../files/attachments.ts';
import { unavailable } from '../files/failures.ts';
import type { Doing } from '../files/failures.ts';
import { parseOwners } from '../keys/owners.ts';
import { sortedPage } from '../keys/sorted.ts';
import {
  AttachmentMissing,
  KeyUsed,
  RequirementFailed,
  SeveralMatch,
  StoreRefused,
  VersionConflict,
} from '../port/errors.ts';
import type { Explain } from '../port/explained.ts';
import { fitting } from '../port/pages.ts';
import type { Partition, PartitionSettings } from '../port/partitions.ts';
import type {
  Change,
  Mark,
  Page,
  RecordKey,
  Referred,
  StoreSearch,
  StoredVersion,
  WriteKey,
  WriteOptions,
  WriteResult,
} from '../port/records.ts';
import type { StoreDefinitions } from '../port/definitions.ts';
import type { HistoryScope, KeptVersion, MomentPage, MomentScope, VersionScope } from '../port/transfer.ts';
import { definingKeys, requireStillDeclared } from '../record/changes.ts';
import { countUses } from '../server/index-usage.ts';
import { exportVersions, recordsAt } from '../upkeep/versions.ts';
import type { VersionDriver } from '../upkeep/versions.ts';
import { partitionIndex, submit, valueOf } from './core.ts';
import type { Applied, Core } from './core.ts';
import { coreIn, registerStored } from './defining.ts';
import type { Job } from './jobs.ts';
import { find } from './find.ts';
import { countMatches } from './count.ts';
import type { LoweredCount } from './count.ts';
import type { PartitionIndex, TypeIndex } from './dictionary.ts';
import { explainCount, explainFind } from './explain.ts';
import { failureOf } from './failures.ts';
import type { FoundRow } from './found.ts';
import { nextKeys, versionsAt } from './history.ts';
import { lower, referenceTermsOf } from './lower.ts';
import type { LoweredSearch } from './lower.ts';
import { earlier, resultsOf } from './note-jobs.ts';
import { lowerPosition, lowerSort, positionOf } from './order.ts';
import type { Key } from './order.ts';
import { prepareWrite } from './prepare.ts';
import { askReferring, referringInTurns } from './requirements.ts';
import { prepareRestore, typeNumber } from './restore.ts';
import { resourcesOf } from './source.ts';
import { currentSliceOf, keptTypes, keptVersions, ownedVersion, versionsUntil } from './versions.ts';
import type { NamedType } from './versions.ts';

/** Number of resources that `readMany` reads before the event loop gets a turn. */
const readSlice = 200;

export class SqlitePartition implements Partition {
  readonly id: string;
  readonly settings: PartitionSettings;
  readonly #core: Core;

  /** `core`: that with the definitions of the partition. */
  constructor(core: Core, { id, settings }: PartitionIndex) {
    this.#core = core;
    this.id = id;
    this.settings = settings;
  }

  get definitions(): StoreDefinitions {
    return this.#core.options;
  }

  async read(type: string, id: string, version?: number): Promise<StoredVersion | undefined> {
    const index = this.#find(type);
    if (index === undefined) return undefined;
    const current = this.#current(index, id);
    if (version === undefined || current?.version === version) return current;
    const row = this.#core.database.get(
      'SELECT id, version, last_updated, owners, text FROM versions WHERE t = ? AND id = ? AND version = ?',
      [index.t, id, version],
    );
    return row === undefined ? undefined : ownedVersion(type, index.type, row);
  }

  async readMany(keys: readonly { readonly type: string; readonly id: string }[]): Promise<readonly StoredVersion[]> {
    const found: StoredVersion[] = [];
    let ids: string[] = [];
    for (const [at, { type, id }] of keys.entries()) {
      ids.push(id);
      if (type === keys[at + 1]?.type && ids.length < readSlice) continue;
      const index = this.#find(type);
      if (index !== undefined) found.push(...this.#currentOf(index, ids));
      if (ids.length === readSlice) await setImmediate();
      ids = [];
    }
    return found;
  }

  async search(type: string, given: StoreSearch): Promise<Page> {
    const { query, sort, limit, after, explain } = given;
    const index = this.#type(type);
    if (!isIndexedOrder(index.type, sort)) return sortedPage(this, index.type, given, this.#core.options);
    const keys = lowerSort(sort, index);
    const lowered = this.#lowered(query, index);
    const sorts = keys.flatMap(({ p }) => (p === 0 ? [] : p));
    countUses(this.#core.options.used, index, [lowered.clause], sorts);
    const search: LoweredSearch = {
      ...lowered,
      keys,
      limit,
      after: after === undefined ? undefined : lowerPosition(after, keys),
    };
    const finding = explain === undefined ? find(this.#core, search) : explainFind(this.#core, index, search, explain);
    const rows = finding instanceof Promise ? await finding : finding;
    const found = rows.slice(0, fitting(rows, limit));
    const last = rows.length > found.length ? found.at(-1) : undefined;
    return {
      versions: found.map(row => foundVersion(index, row, keys)),
      next: last === undefined ? undefined : positionOf(last.keys, last.id, keys),
    };
  }

  async count(type: string, query?: Query, explain?: Explain): Promise<number> {
    const { database, readers, budgets } = this.#core;
    if (query === undefined) return resourcesOf(database, this.#find(type)?.t ?? 0);
    const index = this.#type(type);
    const count = this.#lowered(query, index);
    countUses(this.#core.options.used, index, [count.clause]);
    if (explain !== undefined) return explainCount(this.#core, index, count, explain);
    const known = countMatches(database, count, budgets.eventLoop);
    if (known !== undefined) return known;
    const answer = await readers.ask({ kind: 'count', count, budget: budgets.reader });
    return answer.kind === 'count' ? answer.count : 0;
  }

  async types(referringTo?: Referred): Promise<readonly string[]> {
    const { database } = this.#core;
    const partition = partitionIndex(this.#core, this.id);
    if (partition === undefined) return [];
    const all = [...partition.types.values()];
    if (referringTo === undefined) return namesOf(all.filter(({ t }) => resourcesOf(database, t) > 0));
    const found = await referringInTurns(database, askReferring(this.#core, partition, referringTo));
    return namesOf(all.filter(({ codes }) => found.some(p => codes.has(p))));
  }

  async write(changes: readonly Change[], options: WriteOptions = {}): Promise<readonly WriteResult[]> {
    if (changes.length === 0 && options.key !== undefined) return this.#repeated(options.key);
    const result = await this.#submit(latest => {
      requireStillDeclared(this.#core.options.model, latest.options.model, changes, options.requires);
      return prepareWrite(latest, this.id, changes, options);
    });
    if (result.kind !== 'written') throw refusal(result);
    await this.#defined(changes);
    return resultsOf(result.results, result.repeated);
  }

  async putAttachment(bytes: Uint8Array): Promise<{ digest: string; size: number }> {
    const { writer, path } = this.#core;
    if (writer === undefined) throw new StoreRefused('The store is open for reading only');
    const n = this.#number();
    const digest = await this.#onFiles('write', () => keepBytes(path, n, bytes));
    return { digest, size: bytes.length };
  }

  async attachment(digest: string): Promise<Readable | undefined> {
    const n = partitionIndex(this.#core, this.id)?.n;
    return n === undefined ? undefined : this.#onFiles('read', () => openBytes(this.#core.path, n, digest));
  }

  export(scope?: VersionScope | HistoryScope): AsyncIterable<KeptVersion> {
    return exportVersions(this.#versions(), scope);
  }

  async moment(): Promise<number> {
    const n = this.#number();
    return Number(valueOf(await submit(this.#core, latest => ({ kind: 'moment', n, now: latest.options.now() }))));
  }

  at(scope: MomentScope): AsyncIterable<MomentPage> {
    return recordsAt(this.#versions(), scope);
  }

  #versions(): VersionDriver {
    const { database, options } = this.#core;
    const n = this.#number();
    const place = { database, n, model: options.model };
    const number = (type: string): number => typeNumber(database, n, type);
    const named = (name: string): NamedType => ({ name, declared: options.model.types.get(name) });
    return {
      types: async () => keptTypes(database, n),
      versions: (type, after) => keptVersions(database, number(type), type, after),
      keys: one => nextKeys(place, one),
      at: keys => versionsAt(place, keys),
      current: async (type, after) => currentSliceOf(database, number(type), named(type), after),
      until: async (type, ids, time) => versionsUntil(database, number(type), named(type), ids, time),
    };
  }

  async import(versions: readonly KeptVersion[], { mark }: { readonly mark?: Mark } = {}): Promise<void> {
    const result = await this.#submit(latest => prepareRestore(latest, this.id, versions, mark));
    if (result.kind !== 'done') throw refusal(result);
    await this.#defined(versions);
  }

  async mark(key: string): Promise<string | undefined> {
    const row = this.#core.database.get(
      'SELECT value FROM marks WHERE n = (SELECT n FROM partitions WHERE id = ?) AND key = ?',
      [this.id, key],
    );
    return row === undefined ? undefined : String(row[0]);
  }

  /** Submits a job that is prepared by the latest definitions of the partition. */
  #submit(prepare: (latest: Core) => Promise<Job>): Promise<Applied> {
    const { below = this.#core } = this.#core;
    return submit(below, async latest => {
      const hasOwn = (partitionIndex(latest, this.id)?.changes ?? 0) > 0;
      return prepare(hasOwn ? await coreIn(latest, this.id) : latest);
    });
  }

  /** Lets the indexes follow what was written; a server repeats it if this fails. */
  async #defined(written: readonly RecordKey[]): Promise<void> {
    const { below = this.#core } = this.#core;
    if (below.options.above === undefined || definingKeys(written).length === 0) return;
    await registerStored(below, this.id).catch((error: unknown) => below.options.fault?.(error));
  }

  /** The results of an earlier write with a key; none if it is free. */
  #repeated(key: WriteKey): readonly WriteResult[] {
    const { database, options } = this.#core;
    const first = earlier(database, { n: this.#number(), key, now: options.now() });
    if (first?.kind === 'keyUsed') throw refusal(first);
    return first === undefined ? [] : resultsOf(first.results, true);
  }

  /** Runs work on the attachments beside the file; throws `StoreUnavailable` if their disk fails. */
  async #onFiles<T>(doing: Doing, work: () => Promise<T>): Promise<T> {
    const { path, condition } = this.#core;
    try {
      return await work();
    } catch (error) {
      const failure = failureOf(error, doing, attachmentsFolder(path));
      if (failure === undefined) throw error;
      if (doing === 'write') condition.writeFailed(failure);
      else condition.readFailed(failure);
      throw unavailable(failure, error);
    }
  }

  #number(): number {
    const index = partitionIndex(this.#core, this.id);
    if (index === undefined) throw new Error(`There is no partition \`${this.id}\` any more`);
    return index.n;
  }

  #find(type: string): TypeIndex | undefined {
    return partitionIndex(this.#core, this.id)?.types.get(type);
  }

  #type(type: string): TypeIndex {
    const index = this.#find(type);
    if (index === undefined)
      throw new Error(`\`${type}\` is not a declared type, or \`${this.id}\` no partition any more`);
    return index;
  }

  #current(index: TypeIndex, id: string): StoredVersion | undefined {
    const row = this.#core.database.get(
      'SELECT id, version, last_updated, owners, text FROM resources WHERE t = ? AND id = ?',
      [index.t, id],
    );
    return row === undefined ? undefined : ownedVersion(index.type.name, index.type, row);
  }

  /** In one statement, which costs less than one for each. */
  #currentOf(index: TypeIndex, ids: readonly string[]): readonly StoredVersion[] {
    const rows = this.#core.database.all(
      `SELECT u.id, u.version, u.last_updated, u.owners, u.text
        FROM json_each(?) j CROSS JOIN resources u ON u.t = ? AND u.id = j.value`,
      [JSON.stringify(ids), index.t],
    );
    return rows.map(row => ownedVersion(index.type.name, index.type, row));
  }

  #lowered(query: Query, index: TypeIndex): LoweredCount {
    return { t: index.t, clause: lower(query, index, referenceTermsOf(this.#core.database)) };
  }
}

/** The error of the result of a write that wrote nothing. */
const namesOf = (types: readonly TypeIndex[]): readonly string[] => types.map(({ type }) => type.name);

function refusal(result: Applied): Error {
  switch (result.kind) {
    case 'conflict':
      return new VersionConflict(result.type, result.id);
    case 'required':
      return new RequirementFailed(result.type);
    case 'several':
      return new SeveralMatch(result.type);
    case 'keyUsed':
      return new KeyUsed();
    case 'bytesMissing':
      return new AttachmentMissing(result.digest);
    case 'written':
    case 'done':
      return new Error('The writer returned an unexpected answer');
    default:
      return result satisfies never;
  }
}

function foundVersion({ type }: TypeIndex, row: FoundRow, keys: readonly Key[]): StoredVersion {
  const { id, version, lastUpdated, text, owners } = row;
  const found = { type: type.name, id, version, lastUpdated, text, owners: parseOwners(type, owners ?? undefined) };
  const [first] = keys;
  return first?.by === 'ord' && first.p === 0 ? { ...found, created: Number(row.keys[0]) } : found;
}
