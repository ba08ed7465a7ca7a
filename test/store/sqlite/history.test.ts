import { describe, expect, it, onTestFinished } from 'vitest';
import { createExtract } from '../../../src/indexing/extract.ts';
import { openStore } from '../../../src/store/open.ts';
import { historySlice } from '../../../src/store/sqlite/history.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import type { Sql } from '../../../src/store/sqlite/sql.ts';
import type { HistoryScope } from '../../../src/store/port/transfer.ts';
import * as t from '../support/fixture.ts';
import { placeSqlite5 } from '../support/layouts.ts';
import { list } from '../support/list.ts';
import { shippedModel } from '../support/shipped.ts';

const after = { lastUpdated: 1_000, type: t.typeName, id: 'a', version: 3 };
const ofType: HistoryScope = { order: 'newest', of: [{ type: t.typeName }], after, slice: 50 };
const ofRecord: HistoryScope = { ...ofType, of: [{ type: t.typeName, ids: ['a'] }] };

describe('the statements of a page of versions', () => {
  const typeSteps = ['resources_updated', 'resources_removed', 'versions_updated'];
  it.each<[title: string, scope: HistoryScope, indexes: readonly string[]]>([
    ['of a type, newest first', ofType, typeSteps],
    ['of a type, oldest first', { ...ofType, order: 'oldest' } as const, typeSteps],
    ['of a record', ofRecord, ['resources_key', 'versions_key']],
  ])('%s: ranges of indexes, without sorting', async (_, scope, indexes) => {
    const place = await t.newPlace();
    onTestFinished(() => place.remove());
    const { store, demo } = await t.openDemo(place.url);
    await demo.write([t.put('a')]);
    await store.close();
    const database = openDatabase(place.path, 'read');
    onTestFinished(() => database.close());
    const plans: string[] = [];
    const query = database.query.bind(database);
    database.query = (statement: Sql) => {
      const steps = database.all(`EXPLAIN QUERY PLAN ${statement.text}`, statement.values).map(row => String(row[3]));
      plans.push(steps.join('; '));
      return query(statement);
    };
    await historySlice({ database, n: 1, model: t.modelOf() }, scope);
    expect(plans).toHaveLength(indexes.length);
    for (const [at, plan] of plans.entries()) {
      expect(plan).toMatch(new RegExp(`^SEARCH \\w+ USING (?:COVERING )?INDEX ${indexes[at]} \\(t=\\? AND [^;]+\\)$`));
    }
  });
});

it('a store of layout 5 has the history of its types after its upgrade', async () => {
  const place = await t.newPlace();
  onTestFinished(() => place.remove());
  await placeSqlite5(place.path);
  const model = await shippedModel();
  const options = { model, extract: createExtract(model), now: Date.now, mode: 'serve', deadline: 5_000 } as const;
  const store = await openStore(place.url, options);
  onTestFinished(() => store.close());
  const clinic = await store.partition('clinic');
  if (clinic === undefined) throw new Error('The partition is not there');
  const found = await list(clinic.export({ order: 'newest', of: [{ type: 'Condition' }], slice: 3 }));
  const all = await list(clinic.export({ type: 'Condition' }));
  expect(found.map(({ lastUpdated }) => lastUpdated)).toEqual(
    all.map(({ lastUpdated }) => lastUpdated).toSorted((a, b) => b - a),
  );
  expect(found.filter(({ text }) => text === undefined).map(({ id }) => id)).toEqual(['removed']);
  for await (const step of store.verify()) expect('findings' in step ? step.findings : []).toEqual([]);
});
