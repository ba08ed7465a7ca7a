import { setImmediate } from 'node:timers/promises';
import type { Query } from '../../search/ast.ts';
import {
  type Change,
  type Page,
  type Partition,
  type PartitionSettings,
  type PendingIndex,
  type StoredVersion,
  type StoreSearch,
  VersionConflict,
  type WriteOptions,
  type WriteResult,
} from '../store.ts';
import { type Core, partitionIndex, submit } from './core.ts';
import { countMatches, type LoweredCount } from './count.ts';
import { type PartitionIndex, readPending, type TypeIndex } from './dictionary.ts';
import type { FoundRow } from './found.ts';
import { outcomes } from './jobs.ts';
import { lower } from './lower.ts';
import type { Row } from './open.ts';
import { lowerPosition, lowerSort, positionOf } from './order.ts';
import { prepareWrite } from './prepare.ts';
import { findPage, type LoweredSearch } from './search.ts';
import { referenceTermsOf } from './find-terms.ts';

/** How many resources `scan` and `readMany` read before the event loop gets a turn. */
const slice = 200;

export class SqlitePartition implements Partition {
  readonly id: string;
  readonly settings: PartitionSettings;
  readonly #core: Core;

  constructor(core: Core, { id, settings }: PartitionIndex) {
    this.#core = core;
    this.id = id;
    this.settings = settings;
  }

  async read(type: string, id: string): Promise<StoredVersion | undefined> {
    const index = this.#find(type);
    return index === undefined ? undefined : this.#current(index, type, id);
  }

  async readVersion(type: string, id: string, version: number): Promise<StoredVersion | undefined> {
    const index = this.#find(type);
    if (index === undefined) return undefined;
    const current = this.#current(index, type, id);
    if (current?.version === version) return current;
    const row = this.#core.database.get(
      'SELECT id, version, last_updated, text FROM versions WHERE t = ? AND id = ? AND version = ?',
      [index.t, id, version],
    );
    return row === undefined ? undefined : storedVersion(type, row);
  }

  async readMany(keys: readonly { readonly type: string; readonly id: string }[]): Promise<readonly StoredVersion[]> {
    const found: StoredVersion[] = [];
    for (const [at, { type, id }] of keys.entries()) {
      if (at % slice === slice - 1) await setImmediate();
      const index = this.#find(type);
      const version = index === undefined ? undefined : this.#current(index, type, id);
      if (version !== undefined) found.push(version);
    }
    return found;
  }

  async search(type: string, { query, sort, limit, after }: StoreSearch): Promise<Page> {
    const { database, readers, budgets } = this.#core;
    const index = this.#type(type);
    const keys = lowerSort(sort, index);
    const search: LoweredSearch = {
      ...this.#lowered(query, index),
      keys,
      limit,
      after: after === undefined ? undefined : lowerPosition(after, keys),
    };
    let rows = database.snapshot(() => findPage(database, search, budgets.eventLoop));
    if (rows === undefined) {
      const answer = await readers.ask({ kind: 'page', search, budget: budgets.reader });
      rows = answer.kind === 'page' ? answer.rows : [];
    }
    const found = rows.slice(0, limit);
    const last = rows.length > limit ? found.at(-1) : undefined;
    return {
      versions: found.map(row => foundVersion(type, row)),
      next: last === undefined ? undefined : positionOf(last.keys, last.id),
    };
  }

  async count(type: string, query: Query): Promise<number> {
    const { database, readers, budgets } = this.#core;
    const count = this.#lowered(query, this.#type(type));
    const known = database.snapshot(() => countMatches(database, count, budgets.eventLoop));
    if (known !== undefined) return known;
    const answer = await readers.ask({ kind: 'count', count, budget: budgets.reader });
    return answer.kind === 'count' ? answer.count : 0;
  }

  async write(changes: readonly Change[], options: WriteOptions = {}): Promise<readonly WriteResult[]> {
    const result = await submit(this.#core, () => prepareWrite(this.#core, this.id, changes, options));
    if (result.kind === 'conflict') throw new VersionConflict(result.type, result.id);
    if (result.kind !== 'written') throw new Error('The writer gave another answer');
    return result.results.map(([outcome, version, lastUpdated]) => ({
      outcome: outcomes[outcome] ?? 'unchanged',
      version,
      lastUpdated,
    }));
  }

  async *scan(type: string, after = ''): AsyncIterable<StoredVersion> {
    const { database } = this.#core;
    const index = this.#find(type);
    if (index === undefined) return;
    for (let from = after; ;) {
      const rows = database.all(
        'SELECT id, version, last_updated, text FROM resources WHERE t = ? AND id > ? AND ord IS NOT NULL ORDER BY id LIMIT ?',
        [index.t, from, slice],
      );
      for (const row of rows) yield storedVersion(type, row);
      from = String(rows.at(-1)?.[0]);
      if (rows.length < slice) return;
      await setImmediate();
    }
  }

  async counts(): Promise<ReadonlyMap<string, number>> {
    const rows = this.#core.database.all(
      'SELECT type, resources FROM types WHERE n = (SELECT n FROM partitions WHERE id = ?) AND resources > 0 ORDER BY type',
      [this.id],
    );
    return new Map(rows.map(([type, resources]) => [String(type), Number(resources)]));
  }

  async mark(key: string): Promise<string | undefined> {
    const row = this.#core.database.get(
      'SELECT value FROM marks WHERE n = (SELECT n FROM partitions WHERE id = ?) AND key = ?',
      [this.id, key],
    );
    return row === undefined ? undefined : String(row[0]);
  }

  pending(type: string): readonly PendingIndex[] {
    const index = this.#find(type);
    return index === undefined ? [] : readPending(this.#core.database, index);
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

  #current({ t }: TypeIndex, type: string, id: string): StoredVersion | undefined {
    const row = this.#core.database.get(
      'SELECT id, version, last_updated, text FROM resources WHERE t = ? AND id = ?',
      [t, id],
    );
    return row === undefined ? undefined : storedVersion(type, row);
  }

  #lowered(query: Query, index: TypeIndex): LoweredCount {
    const { database } = this.#core;
    const [total] = database.get('SELECT resources FROM types WHERE t = ?', [index.t]) ?? [0];
    return { t: index.t, total: Number(total), clause: lower(query, index, referenceTermsOf(database)) };
  }
}

function storedVersion(type: string, [id, version, lastUpdated, text]: Row): StoredVersion {
  return {
    type,
    id: String(id),
    version: Number(version),
    lastUpdated: Number(lastUpdated),
    text: text === null ? undefined : String(text),
  };
}

function foundVersion(type: string, { id, version, lastUpdated, text }: FoundRow): StoredVersion {
  return { type, id, version, lastUpdated, text };
}
