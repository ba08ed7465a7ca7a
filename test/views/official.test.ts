// The official cases of SQL on FHIR: shareable and experimental ones.
// https://github.com/FHIR/sql-on-fhir-v2/tree/master/tests
import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/fhir/json.ts';
import type { Decimals } from '../../src/fhir/json.ts';
import type { JsonObject } from '../../src/fhir/json-object.ts';
import { readTypeDefinitions } from '../../src/model/type-definitions.ts';
import { Questions } from '../../src/fhirpath/delegate/job.ts';
import { compileView } from '../../src/views/compile.ts';
import { printCell } from '../../src/views/cell.ts';
import { RowError } from '../../src/views/row-error.ts';
import { rowsOf } from '../../src/views/rows.ts';

const types = readTypeDefinitions();
const folder = new URL('../fixtures/sql-on-fhir/', import.meta.url);

interface Case {
  readonly title: string;
  readonly view: JsonObject;
  readonly expect?: readonly JsonObject[];
  readonly expectError?: boolean;
  readonly expectColumns?: readonly string[];
}

const files = readdirSync(folder)
  .filter(name => name.endsWith('.json'))
  .map(name => {
    const { value, decimals } = parseJson(readFileSync(new URL(name, folder), 'utf8'));
    const { resources, tests } = value as { resources: JsonObject[]; tests: Case[] }; // the format of the suite
    return { name, resources, tests, decimals };
  });

describe.each(files)('$name', ({ resources, tests, decimals }) => {
  it.each(tests.map(one => [one.title, one] as const))('%s', (_title, one) => {
    expect(outcome(one, resources, decimals)).toEqual(
      one.expectError === true ? 'an error' : { columns: one.expectColumns, rows: inOrder(one.expect ?? []) },
    );
  });
});

/** The rows in any order, with the columns if the case expects some; or that there is an error. */
function outcome({ view: json, expectColumns }: Case, resources: readonly JsonObject[], decimals: Decimals): unknown {
  const { view } = compileView(json, types);
  if (view === undefined) return 'an error';
  const columns = view.columns.map(({ name }) => name);
  const records = resources.filter(({ resourceType }) => resourceType === view.resourceType);
  try {
    const rows = records.flatMap(value => {
      const found = rowsOf(view, { value, decimals }, new Questions());
      if (found === undefined) throw new Error('fhirpath.js would be needed');
      return found.map(row => Object.fromEntries(row.map((cell, at) => [columns[at], JSON.parse(printCell(cell))])));
    });
    return { columns: expectColumns && columns, rows: inOrder(rows) };
  } catch (error) {
    if (error instanceof RowError) return 'an error';
    throw error;
  }
}

const inOrder = (rows: readonly JsonObject[]): readonly string[] =>
  rows.map(row => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))).sort();
