// https://hl7.org/fhir/R4/http.html#history
import { expect, it, onTestFinished } from 'vitest';
import { splitForStamp } from '../../src/fhir/resource-text.ts';
import type { Model } from '../../src/model/model.ts';
import type { Partition } from '../../src/store/port/partitions.ts';
import type { Change } from '../../src/store/port/records.ts';
import type { HistoryScope, KeptVersion } from '../../src/store/port/transfer.ts';
import * as t from './support/fixture.ts';
import { list } from './support/list.ts';

/** The fixture's model with a second type, and with the history of whole types. */
function model(): Model {
  const base = t.modelOf();
  const [type] = base.types.values();
  if (type === undefined) throw new Error('The model has no type');
  const withHistory = { ...type, interactions: new Set(['history-type'] as const) };
  return {
    ...base,
    types: new Map([t.typeName, 'List'].map(name => [name, { ...withHistory, name }])),
  };
}

const ofList = (id: string, note: string): Change => {
  const text = JSON.stringify({ resourceType: 'List', entries: [], note });
  return { kind: 'put', type: 'List', id, text: splitForStamp(text, id) };
};

/** Ids that sort differently with a separator behind them. */
const ids = ['a', 'a-b', 'a.c', 'b', 'B', 'ab'];

/** Versions, tombstones and records that came again; many of one time, since they were written together. */
async function fill(demo: Partition, clock: { time: number }): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    clock.time += 10;
    await demo.write(
      ids.map(id => t.put(id, [t.token(`${round}`)])),
      t.each,
    );
    await demo.write([ofList('l', `${round}`), ofList('a', `${round}`)], t.each);
    if (round % 2 === 1) await demo.write([t.remove('b'), t.remove('a-b')], t.each);
  }
  await demo.write([t.remove('B')]);
}

const both = [{ type: t.typeName }, { type: 'List' }];

/** What `export` gives without an order, in the order of a scope. */
async function expected(demo: Partition, { order, of, from = 0, to = Infinity }: HistoryScope) {
  const all = await list(demo.export());
  const isMeant = ({ type, id }: KeptVersion): boolean =>
    of.some(one => one.type === type && (one.ids === undefined || one.ids.includes(id)));
  const compare = (a: KeptVersion, b: KeptVersion): number =>
    a.lastUpdated - b.lastUpdated ||
    Number(a.type > b.type) - Number(a.type < b.type) ||
    Number(a.id > b.id) - Number(a.id < b.id) ||
    a.version - b.version;
  const sorted = all
    .filter(one => isMeant(one) && one.lastUpdated >= from && one.lastUpdated <= to)
    .sort((a, b) => (order === 'newest' ? compare(b, a) : compare(a, b)));
  return sorted.map(keyOf);
}

const keyOf = ({ type, id, version, lastUpdated, text }: KeptVersion): string =>
  `${type}/${id}/${version} at ${lastUpdated}${text === undefined ? ', removed' : ''}`;

/** What every store promises of versions in the order of time. */
export function historyContract(newPlace: () => Promise<t.Place>): void {
  const open = async () => {
    const place = await newPlace();
    onTestFinished(() => place.remove());
    const clock = { time: 1_000 };
    const { store, demo } = await t.openDemo(place.url, { model: model(), now: () => clock.time });
    onTestFinished(() => store.close());
    await fill(demo, clock);
    return { demo, clock };
  };

  it('gives versions in the order of time, tombstones too, whatever is read at once', async () => {
    const { demo } = await open();
    const scopes: Omit<HistoryScope, 'order' | 'slice'>[] = [
      { of: both },
      { of: [{ type: t.typeName }] },
      { of: [{ type: t.typeName, ids: ['a'] }] },
      { of: [{ type: t.typeName, ids: ['b', 'a-b', 'none'] }, { type: 'List', ids: ['l'] }, { type: 'Unknown' }] },
      { of: both, from: 1_020, to: 1_040 },
      { of: [{ type: t.typeName, ids: ['b'] }], from: 1_030 },
      { of: [{ type: t.typeName, ids: ids }], to: 1_030 },
      { of: [] },
    ];
    for (const scope of scopes)
      for (const order of ['newest', 'oldest'] as const) {
        const wanted = await expected(demo, { ...scope, order, slice: 1 });
        for (const slice of [1, 3, 7, 1_000]) {
          const found = await list(demo.export({ ...scope, order, slice }));
          expect({ scope, order, slice, found: found.map(keyOf) }).toEqual({ scope, order, slice, found: wanted });
        }
      }
    expect((await expected(demo, { of: both, order: 'newest', slice: 1 })).length).toBe(45);
  });

  it('continues after any version', async () => {
    const { demo } = await open();
    for (const order of ['newest', 'oldest'] as const)
      for (const of of [both, [{ type: t.typeName, ids: ['a', 'a-b'] }]]) {
        const all = await list(demo.export({ order, of, slice: 10 }));
        for (const [at, after] of all.entries()) {
          const rest = await list(demo.export({ order, of, after, slice: 4 }));
          expect(rest.map(keyOf)).toEqual(all.slice(at + 1).map(keyOf));
        }
      }
  });

  it('returns each version exactly, with its attachments', async () => {
    const { demo } = await open();
    for (const { attachments, ...version } of await list(demo.export({ order: 'newest', of: both, slice: 10 }))) {
      expect(await demo.read(version.type, version.id, version.version)).toEqual(version);
      expect(attachments).toEqual([]);
    }
    const bytes = Buffer.from('content');
    const attached = { path: 'Basic.content', contentType: 'text/plain', ...(await demo.putAttachment(bytes)) };
    await demo.write([t.put('with', [], { attachments: [attached] })]);
    await demo.write([t.remove('with')]);
    const found = await list(demo.export({ order: 'oldest', of: [{ type: t.typeName, ids: ['with'] }], slice: 10 }));
    expect(found.map(({ attachments }) => attachments)).toEqual([[attached], []]);
  });

  it('a walk repeats and omits nothing while records change', async () => {
    const { demo, clock } = await open();
    const wanted = await expected(demo, { of: both, order: 'newest', slice: 1 });
    const seen: string[] = [];
    for await (const version of demo.export({ order: 'newest', of: both, slice: 2 })) {
      seen.push(keyOf(version));
      clock.time += 5;
      const id = ids[seen.length % ids.length] ?? 'a';
      await demo.write([seen.length % 3 === 0 ? t.remove(id) : t.put(id, [t.token(`later ${seen.length}`)])]);
    }
    expect(seen).toEqual(wanted);
  });

  it('belongs to its partition', async () => {
    const place = await newPlace();
    onTestFinished(() => place.remove());
    const { store, demo } = await t.openDemo(place.url, { model: model() });
    onTestFinished(() => store.close());
    await store.partitions.add('other', { zone: 'UTC' });
    const other = await store.partition('other');
    await demo.write([t.put('a')]);
    await other?.write([t.put('b')]);
    const found = await list(demo.export({ order: 'newest', of: both, slice: 10 }));
    expect(found.map(({ id }) => id)).toEqual(['a']);
  });
}
