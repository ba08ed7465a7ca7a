import { type CommandStartedEvent, MongoClient } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { historyId } from '../../../src/store/mongo/current.ts';
import type { HistoryDocument, ResourceDocument } from '../../../src/store/mongo/layout.ts';
import { MongoPartition } from '../../../src/store/mongo/partition.ts';
import { newMongoPlace } from '../../support/mongodb/place.ts';
import * as t from '../support/fixture.ts';
import { list } from '../support/list.ts';
import { openSeen } from './support/explained.ts';

it('omits what a write left in the history that was killed or lost a race', async () => {
  const place = await newMongoPlace();
  onTestFinished(() => place.remove());
  const { store, demo } = await t.openDemo(place.url);
  const client = new MongoClient(place.url);
  onTestFinished(() => Promise.all([client.close(), store.close()]).then(() => undefined));
  for (const code of ['x', 'y']) await demo.write([t.put('a', [t.token(code)])]);
  await demo.write([t.put('b')]);
  const older = client.db().collection<HistoryDocument>('Basic.history');
  const current = await client.db().collection<ResourceDocument>('Basic').findOne({ version: 2 });
  if (current === null) throw new Error('The record is not there');
  const [p = ''] = current._id.split('/');
  const { b, updated, text = '' } = current;
  // A copy of the current version, and one of a version that another process made in its place.
  for (const [version, time] of [
    [2, updated],
    [3, updated + 10_000],
  ] as const)
    await older.insertOne({ _id: historyId(p, 'a', version), p, b, version, updated: time, text });
  for (const ids of [undefined, ['a', 'b'], ['a']])
    for (const slice of [1, 2, 10]) {
      const of = [{ type: t.typeName, ids }];
      const found = await list(demo.export({ order: 'newest', of, slice }));
      const versions = found.map(({ id, version }) => `${id}${version}`);
      expect(versions.filter(one => one !== 'b1')).toEqual(['a2', 'a1']);
    }
});

it('takes as many commands for thousands of records as for five, as reads of them by id do', async () => {
  const seen = await openSeen(t.modelOf());
  onTestFinished(() => seen.close());
  const [type] = seen.core.options.model.types.values();
  if (type === undefined) throw new Error('The model has no type');
  const many = 3_000;
  await seen.put(
    type,
    Array.from({ length: many }, () => []),
  );
  const demo = new MongoPartition(seen.core, seen.partition);
  const all = Array.from({ length: many }, (_, at) => `r${at}`);
  await demo.write([t.put('r0', [t.token('x')])]);
  const commandsOf = async (work: () => Promise<unknown>): Promise<number> => {
    let commands = 0;
    const see = ({ command }: CommandStartedEvent): void => {
      const collection = String(command['find'] ?? command['collection']); // the latter of `getMore`
      if (collection.startsWith(t.typeName)) commands += 1;
    };
    seen.core.client.on('commandStarted', see);
    await work();
    seen.core.client.off('commandStarted', see);
    return commands;
  };
  const kinds: readonly ((ids: readonly string[]) => Promise<unknown>)[] = [
    ids => demo.readMany(ids.map(id => ({ type: t.typeName, id }))),
    async ids => {
      const versions = demo.export({ order: 'newest', of: [{ type: t.typeName, ids }], slice: 3 });
      return versions[Symbol.asyncIterator]().next();
    },
    ids =>
      demo.search(t.typeName, { query: { kind: 'id', anyOf: ids }, sort: [{ by: 'id', descending: true }], limit: 3 }),
  ];
  for (const read of kinds)
    expect(await commandsOf(() => read(all))).toBe(await commandsOf(() => read(all.slice(0, 5))));
});
