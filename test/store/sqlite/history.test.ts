import { describe, expect, it, onTestFinished } from 'vitest';
import { nextKeys } from '../../../src/store/sqlite/history.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import type { Sql } from '../../../src/store/sqlite/sql.ts';
import type { HistoryScope } from '../../../src/store/port/transfer.ts';
import * as t from '../support/fixture.ts';

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
    await nextKeys({ database, n: 1, model: t.modelOf() }, scope);
    expect(plans).toHaveLength(indexes.length);
    for (const [at, plan] of plans.entries()) {
      expect(plan).toMatch(new RegExp(`^SEARCH \\w+ USING (?:COVERING )?INDEX ${indexes[at]} \\(t=\\? AND [^;]+\\)$`));
    }
  });
});
