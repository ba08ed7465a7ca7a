// Each declared parameter in each of its forms, and each order with an index: what SQLite would do for it, by the plan
// that it makes of each statement. The plans of one form are the same for all parameters but for the numbers in it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as t from '../support/fixture.ts';
import { createExtract } from '../../../src/indexing/extract.ts';
import type { Model, ResourceType, SearchParam } from '../../../src/model/model.ts';
import type { Query } from '../../../src/search/ast.ts';
import { parseSearch } from '../../../src/search/parse/search.ts';
import { hasSortIndex } from '../../../src/search/sort.ts';
import { sortKindOf } from '../../../src/search/sort-value.ts';
import { check, sourcesOf } from '../../../src/store/sqlite/clause-sql.ts';
import { lower } from '../../../src/store/sqlite/lower.ts';
import type { Clause } from '../../../src/store/sqlite/lower.ts';
import { readPartition } from '../../../src/store/sqlite/dictionary.ts';
import type { PartitionIndex, TypeIndex } from '../../../src/store/sqlite/dictionary.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import type { Database } from '../../../src/store/sqlite/open.ts';
import { axisOf, lowerSort, orderBy } from '../../../src/store/sqlite/order.ts';
import { candidates, idSource } from '../../../src/store/sqlite/source.ts';
import { allOf, raw, sql } from '../../../src/store/sqlite/sql.ts';
import type { Sql } from '../../../src/store/sqlite/sql.ts';
import { partsOf } from '../../../src/store/plan/clause.ts';
import { contextOf, eachForm, oneOf, someTypes } from '../support/each-form.ts';
import { ordersOf } from '../support/forms.ts';
import type { Form } from '../support/forms.ts';
import { modelOfR4, shippedModel } from '../support/shipped.ts';

describe.each([
  ['of the shipped capability', shippedModel, 1],
  ['of all of R4', modelOfR4, oneOf],
])('the parameters %s', (_, load, every) => {
  let model: Model;
  let place: Awaited<ReturnType<typeof t.newPlace>>;
  let database: Database;
  let partition: PartitionIndex;
  beforeAll(async () => {
    model = await load();
    place = await t.newPlace();
    const { store } = await t.openDemo(place.url, { model, extract: createExtract(model) });
    await store.close();
    database = openDatabase(place.path, 'read');
    const found = readPartition(database, model, 'demo');
    if (found === undefined) throw new Error('The partition is not there');
    partition = found;
  });
  afterAll(async () => {
    database.close();
    await place.remove();
  });

  it('are found by ranges of their indexes in each form that an index can serve, and checked by key in any', () => {
    const [bad, seen, searched] = [[] as string[], new Set<string>(), new Set<SearchParam>()];
    const types = someTypes(model, every);
    for (const { type, param, form, query } of eachForm(model, types)) {
      seen.add(`${param.type} ${form.name.split(':')[1] ?? ''}`);
      searched.add(param);
      const why = problemOf(query, indexOf(type), form);
      if (why !== undefined) bad.push(`${type.name}?${form.name}=${form.value}: ${why}`);
    }
    expect(bad).toEqual([]);
    const all = types.flatMap(({ parameters }) => [...parameters.values()]);
    const never = all.filter(param => param.type !== 'special' && !searched.has(param));
    expect(never.map(({ resourceType, code }) => `${resourceType}?${code}`)).toEqual([]);
    expect(seen.size).toBeGreaterThan(load === shippedModel ? 10 : 25);
  });

  it('have their order in an index where the definitions ask for one', () => {
    const bad: string[] = [];
    for (const type of someTypes(model, every))
      for (const order of ordersOf(type, param => sortKindOf(param) !== undefined && hasSortIndex(type, param))) {
        const index = indexOf(type);
        const { sort } = parseSearch(type, [['_sort', order]], contextOf(model));
        const keys = lowerSort(sort, index);
        const [key] = keys;
        const axis = key && axisOf(key, index.t);
        if (axis === undefined) bad.push(`${type.name} by ${order}: no index has it`);
        else {
          // The order of a text has another text between the value and the id.
          const by = key?.by === 'text' ? [axis.column, raw('c.text')] : [axis.column];
          const wanted = orderBy(
            by,
            by.flatMap(() => keys),
          );
          const plan = planOf(sql`SELECT c.id FROM ${axis.from} WHERE ${axis.where} ORDER BY ${wanted} LIMIT 10`);
          if (!plan.every(step => step.startsWith('SEARCH c USING')))
            bad.push(`${type.name} by ${order}: ${plan.join('; ')}`);
        }
      }
    expect(bad).toEqual([]);
  });

  function indexOf({ name }: ResourceType): TypeIndex {
    const index = partition.types.get(name);
    if (index === undefined) throw new Error(`${name} is not there`);
    return index;
  }

  /** Why a form is not served as it should be. */
  function problemOf(query: Query, index: TypeIndex, form: Form): string | undefined {
    // Of any type: those to which something refers.
    const clause = lower(query, index, () => ['rare/Device']);
    const { t: number } = index;
    const checked = planOf(sql`SELECT 1 FROM ${candidates(idSource(['a'], number))} c WHERE ${check(clause)}`);
    const scanned = checked.filter(isScan);
    if (scanned.length > 0) return `it is checked by ${scanned.join('; ')}`;
    const sources = partsOf(clause).flatMap(part => sourcesOf(part, number));
    if (form.by === undefined) return undefined;
    if (sources.length === 0) return 'no index finds it';
    for (const source of sources) {
      const plan = planOf(sql`SELECT c.id FROM ${candidates(source)} c`);
      const steps = plan.filter(step => step.startsWith('SEARCH c'));
      if (plan.some(isScan) || steps.length < source.arms.length) return `it is found by ${plan.join('; ')}`;
      const byWords = plan.some(step => isMatch.test(step));
      const wide = steps.find(step => !isNarrow(step, clause) && !(byWords && step.endsWith('(rowid=?)')));
      if (wide !== undefined) return `it is found by all of an index: ${wide}`;
    }
    return undefined;
  }

  const plans = new Map<string, readonly string[]>();
  function planOf({ text, values }: Sql): readonly string[] {
    const known = plans.get(text);
    if (known !== undefined) return known;
    const plan = database.all(`EXPLAIN QUERY PLAN ${text}`, values).map(row => String(row[3]));
    plans.set(text, plan);
    return plan;
  }
});

/** A scan of a table, or of a whole index; not of the values of a list or of the rows of a part of the statement. */
const isScan = (step: string): boolean =>
  /^SCAN (?!j\b|json_each|c$|\(|CONSTANT|[0-9])/.test(step) && !isMatch.test(step);

/**
 * A search of the words by `MATCH`, which SQLite calls a scan: `><` in the rows of one index, `=` in one row.
 * https://sqlite.org/fts5.html
 */
const isMatch = /VIRTUAL TABLE INDEX \d+:(?:M1><|=M1)$/;

/** Beside the number of the parameter or type, the value bounds the range: except where any text may contain it. */
const isNarrow = (step: string, clause: Clause): boolean =>
  /\([pt]=\? AND \w+[=<>]/.test(step) || (clause.kind === 'string' && clause.how === 'contains');

it('would find a scan', () => {
  expect(isScan('SCAN x')).toBe(true);
  expect(isScan('SCAN resources')).toBe(true);
  expect(isScan('SCAN words VIRTUAL TABLE INDEX 0:')).toBe(true);
  expect(isScan('SCAN w VIRTUAL TABLE INDEX 0:M1')).toBe(true);
  expect(isScan('SCAN w VIRTUAL TABLE INDEX 0:M1><')).toBe(false);
  expect(isScan('SCAN terms USING COVERING INDEX terms_r')).toBe(true);
  expect(isNarrow('SEARCH c USING PRIMARY KEY (p=?)', { kind: 'prefix', index: 1, prefix: '' })).toBe(false);
  expect(allOf([]).text).toBe('1');
});
