import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IndexEntry } from '../../src/indexing/entry.ts';
import type { Partition } from '../../src/store/port/partitions.ts';
import type { Store } from '../../src/store/port/store.ts';
import type { StoreFinding } from '../../src/store/port/transfer.ts';
import { bytesOf } from './support/bytes-of.ts';
import * as t from './support/fixture.ts';
import { indexSteps, storeSteps } from './support/verified.ts';

/** Changes of the stored data of a resource in `demo`, past the port, by a user or a disk. */
export interface Tamper {
  /** Of the current version, or an older one. `digest: null` takes it away. */
  version(id: string, older: number | undefined, fields: Fields): Promise<void>;
  contentType(id: string, contentType: string): Promise<void>;
  /** Takes the entries away by which it is found. */
  entries(id: string): Promise<void>;
  document(collection: string, key: string, text: string): Promise<void>;
  zone(partition: string, zone: string): Promise<void>;
}

export interface Fields {
  readonly text?: string;
  readonly version?: number;
  readonly lastUpdated?: number;
  readonly digest?: null;
}

/** `tamper` has its way until it is closed. */
export interface WhereDamaged {
  newPlace(): Promise<t.Place>;
  tamper(place: t.Place): Promise<Tamper & { close(): Promise<void> }>;
}

/**
 * What `Store.verify` promises: each damage is found, with the record concerned, and keeps no other from being found.
 */
export function verifyContract(where: WhereDamaged): void {
  let place: t.Place;
  let store: Store;
  let demo: Partition;
  let damage: Awaited<ReturnType<WhereDamaged['tamper']>>;
  beforeEach(async () => {
    place = await where.newPlace();
    ({ store, demo } = await t.openDemo(place.url, { mode: 'command' }));
    const attachments = [
      { path: 'Basic.content', contentType: 'image/gif', ...(await demo.putAttachment(bytesOf('a'))) },
    ];
    await demo.write([t.put('a', [t.token('one')]), t.put('b', [t.token('one')]), t.put('gone')], t.each);
    await demo.write([t.put('a', [t.token('two')], { attachments }), t.remove('gone')], t.each);
    await store.documents('things').put('one', { a: 'text' });
    await store.partitions.add('other', { zone: 'UTC' });
    await (await store.partition('other'))?.write([t.put('elsewhere')]);
    damage = await where.tamper(place);
  });
  afterEach(async () => {
    await damage.close();
    await store.close();
    await place.remove();
  });

  it('reads a record a few times, however many values it has', async () => {
    let read = 0;
    const extract: typeof t.extract = (type, text, context) => {
      const { entries } = JSON.parse(text) as { entries: readonly unknown[] };
      if (entries.length > 1_000) read += 1;
      return t.extract(type, text, context);
    };
    const many = (count: number) => Array.from({ length: count }, (_, at) => t.named(`name ${at} of many`));
    const there = await where.newPlace();
    const own = await t.openDemo(there.url, { mode: 'command', extract });
    try {
      const small = Array.from({ length: 5 }, (_, at) => t.put(`s${at}`, many(9)));
      await own.demo.write([t.put('large', many(3_000)), ...small], t.each);
      read = 0;
      const steps = await indexSteps(own.store, 'demo');
      expect(steps.flatMap(step => step.findings)).toEqual([]);
      expect(read).toBeLessThan(12);
    } finally {
      await own.store.close();
      await there.remove();
    }
  });

  const textOf = async (id: string): Promise<string> => (await demo.read(t.typeName, id))?.text ?? '';
  const verify = async (partition?: string) => {
    const steps = await storeSteps(store, partition);
    const count = (name: string): number => steps.findLast(({ step }) => step === name)?.checked ?? 0;
    const findings = steps.flatMap(one => one.findings);
    return {
      records: count('records'),
      versions: count('versions'),
      findings: findings.map(({ is, partition: of, what }) =>
        [is, of, what].filter(one => one !== undefined).join(' '),
      ),
    };
  };

  it('finds nothing where nothing is wrong, and says how much it read', async () => {
    expect(await verify()).toEqual({ records: 4, versions: 2, findings: [] });
    expect(await verify('demo')).toEqual({ records: 3, versions: 2, findings: [] });
    expect(await verify('other')).toEqual({ records: 1, versions: 0, findings: [] });
  });

  it('finds nothing wrong with numbers beyond 2^53', async () => {
    const amount = t.param('amount', 'number');
    const there = await where.newPlace();
    const { store: other, demo: numbers } = await t.openDemo(there.url, { model: t.modelOf([amount]) });
    const of = (value: number): IndexEntry => ({ param: 'amount', value: { kind: 'number', low: value, high: value } });
    await numbers.write(
      [2 ** 53, 1e17, -1e17, 9.3e18, 1e300].map((value, at) => t.put(`n${at}`, [of(value)])),
      t.each,
    );
    const steps = await indexSteps(other, 'demo');
    await other.close();
    await there.remove();
    expect(steps.flatMap(({ findings }) => findings)).toEqual([]);
  });

  describe('finds', () => {
    it.each<[title: string, is: StoreFinding['is'], what: string, work: () => Promise<void>]>([
      [
        'a text that is cut off',
        'text',
        'Basic/b',
        async () => damage.version('b', undefined, { text: (await textOf('b')).slice(0, -3) }),
      ],
      ['an empty text', 'text', 'Basic/b', () => damage.version('b', undefined, { text: '' })],
      [
        'a text with one other character',
        'altered',
        'Basic/b',
        async () => damage.version('b', undefined, { text: (await textOf('b')).replace('"note":""', '"note":"x"') }),
      ],
      [
        'the text of another record',
        'altered',
        'Basic/b',
        async () => damage.version('b', undefined, { text: await textOf('a') }),
      ],
      ['a time that is another', 'altered', 'Basic/b', () => damage.version('b', undefined, { lastUpdated: 5 })],
      ['a time that is none', 'altered', 'Basic/b', () => damage.version('b', undefined, { lastUpdated: 9e15 })],
      ['a version that is another', 'altered', 'Basic/b', () => damage.version('b', undefined, { version: 7 })],
      [
        'a deletion at another time',
        'altered',
        'Basic/gone',
        () => damage.version('gone', undefined, { lastUpdated: 5 }),
      ],
      [
        'an older text that is another',
        'altered',
        'Basic/a/_history/1',
        async () => damage.version('a', 1, { text: `${await textOf('a')} ` }),
      ],
      ['a digest that is gone', 'altered', 'Basic/b', () => damage.version('b', undefined, { digest: null })],
      ['an older digest that is gone', 'altered', 'Basic/a/_history/1', () => damage.version('a', 1, { digest: null })],
      ['an older text that is cut off', 'text', 'Basic/a/_history/1', () => damage.version('a', 1, { text: '{' })],
      ['an attachment of another content type', 'altered', 'Basic/a', () => damage.contentType('a', 'image/png')],
      ['entries that are gone', 'index', 'Basic/b', () => damage.entries('b')],
    ])('%s', async (_, is, what, work) => {
      await work();
      const { findings } = await verify('demo');
      expect(findings).toContain(`${is} demo ${what}`);
      expect((await verify('other')).findings.filter(one => one.includes(what))).toEqual([]);
    });

    it('a value that is not JSON, and a time zone that is none', async () => {
      await damage.document('things', 'one', '{"a":');
      await damage.zone('other', 'Mars/Olympus');
      const { findings } = await verify();
      expect(findings).toEqual(expect.arrayContaining(['value partition other', 'value document things/one']));
    });

    it('all of several damages', async () => {
      await damage.version('a', 1, { text: '{' });
      await damage.version('a', undefined, { text: '' });
      await damage.version('b', undefined, { lastUpdated: 5 });
      await damage.document('things', 'one', 'x');
      const { findings } = await verify();
      for (const one of ['text demo Basic/a', 'text demo Basic/a/_history/1', 'altered demo Basic/b'])
        expect(findings).toContain(one);
      expect(findings.join()).toContain('document things/one');
    });
  });

  it('has what is damaged replaced and deleted, and `index rebuild` make the others whole', async () => {
    await damage.version('a', undefined, { text: '{' });
    await damage.version('b', undefined, { text: '{"entries":' });
    await demo.write([t.put('c', [t.token('two')])]);
    await damage.entries('c');
    for await (const _ of store.indexes.rebuild('demo'));
    expect((await verify('demo')).findings).toEqual(['text demo Basic/a', 'text demo Basic/b']);
    expect(await t.find(demo, t.hasCode('two'))).toContain('c');
    const [replaced, removed] = await demo.write([t.put('a', [t.token('three')]), t.remove('b')], t.each);
    expect([replaced?.outcome, removed?.outcome]).toEqual(['updated', 'removed']);
    for await (const _ of store.indexes.rebuild('demo'));
    expect(await t.find(demo, t.hasCode('three'))).toEqual(['a']);
    expect((await verify('demo')).findings).toEqual(['text demo Basic/a/_history/2', 'text demo Basic/b/_history/1']);
  });

  it('names records that cannot be compared with their entries, and compares the others', async () => {
    await damage.version('a', undefined, { text: '{' });
    await damage.entries('b');
    const found = (await indexSteps(store, 'demo')).flatMap(({ findings }) => findings);
    expect(found.map(({ is, what }) => `${is} ${what}`)).toEqual(
      expect.arrayContaining(['text Basic/a', 'index Basic/b']),
    );
  });
}
