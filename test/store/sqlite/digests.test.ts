import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordDigest } from '../../../src/store/record/digest.ts';
import type { Partition } from '../../../src/store/port/partitions.ts';
import type { StoreOptions } from '../../../src/store/port/store.ts';
import { bytesOf } from '../support/bytes-of.ts';
import * as t from '../support/fixture.ts';
import { list } from '../support/list.ts';

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
});
