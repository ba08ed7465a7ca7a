// https://www.mongodb.com/docs/manual/core/sharded-cluster-query-router/: mongos sends a command to one shard if its
// filter names the shard key, or the beginning of the key that keeps the records of one owner together.
import type { CommandStartedEvent, Document } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Query } from '../../../src/search/ast.ts';
import { MongoPartition } from '../../../src/store/mongo/partition.ts';
import { rowsOf } from '../../support/readmes.ts';
import * as t from '../support/fixture.ts';
import { list } from '../support/list.ts';
import { openSeen } from './support/explained.ts';
import type { Seen } from './support/explained.ts';

let seen: Seen;
let demo: MongoPartition;
beforeAll(async () => {
  seen = await openSeen(t.modelOf(), { sharded: true });
  Object.assign(seen.core.options, { extract: t.extract });
  demo = new MongoPartition(seen.core, seen.partition);
  await write('kept', 'p1');
});
afterAll(() => seen.close());

const { typeName } = t;
const write = (id: string, owner: string): Promise<unknown> => demo.write([t.put(id, [t.ownedBy(owner)])], t.each);
const find = (query: Query): Promise<unknown> => t.find(demo, query);
const all: Query = { kind: 'all' };

/** What one shard holds all of: fields of the shard keys in src/store/mongo/README.md. */
const together: Readonly<Record<string, readonly string[]>> = {
  [typeName]: ['p', 'b'],
  [`${typeName}.history`]: ['p', '_id'],
  ids: ['_id'],
  reservations: ['_id'],
};

/** Fields that must have one value. */
function fixed(filter: Document): readonly string[] {
  return Object.entries(filter).flatMap(([name, value]) => {
    if (name === '$and') return (value as Document[]).flatMap(fixed);
    const isValue = typeof value !== 'object' || '$eq' in (value as Document);
    return isValue ? [name] : [];
  });
}

/** The parts of commands that decide where they go. */
interface CommandParts {
  readonly filter?: Document;
  readonly query?: Document;
  readonly pipeline?: readonly Document[];
  readonly updates?: readonly { readonly q: Document }[];
  readonly deletes?: readonly { readonly q: Document }[];
  readonly documents?: readonly Document[];
}

/** The filters of a command; an inserted document names everything. */
function filtersOf({ command, commandName }: CommandStartedEvent): readonly Document[] {
  const { filter, query, pipeline, updates, deletes, documents } = command as CommandParts; // those that it has
  if (commandName === 'aggregate') return [(pipeline?.[0]?.['$match'] ?? {}) as Document];
  const written = updates ?? deletes;
  return written?.map(({ q }) => q) ?? documents ?? [filter ?? query ?? {}];
}

/** The sharded collections to which work sends commands, each with their reach: `one`, `partition` or `all`. */
async function reachOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const found = new Set<string>();
  const see = (event: CommandStartedEvent): void => {
    const collection = String(event.command[event.commandName]);
    const key = together[collection];
    if (key === undefined) return;
    for (const filter of filtersOf(event)) {
      const named = fixed(filter);
      const isOne = key.every(field => named.includes(field));
      found.add(`${collection}: ${isOne ? 'one' : named.includes('p') ? 'partition' : 'all'}`);
    }
  };
  seen.core.client.on('commandStarted', see);
  await work();
  seen.core.client.off('commandStarted', see);
  return [...found].sort((a, b) => (a < b ? -1 : 1));
}

const [own, history] = [`${typeName}: one`, `${typeName}.history: one`];
const every = `${typeName}: partition`;

/** Each kind as the README names it, with the work and the reach of its commands. */
const kinds: readonly (readonly [kind: string, work: () => Promise<unknown>, reach: readonly string[]])[] = [
  ['create', () => write('new', 'p1'), [own, 'ids: one']],
  ['read', () => demo.read(typeName, 'kept'), [own, 'ids: one']],
  ['reads of several records by id', () => demo.readMany([{ type: typeName, id: 'kept' }]), [every]],
  ['search by owner', () => find(t.isOf('p1')), [own]],
  ['search by owner and more', () => find({ kind: 'and', of: [t.isOf('p1'), all] }), [own]],
  ['search by several owners', () => find({ kind: 'or', of: [t.isOf('p1'), t.isOf('p2')] }), [every]],
  ['other search', () => find(all), [every]],
  ['count by owner', () => demo.count(typeName, t.isOf('p1')), [own]],
  ['other count', () => demo.count(typeName), [every]],
  ['update', () => write('kept', 'p2'), [own, history, 'ids: one']],
  ['delete', () => demo.write([{ kind: 'remove', type: typeName, id: 'kept' }], t.each), [own, history, 'ids: one']],
  ['read of an older version', () => demo.read(typeName, 'kept', 1), [own, history, 'ids: one']],
  [
    'history',
    () => list(demo.export({ order: 'newest', of: [{ type: typeName, ids: ['kept'] }], slice: 10 })),
    [every, `${typeName}.history: partition`],
  ],
];

it.each(kinds)(
  '%s sends its commands to the shards that it needs, within the partition',
  async (_kind, work, reach) => {
    expect(await reachOf(work)).toEqual([...reach].sort((a, b) => (a < b ? -1 : 1)));
  },
);

it('the README has these kinds with what they touch', () => {
  const rows = rowsOf('src/store/mongo/README.md', 'Query of a type with an owner');
  const touched = (reach: readonly string[]): string =>
    reach.every(one => one.endsWith(': one')) ? 'one shard each' : 'the shards of the partition';
  const listed = new Map(
    rows.flatMap(([kinds = '', touches = '']) => kinds.split(', ').map(kind => [kind, touches] as const)),
  );
  expect(listed).toEqual(new Map(kinds.map(([kind, , reach]) => [kind, touched(reach)])));
});
