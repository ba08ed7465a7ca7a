import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordDigest } from '../../../src/store/record/record-digest.ts';
import type { Partition } from '../../../src/store/port/partitions.ts';
import type { StoreOptions } from '../../../src/store/port/store.ts';
import { bytesOf } from '../support/bytes-of.ts';
import * as t from '../support/fixture.ts';
import { list } from '../support/list.ts';
import { asLayout2 } from './support/layout-2.ts';

describe('digests of versions', () => {
  let place: Awaited<ReturnType<typeof t.newPlace>>;
  beforeEach(async () => (place = await t.newPlace()));
  afterEach(() => place.remove());

  const open = (options: Partial<StoreOptions> = {}) => t.openDemo(place.url, options);
  const query = (sql: string): Record<string, unknown>[] => {
    const database = new DatabaseSync(place.path);
    const rows = database.prepare(sql).all();
    database.close();
    return rows;
  };
  const digests = (): readonly unknown[] =>
    query(
      'SELECT id, version, digest FROM versions UNION ALL SELECT id, version, digest FROM resources ' +
        'ORDER BY id, version',
    ).map(({ digest }) => digest);
  const expected = async (partition: Partition): Promise<readonly unknown[]> =>
    (await list(partition.export())).map(version => recordDigest(1, version));
  const undigested = (): unknown =>
    query(
      'SELECT (SELECT count(*) FROM resources WHERE digest IS NULL) + (SELECT count(*) FROM versions ' +
        'WHERE digest IS NULL) AS c',
    )[0]?.['c'];

  /** Versions of every kind: created, changed, deleted, created again, with attachments of their own and carried on. */
  const fill = async (partition: Partition): Promise<void> => {
    const kept = await partition.putAttachment(bytesOf('a'));
    const attachments = [{ path: 'Basic.content', contentType: 'image/gif', ...kept }];
    await partition.write([t.put('a'), t.put('b'), t.put('c', [], { attachments })]);
    await partition.write([t.put('a', [t.token('x')]), t.remove('b'), t.put('c', [t.token('x')])]);
    await partition.write([t.put('b', [t.token('again')]), t.put('c', [], { attachments: [] })]);
    await partition.write([t.remove('c')]);
  };

  it('come with every write', async () => {
    const { store, demo } = await open();
    await fill(demo);
    expect(digests()).toHaveLength(9);
    expect(digests()).toEqual(await expected(demo));
    await store.close();
  });

  it('come with what is restored, also over what is there', async () => {
    const from = await t.newPlace();
    const source = await t.openDemo(from.url);
    await fill(source.demo);
    const all = await list(source.demo.export());
    const { store, demo } = await open();
    await demo.putAttachment(bytesOf('a'));
    await demo.import(all.filter(({ version }) => version < 3));
    await demo.import(all);
    expect(digests()).toHaveLength(9);
    expect(digests()).toEqual(await expected(demo));
    for (const one of [store, source.store]) await one.close();
    await from.remove();
  });

  it('are filled in by a server where an older engine wrote none', async () => {
    const first = await open();
    await fill(first.demo);
    await first.demo.write(
      Array.from({ length: 120 }, (_, at) => t.put(`more-${at}`)),
      t.each,
    );
    await first.store.close();
    asLayout2(place.path);

    // Commands and readers leave that to a server.
    await (await open({ mode: 'command' })).store.close();
    await (await open({ mode: 'read' })).store.close();
    expect(undigested()).toBe(129);

    const { store, demo } = await open();
    await demo.write([t.put('late')]);
    await expect.poll(undigested).toBe(0);
    expect(digests()).toEqual(await expected(demo));
    await store.close();
  });

  it('are filled in on where a server was stopped', async () => {
    const first = await open();
    await first.demo.write(
      Array.from({ length: 400 }, (_, at) => t.put(`r${at}`)),
      t.each,
    );
    await first.store.close();
    asLayout2(place.path);
    const second = await open();
    await expect.poll(undigested).toBeLessThan(400);
    await second.store.close();
    const third = await open();
    await expect.poll(undigested).toBe(0);
    expect(digests()).toEqual(await expected(third.demo));
    await third.store.close();
  });

  it('are not given to what is no sound record', async () => {
    const first = await open();
    await first.demo.write(['a', 'b', 'c', 'd'].map(id => t.put(id)));
    await first.store.close();
    asLayout2(place.path);
    query(`UPDATE resources SET text = '{' WHERE id = 'a' RETURNING 1`);
    query(`UPDATE resources SET text = replace(text, '"id":"b"', '"id":"c"') WHERE id = 'b' RETURNING 1`);
    query(`UPDATE resources SET last_updated = 9e15 WHERE id = 'c' RETURNING 1`);
    const { store } = await open();
    await expect.poll(undigested).toBe(3);
    await store.close();
    expect(query('SELECT id FROM resources WHERE digest IS NULL ORDER BY id').map(({ id }) => id)).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  it('of documents and marks come with the layout, and with each that is kept', async () => {
    const first = await open();
    await first.store.documents('things').put('one', { a: 1 }, { expires: Date.now() + 86_400_000 });
    await first.demo.write([t.put('a')], { mark: { key: 'load', value: '7' } });
    const before = query('SELECT digest FROM documents UNION ALL SELECT digest FROM marks');
    await first.store.close();
    asLayout2(place.path);
    await (await open({ mode: 'command' })).store.close();
    const after = query('SELECT digest FROM documents UNION ALL SELECT digest FROM marks');
    expect(after).toEqual(before);
    expect(after.map(({ digest }) => digest)).toEqual([expect.any(String), expect.any(String)]);
  });
});
