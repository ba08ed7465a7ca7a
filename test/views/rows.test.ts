// How records become rows.
// https://sql-on-fhir.org/ig/2.0.0/StructureDefinition-ViewDefinition.html#processing-algorithm
import { describe, expect, it } from 'vitest';
import { runNow } from '../../src/fhirpath/delegate/run.ts';
import type { JsonObject } from '../../src/fhir/json-object.ts';
import { readTypeDefinitions } from '../../src/model/type-definitions.ts';
import { compileView } from '../../src/views/compile.ts';
import { printCell } from '../../src/views/cell.ts';
import { Questions } from '../../src/fhirpath/delegate/job.ts';
import { readRecord, rowsOf } from '../../src/views/rows.ts';

const types = readTypeDefinitions();

/** The rows of a record, each as JSON, with fhirpath.js where it is needed. */
function rows(view: JsonObject, record: JsonObject | string): readonly string[] {
  const compiled = compileView({ resource: 'Patient', ...view }, types);
  if (compiled.view === undefined) throw new Error(JSON.stringify(compiled.problems));
  compiled.view.state.now = '2026-01-02T03:04:05.678Z';
  const questions = new Questions();
  const parsed = readRecord(
    typeof record === 'string' ? record : JSON.stringify({ resourceType: 'Patient', ...record }),
  );
  for (;;) {
    const found = rowsOf(compiled.view, parsed, questions);
    if (found !== undefined) return found.map(row => `[${row.map(printCell).join(',')}]`);
    questions.settle(runNow(questions.open));
  }
}

/** A view of one column. */
const column = (path: string, more: JsonObject = {}): JsonObject => ({
  select: [{ column: [{ name: 'v', path, ...more }] }],
});

const tree = {
  resourceType: 'QuestionnaireResponse',
  item: [
    { linkId: 'a', item: [{ linkId: 'a1', item: [{ linkId: 'a1x' }] }] },
    { linkId: 'b', answer: [{ valueString: 'yes', item: [{ linkId: 'b1' }] }] },
  ],
};

describe('iterations', () => {
  it('walks `repeat` depth first, in the order of the record', () => {
    const view = {
      resource: 'QuestionnaireResponse',
      select: [
        {
          repeat: ['item', 'answer.item'],
          column: [
            { name: 'id', path: 'linkId' },
            { name: 'at', path: '%rowIndex' },
          ],
        },
      ],
    };
    expect(rows(view, JSON.stringify(tree))).toEqual(['["a",0]', '["a1",1]', '["a1x",2]', '["b",3]', '["b1",4]']);
  });

  it('counts `%rowIndex` in the nearest iteration, and inherits it elsewhere', () => {
    const view = {
      select: [
        { column: [{ name: 'top', path: '%rowIndex' }] },
        {
          forEach: 'name',
          column: [{ name: 'outer', path: '%rowIndex' }],
          select: [{ column: [{ name: 'inherited', path: '%rowIndex' }] }],
          unionAll: [
            { forEach: 'given', column: [{ name: 'inner', path: '%rowIndex' }] },
            { column: [{ name: 'inner', path: '%rowIndex' }] },
          ],
        },
      ],
    };
    const record = { name: [{ given: ['a', 'b'] }, { given: ['c'] }] };
    expect(rows(view, record)).toEqual(['[0,0,0,0]', '[0,0,0,1]', '[0,0,0,0]', '[0,1,1,0]', '[0,1,1,1]']);
  });

  const nothing = {
    select: [
      {
        forEachOrNull: 'contact',
        column: [
          { name: 'gender', path: 'gender' },
          { name: 'at', path: '%rowIndex' },
        ],
        select: [{ forEach: 'telecom', column: [{ name: 'phone', path: 'value' }] }],
        unionAll: [{ forEach: 'name', column: [{ name: 'text', path: 'text' }] }],
      },
    ],
  };
  it('gives the null row of forEachOrNull all columns, nested and of unions too', () =>
    expect(rows(nothing, {})).toEqual(['[null,0,null,null]']));
  it('drops an element without children of a nested forEach', () =>
    expect(rows(nothing, { contact: [{ gender: 'male' }] })).toEqual([]));

  it('keeps duplicates of a union, and makes the product of selects', () => {
    const given = { forEach: 'name.given', column: [{ name: 'v', path: '$this' }] };
    const view = {
      select: [{ unionAll: [given, given] }, { forEach: 'telecom', column: [{ name: 't', path: 'value' }] }],
    };
    const record = { name: [{ given: ['a'] }], telecom: [{ value: '1' }, { value: '2' }] };
    expect(rows(view, record)).toEqual(['["a","1"]', '["a","2"]', '["a","1"]', '["a","2"]']);
  });
});

describe('keys', () => {
  const record = {
    id: 'p1',
    generalPractitioner: [{ reference: 'Practitioner/d1' }],
    managingOrganization: { reference: 'Organization/o1/_history/3' },
  };
  it.each([
    ['a record', 'getResourceKey()', '["Patient/p1"]'],
    ['a function after it', 'getResourceKey().exists()', '[true]'],
    ['a reference with a version', 'managingOrganization.getReferenceKey()', '["Organization/o1"]'],
    ['a reference of the type', 'generalPractitioner.getReferenceKey(Practitioner)', '["Practitioner/d1"]'],
    ['a reference of another type', 'generalPractitioner.getReferenceKey(Patient)', '[null]'],
    ['fhirpath.js', "generalPractitioner.getReferenceKey(Practitioner) ~ 'practitioner/D1'", '[true]'],
    ['fhirpath.js on the record', "(getResourceKey() ~ 'patient/P1')", '[true]'],
  ])('of %s: %s', (_title, path, expected) => expect(rows(column(path), record)).toEqual([expected]));

  it.each([
    ['#contained'],
    ['urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6'],
    ['https://other.example/fhir/Organization/o1'],
    [undefined],
  ])('are empty for the reference %s', reference => {
    const managingOrganization = { ...(reference && { reference }), identifier: { value: '1' } };
    expect(rows(column('managingOrganization.getReferenceKey()'), { managingOrganization })).toEqual(['[null]']);
  });
});

describe('constants', () => {
  it.each([
    ['a date', { valueDate: '1980-05-01' }, 'birthDate = %c', 'true'],
    ['a dateTime without a time', { valueDateTime: '1980-05-01' }, 'birthDate = %c', 'true'],
    ['an earlier date', { valueDate: '1980-05' }, 'birthDate >= @1980-04 and birthDate > @1979', 'true'],
    ['a positiveInt', { valuePositiveInt: 2 }, 'multipleBirth.ofType(integer) = %c', 'true'],
    ['an integer64', { valueInteger64: '5000000000' }, '%c > 4', 'true'],
    ['a decimal', { valueDecimal: 2.5 }, '%c * 2', '5'],
    ['a string with quotes', { valueString: "it's 100% \\ %c" }, '%c', String.raw`"it's 100% \\ %c"`],
    ['a text in quotes is no constant', { valueString: 'x' }, "'%c'", '"%c"'],
    ['a longer name is another constant', { valueString: 'x' }, '%cd', '"long"'],
    ['fhirpath.js gets a literal', { valueString: "It's" }, "%c ~ 'it\\'s'", 'true'],
    ['fhirpath.js gets a date', { valueDate: '1980-05-01' }, '%c + 1 month', '"1980-06-01"'],
  ])('%s', (_title, value, path, expected) => {
    const constant = [
      { name: 'c', ...value },
      { name: 'cd', valueString: 'long' },
    ];
    const record = { birthDate: '1980-05-01', multipleBirthInteger: 2 };
    expect(rows({ constant, ...column(path) }, record)).toEqual([`[${expected}]`]);
  });
});

describe('values', () => {
  it.each([
    ['no value is null', 'gender', {}, 'null'],
    ['an element with extensions only is null', 'birthDate', { _birthDate: { extension: [] } }, 'null'],
    [
      'a complex value is an object',
      'name',
      { name: [{ family: 'A', _family: { id: '1' } }] },
      '{"family":"A","_family":{"id":"1"}}',
    ],
    ['now() is the time of the run', 'now()', {}, '"2026-01-02T03:04:05.678Z"'],
    ['a name of JavaScript is no element', '`constructor`', {}, 'null'],
    ['arithmetic of fhirpath.js', 'birthDate + 1 year', { birthDate: '2020-02-29' }, '"2021-02-28"'],
    ['an element of fhirpath.js', "name.where(family ~ 'ANN')", { name: [{ family: 'Ann' }] }, '{"family":"Ann"}'],
  ])('%s: %s', (_title, path, record, expected) => expect(rows(column(path), record)).toEqual([`[${expected}]`]));

  it.each([
    ['of nothing are an empty list', {}, '[]'],
    ['are a list', { name: [{ given: ['a', 'b'] }] }, '["a","b"]'],
  ])('collections %s', (_title, record, expected) =>
    expect(rows(column('name.given', { collection: true }), record)).toEqual([`[${expected}]`]),
  );

  const observation = (value: string): string =>
    `{"resourceType":"Observation","id":"o","valueQuantity":{"value":${value},"unit":"mg"}}`;
  it.each([
    ['the digits of a decimal', 'value.ofType(Quantity).value', '1.50', '1.50'],
    ['the digits in an object', 'value', '1.50', '{"value":1.50,"unit":"mg"}'],
    ['a low boundary by the digits', 'value.ofType(Quantity).value.lowBoundary()', '1.0', '0.95'],
    ['a high boundary by the digits', 'value.ofType(Quantity).value.highBoundary()', '1', '1.5'],
    ['a boundary with a precision', 'value.ofType(Quantity).value.highBoundary(2)', '1.587', '1.59'],
    ['a boundary of a Quantity', 'value.ofType(Quantity).lowBoundary().value', '2.0', '1.95'],
    ['many digits', 'value.ofType(Quantity).value', '12345678901234567.89', '12345678901234567.89'],
    ['an exponent', 'value.ofType(Quantity).value', '1e3', '1e3'],
  ])('%s', (_title, path, value, expected) =>
    expect(rows({ resource: 'Observation', ...column(path) }, observation(value))).toEqual([`[${expected}]`]),
  );

  it.each([
    ['@1970-06.highBoundary()', '"1970-06-30"'],
    ['@2024-02.highBoundary()', '"2024-02-29"'],
    ['@1970.lowBoundary()', '"1970-01-01"'],
    ['@2010-10-10T12.lowBoundary()', '"2010-10-10T12:00:00.000+14:00"'],
    ['@2010-10-10T12:30:00Z.highBoundary()', '"2010-10-10T12:30:00.999Z"'],
    ['@T12:34.highBoundary()', '"12:34:59.999"'],
    ['@2014.lowBoundary(6)', '"2014-01"'],
  ])('%s is %s', (path, expected) => expect(rows(column(path), {})).toEqual([`[${expected}]`]));
});

describe('a record without rows', () => {
  const names = { name: [{ family: 'a' }, { family: 'b' }] };
  it.each([
    [
      'several values of a column',
      column('name.family'),
      'The column `v` has 2 values here',
      'select[0].column[0].path',
    ],
    [
      'a criterion of several values',
      { where: [{ path: 'name.family.exists().combine(true)' }], ...column('id') },
      'must yield one boolean',
      'where[0].path',
    ],
    [
      'a `repeat` without an end',
      { select: [{ repeat: ['$this'], column: [{ name: 'v', path: 'id' }] }] },
      '`repeat` does not end',
      undefined,
    ],
    [
      'too many rows',
      {
        select: Array.from({ length: 16 }, (_, at) => ({
          forEach: 'name',
          column: [{ name: `c${at}`, path: 'family' }],
        })),
      },
      'more than 20000 rows',
      undefined,
    ],
    [
      'a text of fhirpath.js that is none',
      column('name.family.toDecimal()'),
      'no value here',
      'select[0].column[0].path',
    ],
  ])('names %s', (_title, view, text, place) => {
    let error: unknown;
    try {
      rows(view, names);
    } catch (found) {
      error = found;
    }
    expect(error).toMatchObject({ name: 'RowError', place });
    expect(String(error)).toContain(text);
  });

  it('is one that the criteria exclude, also by no value', () => {
    expect(rows({ where: [{ path: 'active' }], ...column('id') }, { id: 'a' })).toEqual([]);
    expect(rows({ where: [{ path: 'active' }], ...column('id') }, { id: 'a', active: true })).toEqual(['["a"]']);
  });
});
