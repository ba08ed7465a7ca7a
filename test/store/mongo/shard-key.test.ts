// What a command to a sharded cluster touches: the router sends it to one shard if its filter names the shard key, or
// the beginning of the key that keeps the records of one owner together. The simulated router places documents on eight
// shards, refuses what a cluster refuses, and notes which shards each command needs.
// https://www.mongodb.com/docs/manual/core/sharded-cluster-query-router/
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { Model, SearchParam } from '../../../src/model/model.ts';
import { splitForStamp } from '../../../src/fhir/resource-text.ts';
import type { Query } from '../../../src/search/ast.ts';
import { shardKeys } from '../../../src/store/mongo/shard-collections.ts';
import type { Partition } from '../../../src/store/port/partitions.ts';
import type { Change } from '../../../src/store/port/records.ts';
import type { Store } from '../../../src/store/port/store.ts';
import { png } from '../../support/media.ts';
import { cluster, describeOnCluster } from '../../support/mongodb/cluster.ts';
import { newMongoPlace, type Place } from '../../support/mongodb/place.ts';
import { touchedIn } from '../../support/mongodb/router.ts';
import { rowsOf } from '../../support/readmes.ts';
import { observation, patient } from '../../support/resources.ts';
import { list } from '../support/list.ts';
import { openClinic, shippedModel } from '../support/shipped.ts';

const { simulated } = inject('deployment');
/** The types of the table: `Observation` has an owner, `Patient` has none. */
const [owned, other] = ['Observation', 'Patient'];

let place: Place;
let model: Model;
let store: Store;
let clinic: Partition;
let client: MongoClient;
beforeAll(async () => {
  place = await newMongoPlace(cluster);
  model = await shippedModel();
  // A command has no background work, whose commands would be among those of the table.
  ({ store, clinic } = await openClinic(place.url, model, { mode: 'command' }));
  client = new MongoClient(place.url);
});
afterAll(async () => {
  await client.close();
  await store.close();
  await place.remove();
});

const change = (resource: object, more: object = {}): Change => {
  const { resourceType: type, id = '' } = resource as { resourceType: string; id?: string };
  return { kind: 'put', type, id, text: splitForStamp(JSON.stringify(resource), id), ...more };
};
const of = (owner: string) => ({ subject: { reference: `Patient/${owner}` } });
const observed = (id: string, owner = 'p1', more: object = {}): Change =>
  change(observation(id, { ...of(owner), ...more }));
const param = (type: string, code: string): SearchParam => model.types.get(type)!.indexed.get(code)!; // both shipped
const isOf = (id: string): Query => {
  return { kind: 'param', param: param(owned, 'patient'), test: { kind: 'reference', type: 'Patient', id } };
};
const coded = (): Query => ({ kind: 'param', param: param(owned, 'code'), test: { kind: 'token', code: '8480-6' } });
const all: Query = { kind: 'all' };
const find = (query: Query, type = owned): Promise<unknown> =>
  clinic.search(type, { query, sort: [{ by: 'default', descending: true }], limit: 20 });
const key = (name: string) => ({ key: { key: name, body: 'b', expires: Date.now() + 1_000_000 } });
const history = (scope: object): Promise<unknown> =>
  list(clinic.export({ order: 'newest', of: [scope as { type: string }], slice: 10 }));

/** Each kind of the README's table, in an order in which each finds what it needs. */
const kinds: readonly (readonly [kind: string, work: () => Promise<unknown>])[] = [
  ['create', () => clinic.write([observed('o1')])],
  ['create without an owner', () => clinic.write([change(patient('p1'))])],
  ['create with an Idempotency-Key', () => clinic.write([observed('o2')], key('k'))],
  ['the repeated create', () => clinic.write([observed('o2')], key('k'))],
  [
    'conditional create, criteria with the owner',
    () => clinic.write([{ ...observed('o3'), precondition: { is: 'no-match', query: isOf('p9') } } as Change]),
  ],
  [
    'conditional create, other criteria',
    () => clinic.write([{ ...observed('o4'), precondition: { is: 'no-match', query: notThere() } } as Change]),
  ],
  ['update', () => clinic.write([observed('o1', 'p1', { note: [{ text: 'a' }] })])],
  ['update without an owner', () => clinic.write([change(patient('p1', { gender: 'other' }))])],
  ['update with another owner', () => clinic.write([observed('o3', 'p2')])],
  ['delete', () => clinic.write([{ kind: 'remove', type: owned, id: 'o4' }])],
  ['transaction on records of one owner', () => clinic.write([observed('o5'), observed('o6')])],
  [
    'load of many records',
    () =>
      clinic.write(
        ['p1', 'p2', 'p3'].map(to => observed(`l${to}`, to)),
        { unit: 'each' },
      ),
  ],
  ['read', () => clinic.read(owned, 'o1')],
  ['read without an owner', () => clinic.read(other, 'p1')],
  ['read of an older version', () => clinic.read(owned, 'o1', 1)],
  ['read of several records of an owner by id', () => clinic.readMany(['o1', 'o2'].map(id => ({ type: owned, id })))],
  ['search by owner', () => find(isOf('p1'))],
  ['search by owner and more', () => find({ kind: 'and', of: [isOf('p1'), coded()] })],
  ['search by several owners', () => find({ kind: 'or', of: [isOf('p1'), isOf('p2')] })],
  ['search without the owner', () => find(coded())],
  ['search of a type without owners', () => find(all, other)],
  ['count by owner', () => clinic.count(owned, isOf('p1'))],
  ['count without the owner', () => clinic.count(owned, coded())],
  ['count of a type', () => clinic.count(owned)],
  ['history of a record', () => history({ type: owned, ids: ['o1'] })],
  ['history of a type', () => history({ type: owned })],
  ['types that refer to a record', () => clinic.types({ type: 'Patient', ids: ['p1'], base: 'http://x' })],
  ['attachment is stored', () => clinic.putAttachment(png(2_000))],
  ['a partition is removed', () => store.partitions.remove('clinic')],
];

const notThere = (): Query => ({ ...coded(), test: { kind: 'token', code: 'none' } }) as Query;

const shown = { one: 'one shard', few: 'a few shards', all: 'all shards' } as const;

/** The row of a kind: the widest of its commands, and the collections to which they go. */
async function rowOf(kind: string, work: () => Promise<unknown>): Promise<readonly string[]> {
  await touchedIn(client.db());
  await work();
  const touched = (await touchedIn(client.db())).filter(({ isSharded }) => isSharded);
  const widest = (['all', 'few', 'one'] as const).find(wide => touched.some(({ reach }) => reach === wide));
  const nameOf = (collection: string): string =>
    collection.endsWith('.history') ? 'history' : /^[A-Z]/.test(collection) ? 'the type' : `\`${collection}\``;
  // A command of several statements may touch several shards, one by each.
  const byPlace = Map.groupBy(touched, ({ collection, reach, statements }) => {
    const each = reach === 'one' && statements > 1 ? 'one each' : reach;
    return `${nameOf(collection)} (${each})`;
  });
  return [kind, shown[widest ?? 'one'], [...byPlace.keys()].sort().join(', ')];
}

describeOnCluster('the store', () => {
  it('shards the collections of records, each with an index that begins with the key', async () => {
    const keys = shardKeys(model);
    expect(keys.get(owned)).toEqual({ p: 1, b: 1, _id: 1 });
    expect(keys.get(other)).toEqual({ p: 1, _id: 1 });
    for (const [name, shardKey] of keys) {
      const indexes = await client.db().collection(name).indexes();
      expect(indexes.map(index => JSON.stringify(index.key))).toContain(JSON.stringify(shardKey));
    }
  });

  it.skipIf(!simulated)('sends its commands to the shards that the README says', async () => {
    await clinic.write([change(patient('p0')), observed('o0', 'p0')]); // what the first write of a process notes
    const rows: (readonly string[])[] = [];
    for (const [kind, work] of kinds) rows.push(await rowOf(kind, work));
    expect(rowsOf('src/store/mongo/README.md', 'Query or write')).toEqual(rows);
  });
});
