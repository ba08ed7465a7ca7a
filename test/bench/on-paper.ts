// node test/bench/on-paper.ts [--records N] [--partitions N] [--shards N] [--store mongodb://…]: computes what so many
// records take on a sharded cluster, and how many of its shards each kind of query and write touches. It takes the
// measured sizes of a record, those below or of the records of a store, and the counts of the table in
// src/store/mongo/README.md, which a test makes of the commands to a simulated cluster.
import { parseArgs } from 'node:util';
import { MongoClient } from 'mongodb';
import { rowsOf } from '../support/readmes.ts';

/** Bytes of one record. */
export interface Sizes {
  /** Documents and indexes without compression; the document of a record in the directory `ids`, with its index. */
  readonly document: number;
  readonly indexes: number;
  readonly place: number;
  /** With snappy and prefix compression, of the smallest and the largest type that was measured. */
  readonly compressed: readonly { readonly document: number; readonly indexes: number }[];
  /** The part of the documents that is of the largest type. */
  readonly largest: number;
}

/**
 * Measured on the engine of the tests: without compression 21,929 synthetic records in collections as on a sharded
 * cluster; with it a million Observations and a million Conditions each.
 */
const measured: Sizes = {
  document: 1_900,
  indexes: 4_000,
  place: 150,
  compressed: [
    { document: 230, indexes: 880 },
    { document: 390, indexes: 1_900 },
  ],
  largest: 0.6,
};

export interface Cluster {
  readonly records: number;
  readonly partitions: number;
  readonly shards: number;
}

/** The cluster of the README. */
export const billion: Cluster = { records: 1e9, partitions: 1e4, shards: 32 };

/** https://www.mongodb.com/docs/v7.0/core/sharding-data-partitioning/#range-size */
const rangeSize = 128 * 2 ** 20;

/** The rows of the table of sizes: what, for a record, for all, compressed, for a shard compressed. */
export function sizeRows({ records, shards }: Cluster, sizes: Sizes = measured): readonly (readonly string[])[] {
  const row = (what: string, each: number, compressed: readonly number[]): readonly string[] => {
    const all = compressed.map(bytes => bytes * records);
    return [what, printed(each), printed(each * records), range(all), range(all.map(bytes => bytes / shards))];
  };
  const of = (name: 'document' | 'indexes'): readonly number[] => sizes.compressed.map(one => one[name]);
  return [
    row('records', sizes.document, of('document')),
    row('indexes', sizes.indexes, of('indexes')),
    row('`ids`, with its index', sizes.place, [sizes.place]),
  ];
}

/** The rows of the table of ranges: what is spread, its size, in how many ranges, which the balancer moves. */
export function rangeRows({ records, partitions, shards }: Cluster, sizes: Sizes = measured): readonly string[][] {
  const row = (what: string, bytes: number): string[] => {
    const ranges = Math.max(1, bytes / rangeSize);
    return [what, printed(bytes), `${Number(ranges.toPrecision(2))}`];
  };
  const partition = (records / partitions) * sizes.document;
  return [
    row('all records', records * sizes.document),
    row('a shard', (records * sizes.document) / shards),
    row('a partition', partition),
    row('the largest type of a partition', partition * sizes.largest),
  ];
}

/** The rows of the table of queries: what, and how many shards it touches. `few`: the ranges of the largest type. */
export function touchedRows(cluster: Cluster, sizes: Sizes = measured): readonly string[][] {
  const largest = (cluster.records / cluster.partitions) * sizes.document * sizes.largest;
  // The ranges of a partition begin within those of its neighbours.
  const few = Math.min(cluster.shards, Math.ceil(largest / rangeSize) + 1);
  const counts: Readonly<Record<string, string>> = {
    'one shard': '1',
    'a few shards': `1 to ${few}`,
    'all shards': `${cluster.shards}`,
  };
  return rowsOf('src/store/mongo/README.md', 'Query or write').map(([kind = '', touches = '', commands = '']) => {
    // The directory is spread over all shards: several records may have their entries on as many.
    const ofIds =
      touches !== 'all shards' && commands.includes('`ids` (few)') ? `; for \`ids\` 1 to ${cluster.shards}` : '';
    return [kind, (counts[touches] ?? touches) + ofIds];
  });
}

const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];

function printed(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${Number((bytes / 1_000 ** power).toPrecision(2))} ${units[power]}`;
}

function range(bytes: readonly number[]): string {
  const [least, most] = [printed(Math.min(...bytes)), printed(Math.max(...bytes))];
  return least === most ? least : `${least} to ${most}`;
}

/**
 * The sizes of the records that a store has.
 * https://www.mongodb.com/docs/manual/reference/operator/aggregation/collStats/
 */
async function sizesOf(url: string): Promise<Sizes> {
  const client = new MongoClient(url);
  try {
    const database = client.db();
    const names = (await database.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
    const statsOf = async (name: string) => {
      const stages = [{ $collStats: { storageStats: {} } }];
      const found = await database.collection(name).aggregate(stages).toArray();
      const sum = (field: string): number =>
        found.reduce((total, one) => total + Number((one['storageStats'] as Record<string, unknown>)[field] ?? 0), 0);
      const count = sum('count');
      const each = (field: string): number => sum(field) / Math.max(1, count);
      return { count, bytes: sum('size'), document: each('storageSize'), indexes: each('totalIndexSize') };
    };
    const all = await Promise.all(names.filter(name => /^[A-Z]\w*$/.test(name)).map(statsOf));
    const types = all.filter(({ count }) => count > 0);
    const total = (of: (one: (typeof types)[number]) => number): number => types.reduce((sum, one) => sum + of(one), 0);
    const [records, bytes] = [total(({ count }) => count), total(one => one.bytes)];
    if (records === 0) throw new Error('The store has no records');
    const places = await statsOf('ids').catch(() => undefined);
    return {
      document: bytes / records,
      indexes: total(({ count, indexes }) => count * indexes) / records,
      place: places === undefined || places.count === 0 ? measured.place : places.document + places.indexes,
      compressed: types,
      largest: Math.max(...types.map(one => one.bytes)) / bytes,
    };
  } finally {
    await client.close();
  }
}

function print(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [header, header.map(() => '---'), ...rows];
  console.log(`${lines.map(line => `| ${line.join(' | ')} |`).join('\n')}\n`);
}

if (import.meta.main) {
  const number = { type: 'string' } as const;
  const { values } = parseArgs({ options: { records: number, partitions: number, shards: number, store: number } });
  const cluster: Cluster = {
    records: Number(values.records ?? billion.records),
    partitions: Number(values.partitions ?? billion.partitions),
    shards: Number(values.shards ?? billion.shards),
  };
  const sizes = values.store === undefined ? measured : await sizesOf(values.store);
  print(['What', 'Per record', 'All', 'With compression', 'A shard'], sizeRows(cluster, sizes));
  print(['What is spread', 'Size', 'Ranges'], rangeRows(cluster, sizes));
  print(['Query or write', 'Shards'], touchedRows(cluster, sizes));
}
