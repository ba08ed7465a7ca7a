import type { ResourceType, SearchParam } from '../../model/model.ts';
import type * as plan from '../plan/indexes.ts';
import type { ParamIndexes } from '../plan/indexes.ts';
import type { End } from '../plan/sort.ts';
import { createdOrder } from '../port/indexes.ts';
import type { PartitionSettings } from '../port/partitions.ts';
import type { RecordKey } from '../port/records.ts';
import type { StoreDefinitions } from '../port/definitions.ts';
import { mostNamedChanges } from '../record/changes.ts';
import {
  componentCode,
  orderCode,
  pairCode,
  sortCode,
  sortEndsOf,
  sortsOf,
  wantedIndexes,
} from './declared-indexes.ts';
import type { Database } from './open.ts';

/** The state of a partition in the file, as of one epoch: every change of it raises the epoch. */
export interface PartitionIndex {
  readonly n: number;
  readonly id: string;
  readonly settings: PartitionSettings;
  /** The number of committed changes of records that are definitions. */
  readonly changes: number;
  readonly epoch: number;
  readonly types: ReadonlyMap<string, TypeIndex>;
}

/** The indexes of one type in one partition. */
export interface TypeIndex {
  readonly t: number;
  readonly type: ResourceType;
  /** Indexes by code: `_order`, parameters, components, pairs. */
  readonly indexes: ReadonlyMap<string, Index>;
  /** The code of the parameter or of the pair, by the number of its index. */
  readonly codes: ReadonlyMap<number, string>;
  readonly codeOf: (p: number) => string;
  readonly params: readonly ParamIndex[];
  readonly pairs: readonly PairIndex[];
  /** What searches need of them. */
  readonly planned: PlannedIndexes;
  /** Numbers of the indexes that have, or had, entries of absolute references. */
  readonly absolute: ReadonlySet<number>;
}

/** The indexes as the plan uses them: by number. */
export interface PlannedIndexes {
  readonly params: ParamIndexes<number>;
  /** The complete pairs. */
  readonly pairs: readonly plan.PairIndex<number>[];
  /** Whether every index is complete. */
  readonly areReady: boolean;
}

/** `p` is 0 if nothing is stored yet: no writer knew the definition. */
export interface Index {
  readonly code: string;
  readonly p: number;
  readonly ready: boolean;
  /** Whether it has, or had, entries of absolute references. */
  readonly absolute: boolean;
}

export interface ParamIndex extends Index {
  readonly param: SearchParam;
  readonly components: readonly Index[];
  readonly sorts: { readonly highest: boolean; readonly lowest: boolean };
  /** The sort indexes, except those of dates. */
  readonly ordered: readonly (Index & { readonly end: End })[];
}

export interface PairIndex extends Index {
  readonly owner: string;
  readonly token: string;
}

export function readEpoch(database: Database): number {
  return Number(database.get(`SELECT value FROM meta WHERE key = 'epoch'`)?.[0]);
}

/** Called for every change of partitions, types, indexes or their states: earlier reads are then stale. */
export function raiseEpoch(database: Database): void {
  database.run(`UPDATE meta SET value = value + 1 WHERE key = 'epoch'`);
}

/** Reads the state of a partition and joins it with the model; undefined if there is no such partition. */
export function readPartition(
  database: Database,
  model: StoreDefinitions['model'],
  id: string,
): PartitionIndex | undefined {
  const found = database.get('SELECT n, settings FROM partitions WHERE id = ?', [id]);
  if (found === undefined) return undefined;
  const n = Number(found[0]);
  const { changes, settings } = parseSettings(found[1]);
  const kept = new Map<string, { t: number; indexes: Map<string, StoredIndex> }>();
  for (const [t, type] of database.all('SELECT t, type FROM types WHERE n = ?', [n])) {
    const rows = database.all(
      `SELECT code, p, digest, state, absolute FROM parameters WHERE t = ? AND state <> 'dropped'`,
      [Number(t)],
    );
    const indexes = new Map(
      rows.map(([code, p, digest, state, absolute]) => [
        String(code),
        { p: Number(p), digest: String(digest), ready: state === 'ready', absolute: absolute === 1 },
      ]),
    );
    kept.set(String(type), { t: Number(t), indexes });
  }
  const types = new Map<string, TypeIndex>();
  for (const wanted of wantedIndexes(model, settings.zone)) {
    const type = model.types.get(wanted.type);
    if (type === undefined) continue;
    const { t, indexes } = kept.get(wanted.type) ?? { t: 0, indexes: new Map<string, StoredIndex>() };
    types.set(wanted.type, typeIndex(t, type, new Map(wanted.indexes.map(one => [one.code, matching(one, indexes)]))));
  }
  return { n, id, settings, changes, epoch: readEpoch(database), types };
}

/** What a partition has besides its records. */
interface KeptSettings {
  readonly settings: PartitionSettings;
  readonly changes: number;
  /** The last records that were changed as definitions, as type and id. */
  readonly last: readonly RecordKey[];
}

export function parseSettings(text: unknown): KeptSettings {
  const { zone, changes = 0, last = [] } = JSON.parse(String(text));
  return { settings: { zone }, changes, last };
}

/** Notes in its own transaction that records were changed which are definitions: all earlier reads are then stale. */
export function noteDefinitions(database: Database, n: number, keys: readonly RecordKey[]): void {
  if (keys.length === 0) return;
  const found = database.get('SELECT settings FROM partitions WHERE n = ?', [n]);
  const { settings, changes, last } = parseSettings(found?.[0]);
  const next = {
    ...settings,
    changes: changes + keys.length,
    last: [...last, ...keys].slice(-mostNamedChanges),
  };
  database.run('UPDATE partitions SET settings = ? WHERE n = ?', [JSON.stringify(next), n]);
  raiseEpoch(database);
}

type StoredIndex = Omit<Index, 'code'> & { readonly digest: string };

function matching(wanted: { code: string; digest: string }, kept: ReadonlyMap<string, StoredIndex>): Index {
  const found = kept.get(wanted.code);
  if (found?.digest !== wanted.digest) return unknown(wanted.code);
  return { code: wanted.code, p: found.p, ready: found.ready, absolute: found.absolute };
}

function unknown(code: string): Index {
  return { code, p: 0, ready: false, absolute: false };
}

function typeIndex(t: number, type: ResourceType, indexes: ReadonlyMap<string, Index>): TypeIndex {
  const of = (code: string): Index => indexes.get(code) ?? unknown(code);
  const codes = new Map([...indexes.values()].map(({ code, p }) => [p, paramOf(code, type)]));
  const params = [...type.indexed.values()].map(param => ({
    ...of(param.code),
    param,
    components: param.components.map((_, at) => of(componentCode(param.code, at))),
    sorts: sortsOf(type, param),
    ordered: sortEndsOf(type, param).map(end => ({ ...of(sortCode(param.code, end)), end })),
  }));
  const pairs = type.pairs.map(pair => ({
    ...of(pairCode(pair)),
    owner: pair.owner.code,
    token: pair.token.code,
  }));
  return {
    t,
    type,
    indexes,
    codes,
    codeOf: p => codes.get(p) ?? '',
    absolute: new Set([...indexes.values()].flatMap(({ p, absolute }) => (absolute ? [p] : []))),
    params,
    pairs,
    planned: {
      params: paramIndexes(type, params),
      pairs: pairs
        .filter(pair => pair.ready)
        .map(pair => ({ index: pair.p, owner: of(pair.owner).p, token: of(pair.token).p })),
      areReady: [...indexes.values()].every(({ ready }) => ready),
    },
  };
}

function paramIndexes(type: ResourceType, params: readonly ParamIndex[]): ParamIndexes<number> {
  const byCode = new Map(
    params.map(({ code, param, p, ready, components }) => [
      code,
      {
        param,
        index: p,
        ready: ready && components.every(part => part.ready),
        components: components.map(part => part.p),
      },
    ]),
  );
  return { type, find: code => byCode.get(code) };
}

/** The parameter of an index; the order belongs to the sort date, or to lastUpdated. */
export function paramOf(code: string, type: ResourceType): string {
  if (code === orderCode) return type.sortDate?.code ?? createdOrder;
  return code.split('$')[0] ?? code;
}
