import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Model } from '../../src/model/model.ts';
import { AttachmentMissing } from '../../src/store/port/errors.ts';
import type { KeptVersion, Note } from '../../src/store/port/transfer.ts';
import type { Partition } from '../../src/store/port/partitions.ts';
import type { Store, StoreOptions } from '../../src/store/port/store.ts';
import { bytesOf } from './support/bytes-of.ts';
import * as t from './support/fixture.ts';
import { list } from './support/list.ts';
import { attachmentSteps, indexSteps } from './support/verified.ts';
import { attachmentsIn } from '../support/attached.ts';

/** What every store promises about copying what it keeps to another store, and taking what another kept. */
export function migrateContract(newPlace: () => Promise<t.Place>): void {
  let places: t.Place[];
  let from: { store: Store; demo: Partition };
  let to: { store: Store; demo: Partition };
  let time = 1_000;
  const open = async (url: string, options: Partial<StoreOptions> = {}): Promise<typeof from> =>
    t.openDemo(url, { now: () => time, ...options });
  const reopen = async (options: Partial<StoreOptions> = {}): Promise<void> => {
    await to.store.close();
    to = await open(places[1]?.url ?? '', options);
  };
  beforeEach(async () => {
    time = 1_000;
    places = [await newPlace(), await newPlace()];
    from = await open(places[0]?.url ?? '');
    to = await open(places[1]?.url ?? '');
  });
  afterEach(async () => {
    await from.store.close();
    await to.store.close();
    for (const place of places) await place.remove();
  });

  const versionsOf = (partition: Partition, after?: string): Promise<readonly KeptVersion[]> =>
    list(
      partition.export({ type: t.typeName, after: after === undefined ? undefined : { type: t.typeName, id: after } }),
    );
  const typesOf = async (partition: Partition | undefined): Promise<readonly string[]> =>
    partition === undefined ? [] : [...new Set((await list(partition.export())).map(({ type }) => type))];

  /** A resource with three versions, one that is removed, one that came again, and one with one version. */
  const fill = async (): Promise<void> => {
    const each = { unit: 'each' } as const;
    await from.demo.write([t.put('a', [t.token('one')]), t.put('gone', [t.token('gone')]), t.put('again')], each);
    time = 2_000;
    await from.demo.write([t.put('a', [t.token('two')]), t.remove('gone'), t.remove('again')], each);
    time = 3_000;
    const changed = t.put('a', [t.token('three'), t.named('Ann'), t.on(3)], {}, 'é 1.10');
    await from.demo.write([changed, t.put('again', [t.token('again')]), t.put('single')], each);
  };

  describe('export', () => {
    it('gives all versions and tombstones by id, then version', async () => {
      await fill();
      const found = await versionsOf(from.demo);
      expect(found.map(({ id, version, text }) => [id, version, text === undefined])).toEqual([
        ['a', 1, false],
        ['a', 2, false],
        ['a', 3, false],
        ['again', 1, false],
        ['again', 2, true],
        ['again', 3, false],
        ['gone', 1, false],
        ['gone', 2, true],
        ['single', 1, false],
      ]);
      for (const one of found) {
        const { attachments, ...version } = one;
        expect(attachments).toEqual([]);
        expect(await from.demo.read(t.typeName, one.id, one.version)).toEqual(version);
      }
      expect((await versionsOf(from.demo, 'again')).map(({ id }) => id)).toEqual(['gone', 'gone', 'single']);
      expect(await list(from.demo.export({ type: 'Unknown' }))).toEqual([]);
    });

    it('names the types with stored records, tombstones too', async () => {
      expect(await typesOf(from.demo)).toEqual([]);
      await from.demo.write([t.put('a')]);
      await from.demo.write([t.remove('a')]);
      expect(await typesOf(from.demo)).toEqual([t.typeName]);
      await from.store.partitions.add('other', { zone: 'UTC' });
      expect(await typesOf(await from.store.partition('other'))).toEqual([]);
    });

    it('gives them by type, and continues after a record', async () => {
      await from.demo.write([t.put('a'), t.put('b')], t.each);
      const ours = await versionsOf(from.demo);
      await to.demo.import(ours.flatMap(one => [one, { ...one, type: 'Aaa' }, { ...one, type: 'Zzz' }]));
      const keys = async (after?: { readonly type: string; readonly id: string }): Promise<readonly string[]> =>
        (await list(to.demo.export({ after }))).map(({ type, id }) => `${type}/${id}`);
      const all = ['Aaa', t.typeName, 'Zzz'].flatMap(type => [`${type}/a`, `${type}/b`]);
      expect(await keys()).toEqual(all);
      expect(await keys({ type: t.typeName, id: 'a' })).toEqual(all.slice(3));
      expect(await keys({ type: t.typeName, id: 'b' })).toEqual(all.slice(4));
      expect(await keys({ type: 'Between', id: 'b' })).toEqual(all.slice(4));
    });

    it('goes over many', async () => {
      await from.demo.write(
        Array.from({ length: 450 }, (_, at) => t.put(`r${at}`)),
        { unit: 'each' },
      );
      expect(await versionsOf(from.demo)).toHaveLength(450);
    });
  });

  describe('import', () => {
    it('keeps versions exactly as they were, and finds the current ones alone', async () => {
      await fill();
      await to.demo.import(await versionsOf(from.demo));
      expect(await versionsOf(to.demo)).toEqual(await versionsOf(from.demo));
      expect(await to.demo.read(t.typeName, 'a')).toEqual(await from.demo.read(t.typeName, 'a'));
      const codes = ['one', 'two', 'three', 'gone', 'again'];
      expect(await Promise.all(codes.map(code => t.find(to.demo, t.hasCode(code))))).toEqual([
        [],
        [],
        ['a'],
        [],
        ['again'],
      ]);
      expect(await t.find(to.demo, { kind: 'all' })).toEqual(await t.find(from.demo, { kind: 'all' }));
      expect(await to.demo.count(t.typeName)).toBe(3);
      expect((await indexSteps(to.store, 'demo')).flatMap(({ findings }) => findings)).toEqual([]);
    });

    it('may be repeated, and continues where something is there', async () => {
      await fill();
      const all = await versionsOf(from.demo);
      await to.demo.import(all.filter(({ version }) => version < 3));
      await to.demo.import(all.filter(({ version }) => version !== 2));
      await to.demo.import(all);
      await to.demo.import(all);
      expect(await versionsOf(to.demo)).toEqual(all);
      expect(await to.demo.count(t.typeName)).toBe(3);
      expect((await indexSteps(to.store, 'demo')).flatMap(({ findings }) => findings)).toEqual([]);
    });

    it('keeps what exists already', async () => {
      await fill();
      time = 500;
      await to.demo.write([t.put('a', [t.token('own')])]);
      await to.demo.import(await versionsOf(from.demo));
      expect((await to.demo.read(t.typeName, 'a', 1))?.text).toContain('"code":"own"');
      expect((await to.demo.read(t.typeName, 'a'))?.version).toBe(3);
      expect(await t.find(to.demo, t.hasCode('own'))).toEqual([]);
    });

    it('refuses versions of a resource that are not in order', async () => {
      await fill();
      await expect(to.demo.import((await versionsOf(from.demo)).toReversed())).rejects.toThrow('in order');
      expect(await versionsOf(to.demo)).toEqual([]);
    });

    it('keeps its mark', async () => {
      await fill();
      await to.demo.import(await versionsOf(from.demo), { mark: { key: 'copy', value: 'a' } });
      await to.demo.import([], { mark: { key: 'copy', value: 'b' } });
      expect(await to.demo.mark('copy')).toBe('b');
    });

    it('continues counting versions, later than all that was restored', async () => {
      await fill();
      const all = await versionsOf(from.demo);
      await to.demo.import(all);
      time = 100;
      const [again, changed] = await to.demo.write([t.put('gone'), t.put('a', [t.token('four')])], { unit: 'each' });
      expect(again).toMatchObject({ outcome: 'created', version: 3 });
      expect(changed).toMatchObject({ outcome: 'updated', version: 4 });
      expect(changed?.lastUpdated).toBeGreaterThan(Math.max(...all.map(({ lastUpdated }) => lastUpdated)));
    });

    it('keeps what the definitions do not declare, without entries until they do', async () => {
      await fill();
      const all = await versionsOf(from.demo);
      const none: Model = { ...t.modelOf(), types: new Map(), digest: 'none' };
      await reopen({ model: none });
      await to.demo.import(all);
      expect(await versionsOf(to.demo)).toEqual(all);
      expect(await typesOf(to.demo)).toEqual([t.typeName]);
      await reopen();
      for await (const _ of to.store.indexes.rebuild('demo'));
      expect(await t.find(to.demo, t.hasCode('three'))).toEqual(['a']);
      expect(await t.find(to.demo, { kind: 'all' })).toEqual(await t.find(from.demo, { kind: 'all' }));
    });

    it('keeps what each version carries, once the bytes are there', async () => {
      const attached = async (name: string) => ({
        path: 'Basic.content',
        contentType: 'image/jpeg',
        ...(await from.demo.putAttachment(bytesOf(name))),
      });
      const [first, second] = [await attached('first'), await attached('second')];
      await from.demo.write([t.put('a', [], { attachments: [first] })]);
      await from.demo.write([t.put('a', [t.token('x')])]);
      await from.demo.write([t.put('a', [t.token('y')], { attachments: [second, first] })]);
      const all = await versionsOf(from.demo);
      expect(all.map(({ attachments }) => attachments)).toEqual([[first], [first], [second, first]]);
      await expect(to.demo.import(all)).rejects.toThrow(AttachmentMissing);
      expect(await versionsOf(to.demo)).toEqual([]);
      await to.demo.putAttachment(bytesOf('first'));
      await to.demo.putAttachment(bytesOf('second'));
      await to.demo.import(all);
      expect(await versionsOf(to.demo)).toEqual(all);
      expect((await attachmentsIn(to.demo, t.typeName)).map(({ digest }) => digest)).toEqual([
        second.digest,
        first.digest,
      ]);
      expect((await attachmentSteps(to.store, to.demo.id)).flatMap(({ findings }) => findings)).toEqual([]);
    });
  });

  describe('notes', () => {
    const byKind = (notes: readonly Note[]): readonly string[] => notes.map(note => JSON.stringify(note)).toSorted();

    it('are documents, marks and keys, and are the same in another store', async () => {
      await from.store.documents('things').put('one', { a: [1, 'é', null] }, { expires: 9_000 });
      await from.store.documents('things').put('always', 'text');
      await from.store.documents('things').put('expired', 1, { expires: 900 });
      const key = { key: 'k', body: 'b', expires: 9_000 };
      const [result] = await from.demo.write([t.put('a')], { key, mark: { key: 'load', value: '7' } });
      const notes = await list(from.store.export());
      expect(byKind(notes)).toEqual(
        byKind([
          { kind: 'document', collection: 'things', key: 'always', value: 'text', expires: undefined },
          { kind: 'document', collection: 'things', key: 'one', value: { a: [1, 'é', null] }, expires: 9_000 },
          { kind: 'mark', partition: 'demo', mark: { key: 'load', value: '7' } },
          { kind: 'key', partition: 'demo', key, results: result === undefined ? [] : [result] },
        ]),
      );
      await to.store.import(notes);
      await to.store.import(notes);
      expect(byKind(await list(to.store.export()))).toEqual(byKind(notes));
      expect(await to.store.documents('things').get('one')).toEqual({ a: [1, 'é', null] });
      expect(await to.demo.mark('load')).toBe('7');
      const repeated = await to.demo.write([t.put('a')], { key });
      expect(repeated).toEqual([{ ...result, outcome: 'repeated', first: 'created' }]);
      time = 10_000;
      expect((await list(to.store.export())).map(({ kind }) => kind).toSorted()).toEqual(['document', 'mark']);
    });

    it('are refused where their partition is not there', async () => {
      const note: Note = { kind: 'mark', partition: 'nobody', mark: { key: 'a', value: 'b' } };
      await expect(to.store.import([note])).rejects.toThrow('There is no partition `nobody`');
    });
  });
}
