import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  IndexPending,
  PartitionExists,
  RecordTooLarge,
  StoreRefused,
  RequirementFailed,
  VersionConflict,
} from '../../src/store/port/errors.ts';
import { longestRecord } from '../../src/store/port/records.ts';
import type { WriteResult } from '../../src/store/port/records.ts';
import type { Partition } from '../../src/store/port/partitions.ts';
import type { Store, StoreOptions } from '../../src/store/port/store.ts';
import { list } from './support/list.ts';
import * as t from './support/fixture.ts';
import { type Where, whereKept } from './support/where.ts';
import { current } from './support/current.ts';
import { indexSteps } from './support/verified.ts';

/** What every store promises; written against the port alone. */
export function contract(where: Where): void {
  const itInOrder = whereKept(it, where, 'commit-order');
  let place: t.Place;
  let store: Store;
  let demo: Partition;
  let time = 1_000;
  const openDemo = (options: Partial<StoreOptions>) => t.openDemo(place.url, options, where.open);
  const open = async (options: Partial<StoreOptions> = {}): Promise<void> => {
    ({ store, demo } = await openDemo({ now: () => time, ...options }));
  };
  beforeEach(async () => {
    time = 1_000;
    place = await where.newPlace();
    await open();
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });

  describe('write and read', () => {
    it('stores the text around the stamp, exactly', async () => {
      const change = t.put('a', [], {}, 'é 1.10');
      const [result] = await demo.write([change]);
      expect(result).toMatchObject({ outcome: 'created', id: 'a', version: 1, lastUpdated: 1_000 });
      const stamp = '"versionId":"1","lastUpdated":"1970-01-01T00:00:01.000Z"';
      expect(await demo.read(t.typeName, 'a')).toEqual({
        type: t.typeName,
        id: 'a',
        version: 1,
        lastUpdated: 1_000,
        text: change.text.before + stamp + change.text.after,
      });
    });

    it('knows nothing of other ids, types and partitions', async () => {
      await store.partitions.add('other', { zone: 'UTC' });
      await demo.write([t.put('a')]);
      const other = await store.partition('other');
      expect(await demo.read(t.typeName, 'b')).toBeUndefined();
      expect(await demo.read('Unknown', 'a')).toBeUndefined();
      expect(await other?.read(t.typeName, 'a')).toBeUndefined();
      expect(await other?.count(t.typeName, { kind: 'all' })).toBe(0);
    });

    it('makes no version of the same text, the next of another, and keeps the old', async () => {
      await demo.write([t.put('a', [t.token('x')])]);
      expect(await demo.write([t.put('a', [t.token('x')])])).toMatchObject([{ outcome: 'unchanged', version: 1 }]);
      expect(await demo.write([t.put('a', [t.token('y')])])).toMatchObject([{ outcome: 'updated', version: 2 }]);
      expect((await demo.read(t.typeName, 'a', 1))?.text).toContain('"code":"x"');
      expect((await demo.read(t.typeName, 'a', 2))?.text).toContain('"code":"y"');
      expect(await demo.read(t.typeName, 'a', 3)).toBeUndefined();
      expect([await t.find(demo, t.hasCode('x')), await t.find(demo, t.hasCode('y'))]).toEqual([[], ['a']]);
    });

    it('leaves a tombstone that has a version, and continues counting after it', async () => {
      await demo.write([t.put('a', [t.token('x')])]);
      expect(await demo.write([t.remove('a')])).toMatchObject([{ outcome: 'removed', version: 2 }]);
      expect(await demo.read(t.typeName, 'a')).toMatchObject({ version: 2, text: undefined });
      expect(await t.find(demo, { kind: 'all' })).toEqual([]);
      expect(await demo.write([t.remove('a')])).toMatchObject([{ outcome: 'unchanged', version: 2 }]);
      expect(await demo.write([t.remove('b')])).toMatchObject([{ outcome: 'unchanged', version: 0 }]);
      expect(await demo.write([t.put('a', [t.token('x')])])).toMatchObject([{ outcome: 'created', version: 3 }]);
      expect(await demo.read(t.typeName, 'a', 2)).toMatchObject({ version: 2, text: undefined });
      expect(await t.find(demo, t.hasCode('x'))).toEqual(['a']);
    });

    const severalOfOne = async (unit: 'all' | 'each') => {
      const codes = ['x', 'y', 'z'];
      const [x, y, z] = codes.map(code => t.put('a', [t.token(code)]));
      const results = await demo.write(
        [x, y, t.remove('a'), z].filter(change => change !== undefined),
        { unit },
      );
      return {
        done: results.map(({ outcome, version }) => `${outcome} ${version}`),
        found: await Promise.all(codes.map(code => t.find(demo, t.hasCode(code)))),
        count: await demo.count(t.typeName),
      };
    };
    const lastOfSeveral = {
      done: ['created 1', 'updated 2', 'removed 3', 'created 4'],
      found: [[], [], ['a']],
      count: 1,
    };

    it('takes several changes of one resource in one write', async () => {
      expect(await severalOfOne('all')).toEqual(lastOfSeveral);
    });

    it('takes several changes of one resource one by one, in order', async () => {
      expect(await severalOfOne('each')).toEqual(lastOfSeveral);
    });

    it('takes several changes of one resource in a write that is larger than what is prepared at once', async () => {
      const others = Array.from({ length: 300 }, (_, at) => t.put(`o${at}`));
      const results = await demo.write([t.put('a', [t.token('x')]), ...others, t.put('a', [t.token('y')])]);
      expect(results.map(({ id }) => id)).toEqual(['a', ...others.map(({ id }) => id), 'a']);
      expect(results.at(-1)).toMatchObject({ outcome: 'updated', version: 2 });
      expect(await demo.read(t.typeName, 'a', 1)).toMatchObject({ version: 1 });
      expect([await t.find(demo, t.hasCode('x')), await t.find(demo, t.hasCode('y'))]).toEqual([[], ['a']]);
    });

    it('gives changes that are written at once one lastUpdated', async () => {
      const [a, b] = await demo.write([t.put('a'), t.put('b')]);
      expect(a?.lastUpdated).toBe(b?.lastUpdated);
    });

    itInOrder('gives a commit a later lastUpdated than the one before, also when the clock goes back', async () => {
      await demo.write([t.put('a')]);
      time = 500;
      const [b] = await demo.write([t.put('b')]);
      expect(b?.lastUpdated).toBe(1_001);
    });

    it('gives a version a later lastUpdated than the one before it, also when the clock goes back', async () => {
      const other = await openDemo({ mode: 'command', now: () => 500 });
      await demo.write([t.put('a', [t.token('x')])]);
      expect(await other.demo.write([t.put('a', [t.token('y')])])).toMatchObject([{ lastUpdated: 1_001 }]);
      expect(await other.demo.write([t.remove('a')])).toMatchObject([{ lastUpdated: 1_002 }]);
      expect(await demo.write([t.put('a')])).toMatchObject([{ version: 4, lastUpdated: 1_003 }]);
      await other.store.close();
    });

    it('writes all or nothing', async () => {
      await demo.write([t.put('a')]);
      const conflict = demo.write([t.put('b'), t.put('a', [], { precondition: { is: 'absent' } })], {
        mark: { key: 'load', value: '1' },
      });
      await expect(conflict).rejects.toThrow(VersionConflict);
      expect(await demo.read(t.typeName, 'b')).toBeUndefined();
      expect(await demo.mark('load')).toBeUndefined();
      expect(await demo.count(t.typeName)).toBe(1);
    });

    it('writes one by one what its preconditions allow, and reports what is done beside a conflict', async () => {
      const ids = Array.from({ length: 40 }, (_, at) => `r${at}`);
      await demo.write(
        ids.map(id => t.put(id)),
        t.each,
      );
      const changes = ids.map(id => ({ ...t.remove(id), precondition: { is: 'version', version: 1 } as const }));
      const remove = async (): Promise<ReadonlyMap<number, WriteResult>> => {
        try {
          return new Map((await demo.write(changes, t.each)).entries());
        } catch (error) {
          if (error instanceof VersionConflict) return error.done;
          throw error;
        }
      };
      const all = (await Promise.all([remove(), remove(), remove()])).flatMap(done => [...done]);
      expect(new Set(all.map(([at]) => at)).size).toBe(all.length);
      for (const [at, { outcome, lastUpdated }] of all) {
        expect(outcome).toBe('removed');
        const version = await demo.read(t.typeName, ids[at] ?? '');
        expect(version).toMatchObject({ version: 2, lastUpdated, text: undefined });
      }
      expect(await demo.count(t.typeName)).toBe(ids.length - all.length);
    });

    it('writes nothing one by one if what the write requires does not hold', async () => {
      const requires = [{ is: 'there', type: t.typeName, id: 'none' }] as const;
      const write = demo.write([t.put('a'), t.put('b')], { ...t.each, requires });
      await expect(write).rejects.toThrow(RequirementFailed);
      expect(await demo.count(t.typeName)).toBe(0);
    });

    it('says what it lacks, and writes several changes at once with their mark', async () => {
      expect(store.lacks.map(({ promise }) => promise)).toEqual(where.lacks ?? []);
      await demo.write([t.put('a'), t.put('b')], { mark: { key: 'load', value: '1' } });
      expect(await demo.count(t.typeName)).toBe(2);
      expect(await demo.mark('load')).toBe('1');
    });

    it('refuses a record that is too large, and takes the largest', async () => {
      const length =
        longestRecord -
        JSON.stringify({
          resourceType: t.typeName,
          id: 'a',
          meta: { versionId: '1', lastUpdated: new Date().toISOString() },
          entries: [],
          note: '',
        }).length;
      await demo.write([t.put('a', [], {}, 'x'.repeat(length))]);
      expect((await demo.read(t.typeName, 'a'))?.text).toHaveLength(longestRecord);
      for (const unit of ['all', 'each'] as const)
        await expect(demo.write([t.put('a', [], {}, 'x'.repeat(length + 1))], { unit })).rejects.toThrow(
          RecordTooLarge,
        );
      await expect(demo.write([t.put('b'), t.put('a', [], {}, 'é'.repeat(length))], t.each)).rejects.toThrow(
        RecordTooLarge,
      );
      expect((await demo.read(t.typeName, 'a'))?.version).toBe(1);
    });

    it.each([
      ['absent, there', { is: 'absent' }, 'a', false],
      ['absent, not there', { is: 'absent' }, 'b', true],
      ['absent, removed', { is: 'absent' }, 'gone', true],
      ['never used, there', { is: 'absent', version: 0 }, 'a', false],
      ['never used, not there', { is: 'absent', version: 0 }, 'b', true],
      ['never used, removed', { is: 'absent', version: 0 }, 'gone', false],
      ['absent at a version, removed', { is: 'absent', version: 2 }, 'gone', true],
      ['absent at a version, removed since', { is: 'absent', version: 1 }, 'gone', false],
      ['version, the same', { is: 'version', version: 1 }, 'a', true],
      ['version, another', { is: 'version', version: 2 }, 'a', false],
      ['version, not there', { is: 'version', version: 1 }, 'b', false],
      ['version, removed', { is: 'version', version: 2 }, 'gone', false],
    ] as const)('asks a precondition: %s', async (_, precondition, id, holds) => {
      await demo.write([t.put('a'), t.put('gone')], t.each);
      await demo.write([t.remove('gone')]);
      const write = demo.write([t.put(id, [t.token('new')], { precondition })]);
      const [result] = await Promise.allSettled([write]);
      const failure: unknown = result.status === 'rejected' ? result.reason : undefined;
      expect(failure instanceof VersionConflict).toBe(!holds);
    });

    it('lets writes that fail alone when many are under way, and loses none of the others', async () => {
      const writes = Array.from({ length: 200 }, (_, at) =>
        demo.write([
          t.put(
            `r${at % 50}`,
            [t.token(String(at))],
            at % 4 === 3 ? { precondition: { is: 'version', version: 99 } } : {},
          ),
        ]),
      );
      const results = await Promise.allSettled(writes);
      expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(50);
      const versions = await Promise.all(Array.from({ length: 50 }, (_, at) => demo.read(t.typeName, `r${at}`)));
      expect(versions.reduce((sum, version) => sum + (version?.version ?? 0), 0)).toBe(150);
      for (const { id, text = '' } of versions.filter(version => version !== undefined)) {
        const code = /"code":"(\d+)"/.exec(text)?.[1] ?? '';
        expect(await t.find(demo, t.hasCode(code))).toEqual([id]);
      }
    });

    it('shows a write that was acknowledged to the next read, also in the same turn', async () => {
      const writeAndRead = async (id: string): Promise<void> => {
        for (const version of [1, 2, 3, 4, 5]) {
          const value = `${id}-${version}`;
          await Promise.all([demo.write([t.put(id, [t.token(value)])]), demo.read(t.typeName, id)]);
          expect((await demo.read(t.typeName, id))?.version).toBe(version);
          expect(await t.find(demo, t.hasCode(value))).toEqual([id]);
          expect(await t.find(demo, t.hasCode(`${id}-${version - 1}`))).toEqual([]);
        }
      };
      await Promise.all(Array.from({ length: 20 }, (_, at) => writeAndRead(`r${at}`)));
      expect(await demo.count(t.typeName, { kind: 'all' })).toBe(20);
    });

    it('shows a write that another acknowledged to the next read, while it reads in every turn', async () => {
      const other = await openDemo({ mode: 'command' });
      for (let at = 0; at < 20; at += 1) {
        const acknowledged = other.demo.write([t.put(`r${at}`)]).then(() => true);
        do await demo.read(t.typeName, 'a');
        while (!(await Promise.race([acknowledged, setImmediate(false)])));
        expect((await demo.read(t.typeName, `r${at}`))?.version).toBe(1);
      }
      await other.store.close();
    });

    it('keeps a mark with its write, by partition', async () => {
      await demo.write([], { mark: { key: 'load', value: '1' } });
      await demo.write([t.put('a')], { mark: { key: 'load', value: '2' } });
      await store.partitions.add('other', { zone: 'UTC' });
      expect(await demo.mark('load')).toBe('2');
      expect(await (await store.partition('other'))?.mark('load')).toBeUndefined();
    });

    it('reads many and scans in the order of ids, without tombstones', async () => {
      await demo.write(
        Array.from({ length: 450 }, (_, at) => t.put(`r${String(at).padStart(3, '0')}`)),
        t.each,
      );
      await demo.write([t.remove('r007')]);
      const ids = (await list(current(demo, t.typeName))).map(({ id }) => id);
      expect(ids).toHaveLength(449);
      expect(ids).toEqual(ids.toSorted());
      expect((await list(current(demo, t.typeName, 'r440'))).map(({ id }) => id)).toEqual(ids.slice(-9));
      const many = await demo.readMany(['r001', 'nobody', 'r007'].map(id => ({ type: t.typeName, id })));
      expect(many.map(({ id, text }) => [id, text === undefined])).toEqual([
        ['r001', false],
        ['r007', true],
      ]);
    });

    it('is there when it is opened again', async () => {
      await demo.write([t.put('a', [t.token('x'), t.on(3)])]);
      await store.close();
      await open();
      expect(await t.find(demo, t.hasCode('x'))).toEqual(['a']);
      await store.check();
    });
  });

  describe('search', () => {
    it('finds newest first, then by id downwards, and what has no date last', async () => {
      await demo.write([t.put('a', [t.on(1)]), t.put('b', [t.on(3)]), t.put('c', [t.on(3)]), t.put('none')], t.each);
      expect(await t.find(demo, { kind: 'all' })).toEqual(['c', 'b', 'a', 'none']);
      const oldest = [{ by: 'param', param: t.date, descending: false }] as const;
      expect(await t.find(demo, { kind: 'all' }, oldest)).toEqual(['a', 'b', 'c', 'none']);
    });

    it('loses and doubles nothing on its pages while resources are added before and behind', async () => {
      await demo.write(
        Array.from({ length: 60 }, (_, at) => t.put(`r${at}`, [t.on(at), t.token('x')])),
        t.each,
      );
      const seen: string[] = [];
      let page = await demo.search(t.typeName, { query: t.hasCode('x'), sort: t.newest, limit: 7 });
      for (let extra = 0; ; extra += 1) {
        seen.push(...page.versions.map(({ id }) => id));
        if (page.next === undefined) break;
        await demo.write([t.put(`new${extra}`, [t.on(1_000), t.token('x')])]);
        page = await demo.search(t.typeName, { query: t.hasCode('x'), sort: t.newest, limit: 7, after: page.next });
      }
      expect(seen).toEqual(Array.from({ length: 60 }, (_, at) => `r${59 - at}`));
    });

    it('says that more remains only where it does', async () => {
      await demo.write([t.put('a'), t.put('b')], t.each);
      const search = (limit: number) => demo.search(t.typeName, { query: { kind: 'all' }, sort: t.newest, limit });
      expect((await search(1)).next).toBeDefined();
      expect((await search(2)).next).toBeUndefined();
    });

    it('keeps terms apart that could be taken for each other', async () => {
      const of = (system: string | undefined, code: string, caseSensitive = true) =>
        ({ param: 'code', value: { kind: 'token', system, code, caseSensitive } }) as const;
      await demo.write(
        [
          t.put('a', [of('s|1', 'x')]),
          t.put('b', [of('s', '1|x')]),
          t.put('c', [of(undefined, 's|1|x')]),
          t.put('d', [of('s', 'ab', false)]),
          t.put('e', [of('s', 'AB')]),
        ],
        t.each,
      );
      const finds = async (test: { system?: string | null; code?: string }) =>
        (await t.find(demo, { kind: 'param', param: t.code, test: { kind: 'token', ...test } })).toSorted();
      expect(await finds({ system: 's', code: '1|x' })).toEqual(['b']);
      expect(await finds({ system: 's|1', code: 'x' })).toEqual(['a']);
      expect(await finds({ system: null, code: 's|1|x' })).toEqual(['c']);
      expect(await finds({ system: null })).toEqual(['c']);
      expect(await finds({ system: 's' })).toEqual(['b', 'd', 'e']);
      expect(await finds({ code: 'AB' })).toEqual(['d', 'e']);
      expect(await finds({ code: 'ab' })).toEqual(['d']);
    });

    it('finds a part of a text, whatever its characters, up to the longest that a search may have', async () => {
      const parts = ['.', '(', 'ж', '胸', 'x'].map(character => character.repeat(10_000));
      const put = (folded: string, at: number) =>
        t.put(`r${at}`, [{ param: 'name', value: { kind: 'string', text: folded, folded: `a ${folded} b` } }]);
      await demo.write(parts.map(put), t.each);
      const finds = (text: string) =>
        t.find(demo, { kind: 'param', param: t.name, test: { kind: 'string', how: 'contains', text } });
      for (const [at, part] of parts.entries()) expect(await finds(part)).toEqual([`r${at}`]);
      expect(await finds('a\0b')).toEqual([]);
    });

    it('follows the pair of an owner and a code', async () => {
      await demo.write(
        [
          t.put('a', [t.ownedBy('p'), t.token('x'), t.on(1)]),
          t.put('b', [t.ownedBy('p'), t.token('y'), t.on(2)]),
          t.put('c', [t.ownedBy('q'), t.token('x'), t.on(3)]),
          t.put('d', [t.ownedBy('p'), t.token('x'), t.token('y'), t.on(4)]),
        ],
        t.each,
      );
      expect(await t.find(demo, t.and(t.isOf('p'), t.hasCode('x')))).toEqual(['d', 'a']);
      expect(await t.find(demo, t.and(t.isOf('p'), t.hasCode('x'), t.hasCode('y')))).toEqual(['d']);
      expect(await demo.count(t.typeName, t.and(t.isOf('p'), t.hasCode('y')))).toBe(2);
    });

    it('finds long intervals that begin before what is asked for, in their place', async () => {
      await demo.write([t.put('long', [t.on(1, 300)]), t.put('old', [t.on(2)]), t.put('new', [t.on(200)])], t.each);
      expect(await t.find(demo, t.since(100))).toEqual(['new', 'long']);
    });
  });

  describe('partitions', () => {
    it('adds once, lists in order, and refuses other settings', async () => {
      await demo.write([t.put('a')]);
      expect([await demo.count(t.typeName), await demo.count('Undeclared')]).toEqual([1, 0]);
      await store.partitions.add('demo', { zone: 'UTC' });
      await expect(store.partitions.add('demo', { zone: 'America/Toronto' })).rejects.toThrow(PartitionExists);
      expect(await store.partitions.list()).toEqual([{ id: 'demo', settings: { zone: 'UTC' } }]);
      await store.partitions.add('clinic', { zone: 'UTC' });
      expect((await store.partitions.list()).map(({ id }) => id)).toEqual(['clinic', 'demo']);
    });

    it('removes all that is in one, and nothing else', async () => {
      await store.partitions.add('other', { zone: 'UTC' });
      const other = await store.partition('other');
      await demo.write(
        Array.from({ length: 300 }, (_, at) => t.put(`r${at}`, [t.token('x'), t.named('Ann'), t.on(at)])),
        t.each,
      );
      await other?.write([t.put('kept', [t.token('x')])]);
      expect(await store.partitions.remove('demo')).toBe(true);
      expect(await store.partitions.remove('demo')).toBe(false);
      expect(await store.partition('demo')).toBeUndefined();
      expect(await other?.count(t.typeName, t.hasCode('x'))).toBe(1);
      await store.partitions.add('demo', { zone: 'UTC' });
      expect(await (await store.partition('demo'))?.count(t.typeName, { kind: 'all' })).toBe(0);
    });
  });

  describe('documents', () => {
    it('keeps values until they expire', async () => {
      const documents = store.documents('sessions');
      await documents.put('a', { n: 1.5, of: ['é'] });
      await documents.put('b', 2, { expires: 2_000 });
      expect([await documents.get('a'), await documents.get('b')]).toEqual([{ n: 1.5, of: ['é'] }, 2]);
      time = 2_000;
      expect([await documents.get('a'), await documents.get('b')]).toEqual([{ n: 1.5, of: ['é'] }, undefined]);
      await documents.delete('a');
      expect(await documents.get('a')).toBeUndefined();
      expect(await store.documents('others').get('a')).toBeUndefined();
    });

    it('lists what is there and has not expired, by key, from the beginning or behind one', async () => {
      const documents = store.documents('sorted');
      await store.documents('sorted-too').put('other', 1);
      await store.documents('sorted/').put('other', 1);
      for (const key of ['b', 'é', 'a/1', 'B', 'a', 'a-']) await documents.put(key, { key });
      await documents.put('over', 1, { expires: 2_000 });
      const keys = async (after?: string): Promise<string[]> => {
        const found: string[] = [];
        for await (const { key, value } of documents.list(after)) {
          found.push(key);
          expect(value).toEqual(key === 'over' ? 1 : { key });
        }
        return found;
      };
      expect(await keys()).toEqual(['B', 'a', 'a-', 'a/1', 'b', 'over', 'é']);
      time = 2_000;
      expect(await keys()).toEqual(['B', 'a', 'a-', 'a/1', 'b', 'é']);
      expect(await keys('a-')).toEqual(['a/1', 'b', 'é']);
      expect(await keys('é')).toEqual([]);
      await Promise.all(Array.from({ length: 1_100 }, (_, at) => documents.put(`c${at}`, { key: `c${at}` })));
      expect(await keys('b')).toHaveLength(1_101);
    });

    it('gives all who put where the key is free one value', async () => {
      const documents = store.documents('keys');
      const found = await Promise.all(
        Array.from({ length: 20 }, (_, at) => documents.put('k', at, { expires: 2_000, ifAbsent: true })),
      );
      expect(new Set(found).size).toBe(1);
      time = 2_001;
      expect(await documents.put('k', 'new', { ifAbsent: true })).toBe('new');
    });

    it('replace a value only as long as it is stored', async () => {
      const documents = store.documents('records');
      expect(await documents.put('a', { n: 1 }, { replaces: { n: 0 } })).toBeUndefined();
      await documents.put('a', { n: 0, of: [null, 'é'] });
      const found = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          documents.put('a', { n: at + 1 }, { replaces: { n: 0, of: [null, 'é'] }, expires: 2_000 }),
        ),
      );
      expect(new Set(found.map(value => JSON.stringify(value))).size).toBe(1);
      expect(await documents.put('a', { n: 50 }, { replaces: { n: 0, of: [null, 'é'] } })).toEqual(found[0]);
      time = 2_000;
      expect(await documents.put('a', { n: 60 }, { replaces: found[0] })).toBeUndefined();
    });
  });

  describe('indexes', () => {
    const changed = t.modelOf([t.owner, { ...t.code, digest: 'changed' }, t.name, t.date], 'second');
    const fill = () =>
      demo.write(
        Array.from({ length: 250 }, (_, at) => t.put(`r${at}`, [t.token(`c${at % 5}`), t.named(`N ${at}`), t.on(at)])),
        t.each,
      );

    it('are ready at once where there are no resources', async () => {
      expect(await t.pending(store)).toEqual([]);
      expect((await store.indexes.status()).map(({ param, state }) => `${param} ${state}`).toSorted()).toEqual([
        'code ready',
        'date ready',
        'name ready',
        'owner ready',
        'owner+code ready',
      ]);
    });

    it('have sizes, of all indexes of the database', async () => {
      await fill();
      const sizes = await store.indexes.database({ sizes: true });
      expect(sizes.length).toBeGreaterThan(3);
      for (const { state, bytes = 0 } of sizes) expect([state, bytes > 0]).toEqual(['ready', true]);
      expect(await store.indexes.database()).toEqual([]);
    });

    it('wait where the definition has changed, refuse searches, and fill beside writes', async () => {
      await fill();
      await store.close();
      // A command changes the definitions; it leaves the rebuild to the server.
      await open({ mode: 'command', model: changed });
      await demo.write([t.put('r0', [t.token('c9')]), t.remove('r1'), t.put('fresh', [t.token('c9')])], t.each);
      expect(await t.pending(store)).toEqual([{ type: t.typeName, param: 'code', done: 0, of: 250 }]);
      await expect(t.find(demo, t.hasCode('c9'))).rejects.toThrow(IndexPending);
      expect(await t.find(demo, t.isNamed('n 24'))).toHaveLength(11);
      await store.close();
      await open({ model: changed });
      await until(async () => (await t.pending(store)).length === 0);
      expect((await t.find(demo, t.hasCode('c9'))).toSorted()).toEqual(['fresh', 'r0']);
      expect(await demo.count(t.typeName, t.hasCode('c1'))).toBe(49);
      expect((await indexSteps(store, 'demo')).flatMap(({ findings }) => findings)).toEqual([]);
    });

    it('are filled as soon as possible; until then the reason is reported', async () => {
      await fill();
      await store.close();
      let isBroken = true;
      const faults = new Set<string>();
      await open({
        model: changed,
        extract: (...record) => {
          if (isBroken) throw new Error('The definition cannot be read');
          return t.extract(...record);
        },
        fault: error => faults.add(String(error)),
      });
      await until(async () => faults.size > 0);
      expect([...faults]).toEqual(['Error: The definition cannot be read']);
      isBroken = false;
      await until(async () => (await t.pending(store)).length === 0);
      expect(await demo.count(t.typeName, t.hasCode('c1'))).toBe(50);
    });

    it('are not trusted after writes of someone who does not know them', async () => {
      await fill();
      await store.close();
      await open({ mode: 'command', model: t.modelOf([t.owner, t.name, t.date], 'without') });
      await demo.write([t.put('r0', [t.named('Changed')])]);
      await store.close();
      await open({ mode: 'command' });
      await demo.write([t.put('r3', [t.token('c9')])]);
      await expect(t.find(demo, t.hasCode('c0'))).rejects.toThrow(IndexPending);
      const steps = await list(store.indexes.rebuild('demo', t.typeName, 'code'));
      expect(steps.every(({ param, of }) => param === 'code' && of === 250)).toBe(true);
      expect(await demo.count(t.typeName, t.hasCode('c0'))).toBe(49);
    });

    it('keep what an interrupted rebuild has filled while others are filled', async () => {
      await fill();
      await store.close();
      await open({ mode: 'command' });
      const progress = async (): Promise<number | undefined> =>
        (await t.pending(store)).find(({ param }) => param === 'code')?.done;
      for await (const _ of store.indexes.rebuild('demo', t.typeName, 'code')) if ((await progress()) === 200) break;
      const seen: number[] = [];
      for await (const _ of store.indexes.rebuild('demo', t.typeName, 'name')) seen.push((await progress()) ?? 250);
      expect(seen.length).toBeGreaterThan(0);
      expect(seen.filter(done => done < 200 || done > 250)).toEqual([]);
      expect(seen).toEqual(seen.toSorted((a, b) => a - b));
      expect(await demo.count(t.typeName, t.hasCode('c0'))).toBe(50);
    });

    it('follow a sort date that has changed', async () => {
      await fill();
      await store.close();
      await open({ model: t.modelOf([t.owner, t.code, t.name], 'no sort date') });
      await until(async () => (await t.pending(store)).length === 0);
      time = 9_000;
      await demo.write([t.put('r9', [t.token('c9')])]);
      // By creation: a change moves no record.
      expect((await t.find(demo, { kind: 'all' })).slice(0, 2)).toEqual(['r99', 'r98']);
      await store.close();
      await open();
      await until(async () => (await t.pending(store)).length === 0);
      expect((await t.find(demo, { kind: 'all' })).slice(0, 2)).toEqual(['r249', 'r248']);
      expect((await indexSteps(store, 'demo')).flatMap(({ findings }) => findings)).toEqual([]);
    });
  });

  describe('modes', () => {
    it('`command` and `read` beside `serve`', async () => {
      const command = await openDemo({ mode: 'command' });
      await command.demo.write([t.put('a', [t.token('x')])]);
      const reader = await openDemo({ mode: 'read' });
      expect(await t.find(reader.demo, t.hasCode('x'))).toEqual(['a']);
      await expect(reader.demo.write([t.put('b')])).rejects.toThrow(StoreRefused);
      expect(await t.find(demo, t.hasCode('x'))).toEqual(['a']);
      await Promise.all([command.store.close(), reader.store.close()]);
    });

    it('a partition that a command adds is served, and both write', async () => {
      const command = await openDemo({ mode: 'command' });
      await command.store.partitions.add('late', { zone: 'UTC' });
      const [theirs, ours] = [await command.store.partition('late'), await store.partition('late')];
      for (let at = 0; at < 40; at += 2)
        await Promise.all([
          theirs?.write([t.put(`r${at}`, [t.token('x')])]),
          ours?.write([t.put(`r${at + 1}`, [t.token('x')])]),
        ]);
      expect(await ours?.count(t.typeName, t.hasCode('x'))).toBe(40);
      await command.store.close();
    });

    it('a command with other definitions may not write beside a server', async () => {
      const model = t.modelOf([t.owner, t.name, t.date], 'without');
      const store = openDemo({ mode: 'command', model });
      await expect(store.then(({ demo: of }) => of.write([t.put('a')]))).rejects.toThrow(/other definitions/);
    });

    it('may be closed twice; the use of a closed store is an error', async () => {
      await store.close();
      await store.close();
      await expect(store.check()).rejects.toThrow('closed');
      await open();
    });
  });
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await holds()) && Date.now() < end) await new Promise(done => setTimeout(done, 20));
  expect(await holds()).toBe(true);
}
