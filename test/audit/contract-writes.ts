import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commandEvent } from '../../src/audit/command-event.ts';
import { compareWrites } from '../../src/audit/compare-writes.ts';
import { createRequestEvents } from '../../src/audit/request-event.ts';
import type { AuditEntry } from '../../src/store/audit/line.ts';
import type { Partition } from '../../src/store/port/partitions.ts';
import type { Store } from '../../src/store/port/store.ts';
import type { StoredVersion } from '../../src/store/port/records.ts';
import * as t from '../store/support/fixture.ts';
import { appendEvents, auditOf } from '../support/audit-of.ts';

const publicUrl = 'http://events.example';

/** What `compareWrites` reports about an audit log and its store. */
export function writesContract(newPlace: () => Promise<t.Place>): void {
  let place: t.Place;
  let store: Store;
  let demo: Partition;
  let time: number;
  beforeEach(async () => {
    place = await newPlace();
    time = Date.now() - 3_600_000;
    ({ store, demo } = await t.openDemo(place.url));
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });

  const made = createRequestEvents(t.modelOf(), t.extract, publicUrl, () => (time += 1));
  interface Attempt {
    readonly id: string;
    readonly version?: number;
    readonly status?: number;
    readonly key?: string;
    /** The answer shows nothing of the record. */
    readonly isHidden?: boolean;
    readonly partition?: Partition;
  }
  let requests = 0;
  /** The two events of a write; the first alone where it has no status. */
  const events = ({ id, version = 1, status, key, isHidden, partition = demo }: Attempt): readonly AuditEntry[] => {
    const request = {
      requestId: 'r',
      access: 'open',
      partition,
      method: 'POST',
      interaction: 'create',
      address: '',
      requestKey: (requests += 1),
    } as const;
    const begun = made.begun(request, { type: t.typeName, id, text: '{"entries":[]}', key });
    if (status === undefined) return [begun];
    const record: StoredVersion = { type: t.typeName, id, version, lastUpdated: 1, text: '{"entries":[]}' };
    const records = isHidden === true || status >= 400 ? [] : [record];
    return [begun, made.answered(request, { status, records }, (time += 1))];
  };
  const removal = (outcome: '0' | '8' | undefined): AuditEntry =>
    commandEvent(
      publicUrl,
      (time += 1),
      { command: 'partition remove', kind: 'records', action: 'D', partition: 'demo' },
      outcome,
    );
  const restore = (backedUp: number, outcome: '0' | '8' | undefined): AuditEntry => {
    const details = { time: new Date(backedUp).toISOString() };
    return commandEvent(publicUrl, (time += 1), { command: 'restore', kind: 'import', action: 'C', details }, outcome);
  };
  const keep = (...attempts: readonly Attempt[]): Promise<void> => appendEvents(store, attempts.flatMap(events));
  const compare = async () => {
    const { lost, unfinished } = await compareWrites(auditOf(store), store, {});
    return {
      lost: lost.map(({ partition, record, why }) => `${partition} ${record}: ${why}`),
      unfinished: unfinished.map(({ targets }) => targets.join(' ')),
    };
  };
  const none = { lost: [], unfinished: [] };

  it('misses no record that is there, deleted ones too, and none that was refused', async () => {
    await demo.write(
      ['there', 'deleted', 'hidden'].map(id => t.put(id)),
      t.each,
    );
    await demo.write([t.put('there', [t.token('again')])]);
    await demo.write([t.remove('deleted')]);
    await keep(
      { id: 'there', status: 201 },
      { id: 'there', version: 2, status: 200 },
      { id: 'deleted', status: 201 },
      { id: 'hidden', status: 201, isHidden: true },
      { id: 'refused', status: 422 },
      { id: 'failed', status: 500 },
    );
    expect(await compare()).toEqual(none);
  });

  it('reports a missing record of a completed write, with the missing version', async () => {
    await demo.write([t.put('old'), t.put('there')], t.each);
    await keep(
      { id: 'gone', status: 201 },
      { id: 'hidden', status: 201, isHidden: true },
      { id: 'there', status: 201 },
      { id: 'old', version: 2, status: 200 },
    );
    expect(await compare()).toEqual({
      lost: [
        'demo Basic/gone/_history/1: the audit log has its write, but it does not exist',
        'demo Basic/hidden: the audit log has its write, but it does not exist',
        'demo Basic/old/_history/2: the audit log has a write of version 2, but the last version is 1',
      ],
      unfinished: [],
    });
  });

  it('looks for all of many', async () => {
    const ids = Array.from({ length: 450 }, (_, at) => `r${at}`);
    await demo.write(ids.filter((_, at) => at % 7 !== 0).map(id => t.put(id)), t.each); // prettier-ignore
    await keep(...ids.map(id => ({ id, status: 201 })));
    const { lost } = await compare();
    expect(lost.map(line => line.split('/')[1])).toEqual(ids.filter((_, at) => at % 7 === 0));
  });

  describe('a backup that was restored', () => {
    it('lacks what was written after its time, which is not missed', async () => {
      await keep({ id: 'before', status: 201 });
      const backedUp = (time += 1);
      await keep({ id: 'after', status: 201 });
      await appendEvents(store, [restore(backedUp, undefined), restore(backedUp, '0')]);
      await keep({ id: 'since', status: 201 });
      for (const filter of [{}, { partition: 'demo' }])
        expect((await compareWrites(auditOf(store), store, filter)).lost.map(({ record }) => record)).toEqual([
          'Basic/before/_history/1',
          'Basic/since/_history/1',
        ]);
      expect((await compareWrites(auditOf(store), store, { partition: 'other' })).lost).toEqual([]);
    });

    it('excuses nothing where that failed', async () => {
      const backedUp = (time += 1);
      await keep({ id: 'after', status: 201 });
      await appendEvents(store, [restore(backedUp, '8')]);
      expect((await compare()).lost).toHaveLength(1);
    });
  });

  describe('a partition', () => {
    it('that was removed holds nothing that is missed', async () => {
      await keep({ id: 'a', status: 201 });
      await appendEvents(store, [removal(undefined), removal('0')]);
      await store.partitions.remove('demo');
      expect(await compare()).toEqual(none);
    });

    it('that was removed and added again is missed what it got since', async () => {
      await keep({ id: 'before', status: 201 });
      await appendEvents(store, [removal(undefined), removal('0')]);
      await keep({ id: 'since', status: 201 });
      expect((await compare()).lost).toEqual([expect.stringContaining('demo Basic/since')]);
    });

    it('whose removal failed holds what it held', async () => {
      await appendEvents(store, [removal('8')]);
      await keep({ id: 'a', status: 201 });
      expect((await compare()).lost).toHaveLength(1);
    });

    it('that is missing, and was not removed, is reported with its records', async () => {
      await store.partitions.add('other', { zone: 'UTC' });
      const other = await store.partition('other');
      if (other === undefined) throw new Error('not there');
      await keep({ id: 'a', status: 201, partition: other });
      await store.partitions.remove('other');
      expect((await compare()).lost).toEqual([
        expect.stringMatching(/^other Basic\/a\S*: .*its partition does not exist$/),
      ]);
    });
  });

  describe('writes that were begun and not ended', () => {
    it('are reported, except those that were retried under their key', async () => {
      await demo.write([t.put('second')]);
      await keep(
        { id: 'alone' },
        { id: 'first', key: 'k' },
        { id: 'second', key: 'k', status: 201 },
        { id: 'refused', key: 'l' },
        { id: 'refused-too', key: 'l', status: 422 },
      );
      expect(await compare()).toEqual({ lost: [], unfinished: ['Basic/alone', 'Basic/refused Basic/refused-too'] });
    });

    it('may have got the id of any attempt under their key', async () => {
      await demo.write([t.put('one')]);
      await keep({ id: 'one', key: 'k', status: 201 }, { id: 'two', key: 'k' }, { id: 'three', key: 'k' });
      expect((await compare()).unfinished).toEqual([
        'Basic/one Basic/two Basic/three',
        'Basic/one Basic/two Basic/three',
      ]);
    });
  });
}
