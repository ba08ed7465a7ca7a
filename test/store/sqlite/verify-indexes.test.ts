import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/port/store.ts';
import * as t from '../support/fixture.ts';
import { list } from '../support/list.ts';
import { indexSteps } from '../support/verified.ts';

/** Manual changes of the rows of an index, and the findings of a verification. */
const damages: readonly (readonly [title: string, sql: string, found: RegExp])[] = [
  ['a term that is gone', `DELETE FROM terms WHERE id = 'a' AND v <> ''`, /Basic\/a: `.*` lacks an entry/],
  ['a term of another record', `UPDATE terms SET r = 2 WHERE id = 'a'`, /Basic\/a: `.*` lacks an entry/],
  ['a string of another record', `UPDATE strings SET r = 2 WHERE id = 'a'`, /Basic\/a: `name` lacks an entry/],
  ['a date of another record', `UPDATE ranges SET r = 2 WHERE id = 'a'`, /Basic\/a: `date` lacks an entry/],
  ['a date that is another', `UPDATE ranges SET high = high + 1 WHERE id = 'a'`, /Basic\/a: `date` lacks an entry/],
  [
    'a term that no record gives',
    `INSERT INTO terms SELECT p, 'of nobody', ord, id, item, r FROM terms WHERE id = 'a' LIMIT 1`,
    /Basic\/a: `.*` has an entry too many/,
  ],
  ['a sort date that is another', `UPDATE resources SET ord = ord + 1 WHERE id = 'a'`, /Basic\/a: the sort date/],
];

/** The same in a type without a sort date. */
const undated: typeof damages = [
  [
    'a time of creation that is another',
    `UPDATE resources SET ord = ord + 1 WHERE id = 'a'`,
    /Basic\/a: the time of c/,
  ],
  ['an entry with another one', `UPDATE terms SET ord = ord + 1 WHERE id = 'a'`, /Basic\/a: `code` lacks an entry/],
];

describe('verifyType', () => {
  let place: Awaited<ReturnType<typeof t.newPlace>>;
  let store: Store;
  beforeEach(async () => {
    place = await t.newPlace();
    const opened = await t.openDemo(place.url);
    store = opened.store;
    const entries = (id: string) => [t.token('c1'), t.named(`Name ${id}`), t.on(19_723)];
    await opened.demo.write(['a', 'b'].map(id => t.put(id, entries(id))));
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });

  const findings = async () =>
    (await indexSteps(store, 'demo')).flatMap(step => step.findings.map(({ what, why }) => `${what}: ${why}`));

  it.each(damages)('finds %s, and a rebuild mends it', async (_, sql, found) => {
    expect(await findings()).toEqual([]);
    change(sql);
    expect((await findings()).join('\n')).toMatch(found);
    await list(store.indexes.rebuild('demo'));
    expect(await findings()).toEqual([]);
  });

  it.each(undated)('finds %s without a sort date, and a rebuild mends it', async (_, sql, found) => {
    await store.close();
    const opened = await t.openDemo(place.url, { model: t.modelOf([t.owner, t.code, t.name], 'undated') });
    store = opened.store;
    await list(store.indexes.rebuild('demo'));
    await opened.demo.write([t.put('a', [t.token('c2')])]);
    expect(await findings()).toEqual([]);
    change(sql);
    expect((await findings()).join('\n')).toMatch(found);
    await list(store.indexes.rebuild('demo'));
    expect(await findings()).toEqual([]);
  });

  const change = (sql: string): void => {
    const database = new DatabaseSync(place.path);
    expect(Number(database.prepare(sql).run().changes)).toBeGreaterThan(0);
    database.close();
  };
});
