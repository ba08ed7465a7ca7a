import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as t from '../support/fixture.ts';
import type { Position, Query, Sort } from '../../../src/search/ast.ts';
import { readPartition } from '../../../src/store/sqlite/dictionary.ts';
import type { TypeIndex } from '../../../src/store/sqlite/dictionary.ts';
import { lower, referenceTermsOf } from '../../../src/store/sqlite/lower.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import type { Database, Row } from '../../../src/store/sqlite/open.ts';
import { lowerPosition, lowerSort } from '../../../src/store/sqlite/order.ts';
import { usualBudgets } from '../../../src/store/sqlite/budget.ts';
import type { Budget } from '../../../src/store/sqlite/budget.ts';
import { countMatches } from '../../../src/store/sqlite/count.ts';
import { pageWithin } from '../../../src/store/sqlite/search.ts';
import type { Store } from '../../../src/store/port/store.ts';

const [type] = t.modelOf().types.values();
if (type === undefined) throw new Error('The model has no type');
const model = { ...t.modelOf(), types: new Map([[type.name, { ...type, sortIndexes: new Set(['name']) }]]) };

const updated: readonly Sort[] = [{ by: 'lastUpdated', descending: true }];
const range = (from: number, to: number): Query => ({
  kind: 'param',
  param: t.date,
  test: {
    kind: 'range',
    bounds: [
      { end: 'high', is: '>', value: from * 86_400_000 },
      { end: 'low', is: '<', value: to * 86_400_000 },
    ],
  },
});

/** What clinical clients ask most, with the steps that its statement may take beside the look-up of the texts. */
const queries: readonly (readonly [title: string, query: Query, sort: readonly Sort[], steps: readonly string[]])[] = [
  ['this patient', t.isOf('p1'), t.newest, ['SEARCH c USING PRIMARY KEY (p=? AND v=?)']],
  [
    'this patient, this code',
    t.and(t.isOf('p1'), t.hasCode('c1')),
    t.newest,
    ['SEARCH c USING PRIMARY KEY (p=? AND v=?)'],
  ],
  ['this code', t.hasCode('c1'), t.newest, ['SEARCH c USING PRIMARY KEY (p=? AND v=?)']],
  [
    'this code since',
    t.and(t.hasCode('c1'), t.since(5)),
    t.newest,
    ['SEARCH c USING PRIMARY KEY (p=? AND v=? AND ord>?)', 'SEARCH x USING COVERING INDEX ranges_id'],
  ],
  [
    'a window of dates',
    range(5, 9),
    t.newest,
    [
      'SEARCH c USING COVERING INDEX resources_ord (t=? AND ord>? AND ord<?)',
      'SEARCH x USING COVERING INDEX ranges_id',
    ],
  ],
  ['all, newest first', { kind: 'all' }, t.newest, ['SEARCH c USING COVERING INDEX resources_ord (t=? AND ord>?)']],
  ['all, by lastUpdated', { kind: 'all' }, updated, ['SEARCH c USING COVERING INDEX resources_updated (t=?)']],
  [
    'changed since',
    { kind: 'lastUpdated', bounds: [{ end: 'low', is: '>', value: 5 }] },
    updated,
    ['SEARCH c USING COVERING INDEX resources_updated (t=? AND last_updated>?)'],
  ],
];

const byName = (descending: boolean): Sort => ({ by: 'param', param: t.name, descending });
/** Sorts by a parameter with a sort index. */
const indexed: readonly (readonly [title: string, sort: readonly Sort[]])[] = [
  ['ascending', [byName(false)]],
  ['descending', [byName(true)]],
];

/** Each record has one of these codes. */
const many: Query = {
  kind: 'or',
  of: ['changed', ...Array.from({ length: 500 }, (_, index) => `c${index}`)].map(t.hasCode),
};

describe('plans', () => {
  let place: Awaited<ReturnType<typeof t.newPlace>>;
  let store: Store;
  let database: Database;
  beforeAll(async () => {
    place = await t.newPlace();
    const opened = await t.openDemo(place.url, { model });
    store = opened.store;
    for (let number = 0; number < 150; number += 1) await opened.demo.write(t.batch(number));
    database = openDatabase(place.path, 'read');
  });
  afterAll(async () => {
    database.close();
    await store.close();
    await place.remove();
  });

  it.each(queries)('%s: one range of an index, no scan of a table, no sort', (_, query, sort, steps) => {
    const { plans, pages } = explained(query, sort);
    expect(pages).toBe(21);
    const found = plans.at(-1) ?? [];
    expect(plans.flat().filter(step => /^SCAN (?!\(|c$|j |x$|[0-9])|TEMP B-TREE|MATERIALIZE/.test(step))).toEqual([]);
    for (const step of steps) expect(found).toContainEqual(expect.stringContaining(step));
  });

  it.each(indexed)('by a sort index, %s: one range of it for each page, no scan, no sort', (_, sort) => {
    const after = { keys: ['name 14'], id: 'b14-3' };
    for (const { plans, pages } of [
      explained({ kind: 'all' }, sort),
      explained({ kind: 'all' }, sort, undefined, 20, after),
    ]) {
      expect(pages).toBe(21);
      expect(plans.flat().filter(step => /^SCAN|TEMP B-TREE|MATERIALIZE/.test(step))).toEqual([]);
      expect(plans.at(-1)).toContainEqual(expect.stringMatching(/^SEARCH c USING PRIMARY KEY \(p=\?/));
    }
    const { plans } = explained({ kind: 'all' }, sort, undefined, 20, after);
    expect(plans.at(-1)).toContainEqual(expect.stringMatching(/\(p=\? AND \(folded,text,id\)[<>]\(\?,\?,\?\)\)/));
  });

  it('a reader walks in the order of several keys where many match, and sorts no more than ties', () => {
    database.define('deadline', () => 1);
    const { plans, pages } = explained(t.since(5), [...updated, ...t.newest], usualBudgets.reader, 5);
    expect(pages).toBe(6);
    const found = plans.at(-1) ?? [];
    expect(found).toContainEqual(expect.stringContaining('USING COVERING INDEX resources_updated'));
    expect(found.filter(step => /MATERIALIZE|TEMP B-TREE FOR ORDER/.test(step))).toEqual([]);
  });

  it('a reader reads the ranges of a clause of many values, instead of looking for each of them in each record', () => {
    database.define('deadline', () => 1);
    const { plans, pages } = explained(many, t.newest, usualBudgets.reader, 1_000);
    expect(pages).toBe(1_001);
    const found = plans.at(-1) ?? [];
    expect(found).toContainEqual(expect.stringContaining('SEARCH c USING PRIMARY KEY (p=? AND v=?)'));
    expect(found).not.toContainEqual(expect.stringContaining('SEARCH x'));
  });

  it('the matches of a clause of many values are read once for the candidates of another', () => {
    database.define('deadline', () => 1);
    const { plans, pages } = explained(t.and(t.isOf('p1'), many), updated, usualBudgets.reader);
    expect(pages).toBe(21);
    expect(plans.at(-1)).not.toContainEqual(expect.stringContaining('SEARCH x'));
  });

  it.each([
    ['the clause', many],
    ['its complement', t.and(t.since(5), { kind: 'not', of: { kind: 'not', of: many } })],
  ])('the matches of a clause of many values are read once for a walk: %s', (_, query) => {
    database.define('deadline', () => 1);
    const { plans, pages } = explained(query, updated, usualBudgets.reader);
    expect(pages).toBe(21);
    const found = plans.at(-1) ?? [];
    expect(found).toContainEqual(expect.stringContaining('USING COVERING INDEX resources_updated'));
    expect(found).not.toContainEqual(expect.stringContaining('SEARCH x EXISTS USING PRIMARY KEY'));
  });

  it('a few ids and a frequent value are found by the ids, and the value is not counted', () => {
    const few: Query = { kind: 'id', anyOf: ['b1-2', 'b2-3', 'b4-4'] };
    const { plans, pages } = explained(t.and(t.hasCode('c3'), few), t.newest);
    expect(pages).toBe(1);
    const range = expect.stringContaining('SEARCH c USING PRIMARY KEY (p=? AND v=?)');
    for (const found of plans) expect(found).not.toContainEqual(range);
  });

  it('a count reads them, too', () => {
    database.define('deadline', () => 1);
    const { plans, count } = explainedCount(many);
    expect(count).toBe(explainedCount({ kind: 'all' }).count);
    expect(plans.at(-1)).not.toContainEqual(expect.stringContaining('SEARCH x'));
    const both = explainedCount(t.and(t.isOf('p1'), many));
    expect(both.count).toBe(explainedCount(t.isOf('p1')).count);
    expect(both.plans.at(-1)).not.toContainEqual(expect.stringContaining('SEARCH x'));
  });

  /** The plans of the statements that a search runs, on the event loop unless another budget is given. */
  function explained(
    query: Query,
    sort: readonly Sort[],
    budget: Budget = usualBudgets.eventLoop,
    limit = 20,
    after?: Position,
  ): { plans: readonly (readonly string[])[]; pages: number | undefined } {
    const { index, plans, spy } = watched();
    const clause = lower(query, index, referenceTermsOf(database));
    const keys = lowerSort(sort, index);
    const search = { t: index.t, clause, keys, limit, after: after && lowerPosition(after, keys) };
    const pages = pageWithin(spy, search, budget)?.length;
    return { plans, pages };
  }

  /** The same of a count in a reader. */
  function explainedCount(query: Query): { plans: readonly (readonly string[])[]; count: number | undefined } {
    const { index, plans, spy } = watched();
    const clause = lower(query, index, referenceTermsOf(database));
    return { plans, count: countMatches(spy, { t: index.t, clause }, usualBudgets.reader) };
  }

  /** The database, which adds the plan of each statement that it runs to `plans`. */
  function watched(): { index: TypeIndex; plans: string[][]; spy: Database } {
    const index = readPartition(database, model, 'demo')?.types.get(t.typeName);
    if (index === undefined) throw new Error('The type is not there');
    const plans: string[][] = [];
    const spy = new Proxy(database, {
      get(target, name: keyof Database) {
        const value = target[name];
        if (typeof value !== 'function') return value;
        return (...args: never[]): unknown => {
          const [statement] = args as unknown as [string | { text: string; values: never[] }];
          const text = typeof statement === 'string' ? statement : statement.text;
          const values = typeof statement === 'string' ? (args[1] ?? []) : statement.values;
          plans.push(target.all(`EXPLAIN QUERY PLAN ${text}`, values).map((row: Row) => String(row[3])));
          return Reflect.apply(value, target, args);
        };
      },
    });
    return { index, plans, spy };
  }
});
