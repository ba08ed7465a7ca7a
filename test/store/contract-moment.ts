// The records at a moment, whatever two processes write meanwhile, whose clocks differ by a minute.
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Partition } from '../../src/store/port/partitions.ts';
import type { Change, WriteResult } from '../../src/store/port/records.ts';
import type { KeptVersion, MomentPlace, MomentRecord } from '../../src/store/port/transfer.ts';
import * as t from './support/fixture.ts';
import { list } from './support/list.ts';

const minute = 60_000;

export function momentContract(newPlace: () => Promise<t.Place>, rounds = 4): void {
  const open = async () => {
    const place = await newPlace();
    onTestFinished(() => place.remove());
    const clocks = [() => Date.now(), () => Date.now() + minute] as const;
    const first = await t.openDemo(place.url, { now: clocks[0] });
    onTestFinished(() => first.store.close());
    const second = await t.openDemo(place.url, { now: clocks[1], mode: 'command' });
    onTestFinished(() => second.store.close());
    return [first.demo, second.demo] as const;
  };

  it('has every write that was acknowledged before it, none that began later, and each change once', async () => {
    const partitions = await open();
    const state = { isOver: false };
    const acknowledged: WriteResult[] = [];
    const someChanges = (): Change[] => {
      const ids = new Set(Array.from({ length: 1 + below(4) }, () => `r${below(300)}`));
      return [...ids].map(id => (below(5) === 0 ? t.remove(id) : t.put(id, [], {}, `${below(1_000_000)}`)));
    };
    const writer = async (partition: Partition): Promise<void> => {
      while (!state.isOver) {
        const results = await partition.write(someChanges(), below(2) === 0 ? t.each : {});
        acknowledged.push(...results);
        await setImmediate();
      }
    };
    await partitions[0].write(
      Array.from({ length: 250 }, (_, at) => t.put(`r${at}`)),
      t.each,
    );
    const writers = [0, 1, 0, 1].map(which => writer(partitions[which === 0 ? 0 : 1]));
    const moments: { moment: number; all: readonly MomentRecord[]; changed: readonly MomentRecord[] }[] = [];
    let since = 0;
    for (let round = 0; round < rounds; round += 1) {
      const partition = partitions[round % 2 === 0 ? 1 : 0];
      const before = acknowledged.length;
      const called = Date.now();
      const moment = await partition.moment();
      const later = await partitions[round % 2 === 0 ? 0 : 1].write([t.put(`later${round}`)]);
      expect(moment).toBeGreaterThanOrEqual(called);
      expect(later[0]?.lastUpdated).toBeGreaterThan(moment);
      expect(acknowledged.slice(0, before).filter(({ lastUpdated }) => lastUpdated > moment)).toEqual([]);
      const [all, changed] = await Promise.all([walk(partition, moment), walk(partition, moment, since)]);
      moments.push({ moment, all, changed });
      since = moment;
    }
    state.isOver = true;
    await Promise.all(writers);
    const versions = await list(partitions[0].export({ type: t.typeName }));
    since = 0;
    for (const { moment, all, changed } of moments) {
      const states = statesAt(versions, moment);
      const there = states.filter(({ text }) => text !== undefined);
      expect(all.map(keyOf)).toEqual(there.map(keyOf));
      expect(all.map(({ text }) => text)).toEqual(there.map(({ text }) => text));
      const from = since;
      expect(changed.map(keyOf).sort()).toEqual(
        states
          .filter(({ lastUpdated }) => lastUpdated > from)
          .map(keyOf)
          .sort(),
      );
      const removed = changed.filter(({ text }) => text === undefined);
      for (const { id, version, before } of removed) expect(before).toMatchObject({ id, version: version - 1 });
      since = moment;
    }
  });

  it('is read in pages, from any of them on, with owners and attachments', async () => {
    const [demo] = await open();
    const attachment = { path: 'Basic.x', contentType: 'text/plain', ...(await demo.putAttachment(Buffer.from('x'))) };
    await demo.write(
      Array.from({ length: 450 }, (_, at) => t.put(`a${String(at).padStart(3, '0')}`)),
      t.each,
    );
    await demo.write([t.put('a100', [], { attachments: [attachment] }, 'carries')]);
    const moment = await demo.moment();
    await demo.write([t.put('a100', [], { attachments: [] }, 'does not'), t.remove('a200'), t.put('b')]);
    const all = await walk(demo, moment);
    expect(all).toHaveLength(450);
    expect(all[100]).toMatchObject({ id: 'a100', version: 2, attachments: [attachment] });
    expect(all[200]).toMatchObject({ id: 'a200', version: 1, attachments: [] });
    for (const since of [undefined, 0]) {
      const places: MomentPlace[] = [];
      for await (const { end } of demo.at({ type: t.typeName, moment, since })) places.push(end);
      expect(places.length).toBeGreaterThan(1);
      const rest = await walk(demo, moment, since, JSON.parse(JSON.stringify(places[0])));
      const whole = await walk(demo, moment, since);
      expect(rest.map(keyOf)).toEqual(whole.map(keyOf).slice(-rest.length));
      expect(rest.length).toBeLessThan(whole.length);
    }
    expect(await walk(demo, moment, moment)).toEqual([]);
  });

  describe('of an empty type', () => {
    it('has nothing', async () => {
      const [demo] = await open();
      expect(await walk(demo, await demo.moment())).toEqual([]);
      expect(await walk(demo, await demo.moment(), 0)).toEqual([]);
    });
  });
}

const below = (most: number): number => Math.floor(Math.random() * most);

async function walk(
  partition: Partition,
  moment: number,
  since?: number,
  after?: MomentPlace,
): Promise<readonly MomentRecord[]> {
  const found: MomentRecord[] = [];
  for await (const { records } of partition.at({ type: t.typeName, moment, since, after })) {
    found.push(...records);
    await setImmediate();
  }
  return found;
}

const keyOf = ({ id, version, lastUpdated, text }: KeptVersion): string =>
  `${id}/${version} at ${lastUpdated}${text === undefined ? ', removed' : ''}`;

/** The last version of each record up to a time, by id. */
function statesAt(versions: readonly KeptVersion[], time: number): readonly KeptVersion[] {
  const states = new Map<string, KeptVersion>();
  for (const version of versions) if (version.lastUpdated <= time) states.set(version.id, version);
  return [...states.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}
