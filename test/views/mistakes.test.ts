// The mistakes of a ViewDefinition that are known without a record.
// https://sql-on-fhir.org/ig/2.0.0/StructureDefinition-ViewDefinition.html
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/fhir/json-object.ts';
import { readTypeDefinitions } from '../../src/model/type-definitions.ts';
import { compileView, viewTableUrl } from '../../src/views/compile.ts';

const types = readTypeDefinitions();
const id = { name: 'id', path: 'id' };

const problems = (view: JsonObject): readonly string[] =>
  compileView(view, types).problems.map(({ path, text }) => `${path}: ${text}`);

describe('a mistake is reported with its place', () => {
  const select = [{ column: [id] }];
  const path = (text: unknown): JsonObject => ({
    resource: 'Patient',
    select: [{ column: [{ name: 'v', path: text }] }],
  });
  it.each<[title: string, view: JsonObject, problem: string]>([
    ['no resource', { select }, 'resource: The view has no `resource`'],
    [
      'a type that R4 does not have',
      { resource: 'Patiant', select },
      'resource: `Patiant` is not a resource type of FHIR R4. Did you mean `Patient`?',
    ],
    ['an abstract type', { resource: 'DomainResource', select }, 'resource: `DomainResource` is not a resource type'],
    ['a data type', { resource: 'HumanName', select }, 'resource: `HumanName` is not a resource type'],
    ['no select', { resource: 'Patient' }, 'select: The view has no `select`'],
    ['an empty select', { resource: 'Patient', select: [] }, 'select: The view has no `select`'],
    ['no column', { resource: 'Patient', select: [{ forEach: 'name' }] }, 'select: The view has no column.'],
    ['an expression that is no text', path(1), 'select[0].column[0].path: A FHIRPath expression is a text.'],
    ['no expression', path(undefined), 'select[0].column[0].path: The FHIRPath is missing.'],
    [
      'invalid FHIRPath',
      path('name.('),
      'select[0].column[0].path: `(` was found where the name of an element or a function was expected',
    ],
    [
      'an unknown function',
      path('name.frist()'),
      'select[0].column[0].path: There is no function `frist()`. Did you mean `first`?',
    ],
    ['an undefined constant', path('%nam'), 'select[0].column[0].path: There is no variable `%nam`'],
    [
      'a function that needs other records',
      path('managingOrganization.resolve().name'),
      'select[0].column[0].path: `resolve()` needs more than the record',
    ],
    [
      'a function that needs value sets',
      path("gender.memberOf('x')"),
      'select[0].column[0].path: `memberOf()` needs more than the record',
    ],
    [
      'an unknown type of a reference',
      path('managingOrganization.getReferenceKey(Organisation)'),
      'select[0].column[0].path: There is no type `Organisation`',
    ],
    [
      'wrong criteria',
      { resource: 'Patient', select, where: [{ path: 'name.family' }] },
      'where[0].path: A criterion is a boolean, not string.',
    ],
    [
      'criteria without a path',
      { resource: 'Patient', select, where: [{}] },
      'where[0].path: The FHIRPath is missing.',
    ],
    [
      'a constant without a value',
      { resource: 'Patient', select, constant: [{ name: 'c' }] },
      'constant[0]: The constant has no value',
    ],
    [
      'a constant with two values',
      { resource: 'Patient', select, constant: [{ name: 'c', valueString: 'a', valueCode: 'a' }] },
      'constant[0]: The constant has several values: `valueString` and `valueCode`.',
    ],
    [
      'a constant of another type',
      { resource: 'Patient', select, constant: [{ name: 'c', valueInteger: 1.5 }] },
      'constant[0].valueInteger: `valueInteger` must be an integer',
    ],
    [
      'a constant of no type',
      { resource: 'Patient', select, constant: [{ name: 'c', valueQuantity: {} }] },
      'constant[0].valueQuantity: `valueQuantity` is no type of a constant',
    ],
    [
      'a constant twice',
      {
        resource: 'Patient',
        select,
        constant: [
          { name: 'c', valueId: 'a' },
          { name: 'c', valueId: 'a' },
        ],
      },
      'constant[1].name: The constant `c` is defined twice.',
    ],
    [
      'a constant with a name of FHIRPath',
      { resource: 'Patient', select, constant: [{ name: 'resource', valueId: 'a' }] },
      'constant[0].name: `%resource` has a meaning of its own',
    ],
    [
      'the name of a view',
      { resource: 'Patient', name: 'my-view', select },
      'name: The name of a view begins with a letter',
    ],
    [
      'the name of a column',
      { resource: 'Patient', select: [{ column: [{ name: '__proto__', path: 'id' }] }] },
      'select[0].column[0].name: The name of a column begins with a letter',
    ],
    [
      'a column twice',
      { resource: 'Patient', select: [{ column: [id, id] }] },
      'select[0].column[1].name: The column `id` is also defined at select[0].column[0].',
    ],
    [
      'a column twice in siblings',
      { resource: 'Patient', select: [{ column: [id] }, { column: [id] }] },
      'select[1].column[0].name: The column `id` is also defined at select[0].column[0].',
    ],
    [
      'a column twice in a nested select',
      { resource: 'Patient', select: [{ column: [id], select }] },
      'select[0].select[0].column[0].name: The column `id` is also defined',
    ],
    [
      'a column beside a union',
      { resource: 'Patient', select: [{ column: [id], unionAll: select }] },
      'select[0].unionAll[0].column[0].name: The column `id` is also defined',
    ],
    [
      'a column after a union',
      { resource: 'Patient', select: [{ unionAll: select }, ...select] },
      'select[1].column[0].name: The column `id` is also defined at select[0].unionAll[0].column[0].',
    ],
    [
      'other names in a union',
      { resource: 'Patient', select: [{ unionAll: [...select, { column: [{ name: 'b', path: 'id' }] }] }] },
      'select[0].unionAll[1]: The columns of this branch are `b`, and those of the first are `id`',
    ],
    [
      'other types in a union',
      {
        resource: 'Patient',
        select: [{ unionAll: [{ column: [{ ...id, type: 'id' }] }, { column: [{ ...id, type: 'string' }] }] }],
      },
      'select[0].unionAll[1].column[0]: `id` has the type string here and id in the first branch',
    ],
    [
      'two iterations of one path',
      {
        resource: 'Patient',
        select: [{ forEach: 'name', forEachOrNull: 'name', column: [{ name: 'f', path: 'family' }] }],
      },
      'select[0]: A select has at most one of `forEach` and `forEachOrNull`.',
    ],
    [
      'an iteration and `repeat`',
      { resource: 'Patient', select: [{ forEach: 'name', repeat: ['name'], column: [{ name: 'f', path: 'family' }] }] },
      'select[0]: A select has at most one of `forEach` and `repeat`.',
    ],
    [
      '`repeat` as a text',
      { resource: 'Patient', select: [{ repeat: 'name', column: [id] }] },
      'select[0].repeat: `repeat` is a list of FHIRPath expressions.',
    ],
    [
      '`repeat` with a mistake',
      { resource: 'Patient', select: [{ repeat: ['name', 'x('], column: [id] }] },
      'select[0].repeat[1]: The expression ends where',
    ],
    [
      'a column that is no object',
      { resource: 'Patient', select: [{ column: ['id'] }] },
      'select[0].column[0]: A column is an object',
    ],
    [
      'an SQL type that is none',
      {
        resource: 'Patient',
        select: [{ column: [{ ...id, tag: [{ name: 'ansi/type', value: 'INT); DROP TABLE x' }] }] }],
      },
      'select[0].column[0].tag: The value of the tag `ansi/type` is an SQL type',
    ],
    [
      'a table of a clock',
      { ...path('today()'), name: 'v', extension: [{ url: viewTableUrl, valueBoolean: true }] },
      'extension: A view that reads the clock cannot have a table',
    ],
    [
      'a table without a name',
      { resource: 'Patient', select, extension: [{ url: viewTableUrl, valueBoolean: true }] },
      'name: A view with a table has a name.',
    ],
    [
      'more expressions than a view has',
      {
        resource: 'Patient',
        select: [{ column: Array.from({ length: 2001 }, (_, at) => ({ name: `c${at}`, path: 'id' })) }],
      },
      'select[0].column[2000].path: A view has at most 2000 expressions.',
    ],
  ])('%s', (_title, view, problem) => {
    const found = problems(view);
    expect(found[0]).toContain(problem);
    expect(found).toHaveLength(1);
  });

  it('all at once', () =>
    expect(
      problems({ resource: 'Patient', select: [{ forEach: '@@', column: [{ name: '1', path: 'x(' }] }] }),
    ).toHaveLength(3));
});

describe('no mistake', () => {
  const view = (path: string, name = 'v'): JsonObject => ({
    resource: 'Patient',
    select: [{ column: [{ name, path }] }],
  });
  it('is an element that the type does not have: a warning says that it is empty', () => {
    const { problems: found, warnings } = compileView(view('nmae.family'), types);
    expect(found).toEqual([]);
    expect(warnings).toEqual([
      {
        path: 'select[0].column[0].path',
        text: 'There is no element `nmae` in Patient. Did you mean `name`? The result is always empty.',
      },
    ]);
  });

  it.each(['constructor', 'toString', 'select', 'group', 'hasOwnProperty'])('is a column `%s`', name =>
    expect(problems(view('id', name))).toEqual([]),
  );
  it('is a select `{}` beside others', () =>
    expect(problems({ resource: 'Patient', select: [{}, { column: [id] }] })).toEqual([]));
  it('is a repetition of names in branches of a union', () =>
    expect(problems({ resource: 'Patient', select: [{ unionAll: [{ column: [id] }, { column: [id] }] }] })).toEqual(
      [],
    ));
});

describe('the columns of a view', () => {
  it('are in the order own, nested, union, whatever the order of keys', () => {
    const named = (name: string): object => ({ column: [{ name, path: "'x'" }] });
    const select = [
      { unionAll: [named('d'), named('d')], select: [named('b'), named('c')], ...named('a') },
      named('e'),
    ];
    expect(
      compileView({ resource: 'Patient', select }, types)
        .view?.columns.map(({ name }) => name)
        .join(''),
    ).toBe('abcde');
  });

  it('have the declared type, else that of the element', () => {
    const paths = {
      id: 'id',
      birth: 'birthDate',
      any: 'multipleBirth',
      text: 'name.given.first()',
      computed: "'a' + 'b'",
    };
    const column = Object.entries(paths).map(([name, path]) => ({ name, path }));
    const declared = [
      { name: 'url', path: 'id', type: 'http://hl7.org/fhir/StructureDefinition/code' },
      { name: 'system', path: 'id', type: 'http://hl7.org/fhirpath/System.String' },
      { name: 'element', path: 'contact', type: 'Patient.contact' },
    ];
    const { view } = compileView({ resource: 'Patient', select: [{ column: [...column, ...declared] }] }, types);
    expect(view?.columns.map(({ name, type }) => [name, type])).toEqual([
      ['id', 'id'],
      ['birth', 'date'],
      ['any', undefined],
      ['text', 'string'],
      ['computed', undefined],
      ['url', 'code'],
      ['system', 'string'],
      ['element', 'Patient.contact'],
    ]);
  });
});
