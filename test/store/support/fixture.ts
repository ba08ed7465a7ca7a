import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { splitForStamp } from '../../../src/fhir/resource-text.ts';
import { foldString } from '../../../src/indexing/normalize.ts';
import type { IndexEntry, IndexValue } from '../../../src/indexing/entry.ts';
import type { Model, SearchParam, SearchParamType } from '../../../src/model/model.ts';
import type { Query, Sort } from '../../../src/search/ast.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Change } from '../../../src/store/port/records.ts';
import type { Extract } from '../../../src/indexing/extract.ts';
import type { PendingIndex } from '../../../src/store/port/indexes.ts';
import type { Partition } from '../../../src/store/port/partitions.ts';
import type { Store, StoreOptions } from '../../../src/store/port/store.ts';
import { bareModel, bareParameter, bareType } from '../../support/bare-model.ts';

/** A resource of these tests carries its entries in its text. */
export const extract: Extract = (type, text) =>
  (JSON.parse(text) as { entries: readonly IndexEntry[] }).entries.filter(({ param }) => type.indexed.has(param));

/** Which parameters cannot be searched yet. */
export const pending = async (
  { indexes }: Store,
  partition = 'demo',
  type = typeName,
): Promise<readonly PendingIndex[]> =>
  (await indexes.status({ partition, type, state: 'pending' })).map(({ param, done, of }) => ({
    type,
    param,
    done,
    of,
  }));

/** Nothing in a store reads its name. */
export const typeName = 'Basic';

export const param = (code: string, type: SearchParamType, more: Partial<SearchParam> = {}): SearchParam =>
  bareParameter(typeName, code, type, more);

export const owner = param('owner', 'reference', { single: true });
export const code = param('code', 'token');
export const name = param('name', 'string');
export const date = param('date', 'date', { single: true });

/** A model with one type of these parameters, sorted by `date`, with the pair of `owner` and `code`. */
export function modelOf(params: readonly SearchParam[] = [owner, code, name, date], digest = 'first'): Model {
  const isPaired = params.includes(owner) && params.includes(code);
  const type = bareType(typeName, params, {
    sortDate: params.includes(date) ? date : undefined,
    pairs: isPaired ? [{ code: 'owner+code', owner, token: code }] : [],
  });
  return bareModel(type, digest);
}

export const newest: readonly Sort[] = [{ by: 'default', descending: true }];

export const token = (value: string): IndexEntry =>
  entry('code', { kind: 'token', system: 's', code: value, caseSensitive: true });
export const named = (text: string): IndexEntry => entry('name', { kind: 'string', text, folded: foldString(text) });
export const on = (day: number, days = 1): IndexEntry =>
  entry('date', { kind: 'date', low: day * 86_400_000, high: (day + days) * 86_400_000 });
export const ownedBy = (id: string): IndexEntry =>
  entry('owner', { kind: 'reference', type: 'Patient', id, url: undefined, version: undefined });
const entry = (of: string, value: IndexValue): IndexEntry => ({ param: of, value });

export const hasCode = (value: string): Query => ({ kind: 'param', param: code, test: { kind: 'token', code: value } });
export const isOf = (id: string): Query => ({
  kind: 'param',
  param: owner,
  test: { kind: 'reference', type: 'Patient', id },
});
export const isNamed = (text: string): Query => ({
  kind: 'param',
  param: name,
  test: { kind: 'string', how: 'starts', text },
});
export const since = (day: number): Query => ({
  kind: 'param',
  param: date,
  test: { kind: 'range', bounds: [{ end: 'high', is: '>', value: day * 86_400_000 }] },
});
export const and = (...of: readonly Query[]): Query => ({ kind: 'and', of });

type Put = globalThis.Extract<Change, { kind: 'put' }>;

export function put(id: string, entries: readonly IndexEntry[] = [], more: Partial<Put> = {}, note = ''): Put {
  const text = JSON.stringify({ resourceType: typeName, entries, note });
  return { kind: 'put', type: typeName, id, text: splitForStamp(text, id), ...more };
}

export function remove(id: string): Change {
  return { kind: 'remove', type: typeName, id };
}

/** A place for a new store. */
export interface Place {
  readonly url: string;
  remove(): Promise<void>;
}

/** For writes of many changes that fill a store. */
export const each = { unit: 'each' } as const;

export async function newPlace(): Promise<Place & { readonly path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'store-'));
  const path = join(folder, 'records.sqlite');
  return { path, url: `sqlite:${path}`, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Opens a store with a partition `demo`. */
export async function openDemo(
  url: string,
  options: Partial<StoreOptions> = {},
  open = openStore,
): Promise<{ store: Store; demo: Partition }> {
  const store = await open(url, {
    model: modelOf(),
    extract,
    now: Date.now,
    mode: 'serve',
    deadline: 20_000,
    ...options,
  });
  if (options.mode !== 'read') await store.partitions.add('demo', { zone: 'UTC' });
  const demo = await store.partition('demo');
  if (demo === undefined) throw new Error('The partition is not there');
  return { store, demo };
}

/** Ids of all that match, newest first unless said otherwise. */
export async function find(
  partition: Partition,
  query: Query,
  sort = newest,
  limit = 1000,
): Promise<readonly string[]> {
  return (await partition.search(typeName, { query, sort, limit })).versions.map(({ id }) => id);
}

/** Changes of a batch: new resources, and every third changed or removed again by the batches after it. */
export function batch(number: number): readonly Change[] {
  const at = (of: number): string => `b${of}`;
  const fresh = Array.from({ length: 20 }, (_, index) =>
    put(`${at(number)}-${index}`, [
      token(`c${index % 5}`),
      named(`Name ${number}`),
      on(index),
      ownedBy(`p${index % 3}`),
    ]),
  );
  if (number === 0) return fresh;
  const changed = put(`${at(number - 1)}-0`, [token('changed'), on(number)]);
  return [...fresh, changed, remove(`${at(number - 1)}-1`)];
}
