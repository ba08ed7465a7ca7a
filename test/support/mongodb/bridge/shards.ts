import { createHash } from 'node:crypto';
import type { Document } from 'mongodb';
import { type Bounds, keyBounds, pointOf, valueOf } from './bounds.ts';

/** The fields of a shard key in their order. */
export type ShardKey = Readonly<Record<string, 1 | 'hashed'>>;

/** The shards of the cluster, and those over which the documents with one value of the first field are spread. */
export const shardCount = 8;
const spread = 3;

/** Where a command goes. */
export interface Reach {
  readonly shards: ReadonlySet<number>;
  /** One place of the shard key; some, all with known values of its first field; or every shard. */
  readonly is: 'one' | 'few' | 'all';
}

/** A collection that is not sharded is on the primary shard of its database. */
export const unsharded: Reach = { shards: new Set([0]), is: 'one' };

const everywhere: Reach = { shards: new Set(Array.from({ length: shardCount }, (_, at) => at)), is: 'all' };

/**
 * The shards that have documents for a filter. A chunk is what has one value of the first field of the key, and one
 * value of the second; of an id, which begins with the first one's value, one first character. Two fields place a
 * document, since the chunks of this cluster are never split further.
 */
export function reachOf(namespace: string, key: ShardKey, filter: Document): Reach {
  const fields = Object.keys(key);
  const [first, second] = keyBounds(filter, fields);
  const firsts = pointsOf(first);
  if (firsts === undefined) return everywhere;
  const isHashed = Object.values(key)[0] === 'hashed';
  const chunks = new Set<string>();
  const shards = new Set<number>();
  for (const value of firsts) {
    const starts = isHashed || fields.length === 1 ? [''] : startsOf(second, `${value}`);
    for (const start of starts ?? Array.from({ length: spread }, (_, at) => at)) {
      chunks.add(`${value} ${start}`);
      shards.add(shardOf(namespace, `${value}`, start));
    }
  }
  return { shards, is: chunks.size <= 1 ? 'one' : 'few' };
}

/** Where an inserted document goes. */
export const reachOfDocument = (namespace: string, key: ShardKey, document: Document): Reach =>
  reachOf(namespace, key, Object.fromEntries(Object.keys(key).map(field => [field, document[field] as unknown])));

/** Whether a filter has one value for every field of the key. */
export const namesAll = (key: ShardKey, filter: Document): boolean =>
  keyBounds(filter, Object.keys(key)).every(bounds => pointsOf(bounds)?.length === 1);

/** The one value that a filter has for a field. */
export function valueIn(filter: Document, field: string): unknown {
  const [bounds] = keyBounds(filter, [field]);
  const [only] = pointsOf(bounds) ?? [];
  return bounds?.length === 1 ? only : undefined;
}

/** Whether two values of a document's field are at the same place. */
export const isSame = (a: unknown, b: unknown): boolean => valueOf(a) === valueOf(b);

/** The values, if all of them are known. */
function pointsOf(bounds: Bounds): readonly (string | number)[] | undefined {
  const points = bounds?.map(pointOf);
  return points?.every(point => point !== undefined) === true ? points : undefined;
}

/** The beginnings of values that make chunks; undefined for those of all chunks. */
function startsOf(bounds: Bounds, first: string): readonly string[] | undefined {
  if (bounds === undefined) return undefined;
  const start = (value: string | number | undefined): string | undefined => {
    if (typeof value !== 'string') return typeof value === 'number' ? '' : undefined;
    return value.startsWith(`${first}/`) ? value.slice(first.length + 1, first.length + 2) : value;
  };
  const starts = bounds.map(({ from, to }) => (start(from) === start(to) ? start(from) : undefined));
  return starts.every(one => one !== undefined) ? starts : undefined;
}

function shardOf(namespace: string, first: string, start: string | number): number {
  const offset = typeof start === 'number' ? start : start === '' ? 0 : hash(start) % spread;
  return (hash(`${namespace} ${first}`) + offset) % shardCount;
}

const hash = (text: string): number => createHash('md5').update(text).digest().readUInt32LE(0);
