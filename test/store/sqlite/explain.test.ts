// How a search is answered: on the event loop, and in a reader thread.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Position, Query, Sort } from '../../../src/search/ast.ts';
import type { ExplainedAnswer } from '../../../src/store/port/explained.ts';
import { type Budgets, usualBudgets } from '../../../src/store/sqlite/budget.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import type { Partition } from '../../../src/store/port/partitions.ts';
import type { Store, StoreOptions } from '../../../src/store/port/store.ts';
import * as t from '../support/fixture.ts';

/** So few that a reader answers. */
const small: Budgets = { ...usualBudgets, eventLoop: { probe: 2, rows: 2 } };

const byId: readonly Sort[] = [{ by: 'id', descending: false }];
const queries: readonly (readonly [title: string, query: Query, sort: readonly Sort[]])[] = [
  ['this patient, this code', t.and(t.isOf('p1'), t.hasCode('c1')), t.newest],
  ['a complement', { kind: 'not', of: t.hasCode('c1') }, t.newest],
  ['a beginning and a date', t.and(t.isNamed('name 1'), t.since(4)), byId],
  ['ids', { kind: 'id', anyOf: ['b1-1', 'b2-2', 'none'] }, byId],
  ['all', { kind: 'all' }, byId],
];

/** Queries whose matches are one range of one index, and the orders of such a range. */
const ofRange: Readonly<Record<string, Query>> = {
  all: { kind: 'all' },
  'a code': t.hasCode('c1'),
  'a code of no record': t.hasCode('c99'),
  'this patient, this code': t.and(t.isOf('p1'), t.hasCode('c1')),
};
const orders: readonly Sort[] = [
  { by: 'default', descending: true },
  ...(['lastUpdated', 'id'] as const).flatMap(by => [true, false].map(descending => ({ by, descending }))),
];
const ranges = Object.keys(ofRange).flatMap(title =>
  orders.map((order): [string, readonly Sort[]] => [title, [order]]),
);

describe.each([
  ['on the event loop', usualBudgets],
  ['in a reader', small],
])('a search %s', (_, budgets) => {
  let place: t.Place;
  let store: Store;
  let demo: Partition;
  beforeAll(async () => {
    place = await t.newPlace();
    const open = (url: string, options: StoreOptions): Promise<Store> =>
      openSqliteStore(url.slice('sqlite:'.length), options, budgets);
    ({ store, demo } = await t.openDemo(place.url, {}, open));
    for (let number = 0; number < 30; number += 1) await demo.write(t.batch(number));
  });
  afterAll(async () => {
    await store.close();
    await place.remove();
  });

  it.each(queries)('is the same with an explanation, which names what is read: %s', async (__, query, sort) => {
    const answers: ExplainedAnswer[] = [];
    const explain = (answer: ExplainedAnswer): void => void answers.push(answer);
    const search = { query, sort, limit: 7 };
    expect(await demo.search(t.typeName, { ...search, explain })).toEqual(await demo.search(t.typeName, search));
    expect(await demo.count(t.typeName, query, explain)).toBe(await demo.count(t.typeName, query));
    const [page, count] = answers;
    expect(answers).toHaveLength(2);
    expect(page?.order.map(({ key }) => key)).toEqual([sort === byId ? '_id' : '-date']);
    expect(count?.order).toEqual([]);
    const statements = page?.statements ?? [];
    expect(statements.length).toBeGreaterThan(0);
    for (const { text, plan, examined } of statements) {
      expect(text).not.toMatch(/examined\(\)|\n/);
      expect(plan.length).toBeGreaterThan(0);
      expect(examined).toBeGreaterThanOrEqual(0);
    }
    const last = statements.at(-1);
    expect(last?.examined).toBeGreaterThanOrEqual(last?.returned ?? Infinity);
  });

  // Without an explanation their statements are those of an earlier search; with one they are made.
  it.each(ranges)('has the same pages without one: %s %j', async (title, sort) => {
    const query = ofRange[title] ?? t.and();
    const limit = 7;
    let after: Position | undefined;
    for (let pages = 0, more = true; more; pages += 1) {
      const search = { query, sort, limit, ...(after === undefined ? {} : { after }) };
      const page = await demo.search(t.typeName, search);
      expect(page).toEqual(await demo.search(t.typeName, { ...search, explain: () => {} }));
      expect(page.versions.length > 0 || title === 'a code of no record').toBe(true);
      after = page.next;
      more = after !== undefined;
      expect(pages).toBeLessThan(100);
    }
  });

  it('counts candidates that match nothing', async () => {
    const answers: ExplainedAnswer[] = [];
    const query = t.and(t.hasCode('c1'), { kind: 'not', of: t.isNamed('name') });
    const { versions } = await demo.search(t.typeName, {
      query,
      sort: byId,
      limit: 5,
      explain: one => void answers.push(one),
    });
    expect(versions).toEqual([]);
    const clauses = answers.flatMap(answer => answer.clauses);
    const statements = answers.flatMap(answer => answer.statements);
    expect(clauses.map(({ clause, index }) => [clause, index])).toEqual([
      ['(terms code 2)', 'terms code'],
      ['(not (starts name))', undefined],
    ]);
    const examined = Math.max(...statements.map(one => one.examined));
    expect(examined).toBeGreaterThanOrEqual(await demo.count(t.typeName, t.hasCode('c1')));
  });
});
