// https://hl7.org/fhir/R4/fhirpatch.html
import { describe, expect, it } from 'vitest';
import { patched, resultOf } from './patched.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A part by its name; a text is a `valueString`, a number a `valueInteger`, an object the fields of a part. */
const part = ([name, value]: [string, unknown]) => ({
  name,
  ...(typeof value === 'string'
    ? { valueString: value }
    : typeof value === 'number'
      ? { valueInteger: value }
      : (value as Fields)),
});
const operation = (type: string, parts: Fields) => ({
  name: 'operation',
  part: [{ name: 'type', valueCode: type }, ...Object.entries(parts).map(part)],
});
const parameters = (...operations: object[]) => ({ resourceType: 'Parameters', parameter: operations });

const patient = {
  resourceType: 'Patient',
  name: [
    { use: 'official', family: 'Roy', given: ['Ann', 'Bo'] },
    { use: 'nickname', given: ['Bee'] },
  ],
  birthDate: '1980-01-01',
  deceasedBoolean: false,
  managingOrganization: { reference: 'Organization/1' },
};
const observation = '{"resourceType":"Observation","code":{"text":"x"},"valueQuantity":{"value":1.50}}';

const after = (of: object, ...operations: object[]): unknown => JSON.parse(patched(of, parameters(...operations)));

describe('a FHIRPath Patch', () => {
  it.each<[string, object, object]>([
    [
      'adds to a list of texts',
      operation('add', { path: 'Patient.name[1]', name: 'given', value: 'Cy' }),
      { ...patient, name: [patient.name[0], { use: 'nickname', given: ['Bee', 'Cy'] }] },
    ],
    [
      'finds an element by criteria',
      operation('replace', { path: "name.where(use = 'official').family", value: 'Lee' }),
      { ...patient, name: [{ ...patient.name[0], family: 'Lee' }, patient.name[1]] },
    ],
    [
      'finds an item of a list',
      operation('delete', { path: "Patient.name.given.where($this = 'Bo')" }),
      { ...patient, name: [{ ...patient.name[0], given: ['Ann'] }, patient.name[1]] },
    ],
    [
      'inserts at the beginning of a list that is not there',
      operation('insert', { path: 'Patient.telecom', index: 0, value: { valueContactPoint: { value: '1' } } }),
      { ...patient, telecom: [{ value: '1' }] },
    ],
    [
      'moves items of a list of texts',
      operation('move', { path: 'Patient.name[0].given', source: 0, destination: 1 }),
      { ...patient, name: [{ ...patient.name[0], given: ['Bo', 'Ann'] }, patient.name[1]] },
    ],
    ['deletes nothing where nothing is', operation('delete', { path: 'Patient.maritalStatus' }), patient],
    [
      'replaces a choice by another type',
      operation('replace', { path: 'Patient.deceased', value: { valueDateTime: '2020' } }),
      { ...patient, deceasedBoolean: undefined, deceasedDateTime: '2020' },
    ],
    [
      'takes a date for a time',
      operation('add', {
        path: 'Patient.name[0]',
        name: 'period',
        value: { part: [{ name: 'start', valueDate: '2020' }] },
      }),
      { ...patient, name: [{ ...patient.name[0], period: { start: '2020' } }, patient.name[1]] },
    ],
    [
      'builds types without a name of their children',
      operation('add', {
        path: 'Patient',
        name: 'contact',
        value: {
          part: [
            { name: 'gender', valueCode: 'male' },
            { name: 'telecom', valueContactPoint: { value: '1' } },
            { name: 'telecom', valueContactPoint: { value: '2' } },
            { name: 'name', part: [{ name: 'given', valueString: 'Di', _valueString: { id: 'x' } }] },
          ],
        },
      }),
      {
        ...patient,
        contact: [
          { gender: 'male', telecom: [{ value: '1' }, { value: '2' }], name: { given: ['Di'], _given: [{ id: 'x' }] } },
        ],
      },
    ],
    [
      'adds a contained resource',
      operation('add', {
        path: 'Patient',
        name: 'contained',
        value: { resource: { resourceType: 'Basic', id: 'b', code: { text: 'x' } } },
      }),
      { ...patient, contained: [{ resourceType: 'Basic', id: 'b', code: { text: 'x' } }] },
    ],
  ])('%s', (_, change, expected) => {
    expect(after(patient, change)).toEqual(JSON.parse(JSON.stringify(expected)));
  });

  it('changes contained resources, also by the reference to them', () => {
    const organization = (name: string) => ({ resourceType: 'Organization', id: 'o', name });
    const of = { ...patient, contained: [organization('one')], managingOrganization: { reference: '#o' } };
    const replace = (path: string) => operation('replace', { path, value: 'two' });
    const expected = { ...of, contained: [organization('two')] };
    expect(after(of, replace('Patient.contained[0].name'))).toEqual(expected);
    expect(after(of, replace('Patient.managingOrganization.resolve().name'))).toEqual(expected);
  });

  it('keeps the extensions of texts beside their texts', () => {
    const given = (values: unknown[], ids: unknown[]) => ({
      resourceType: 'Patient',
      name: [{ given: values, _given: ids }],
    });
    const of = given(['a', 'b', null], [null, { id: '2' }, { id: '3' }]);
    const path = 'Patient.name[0].given';
    expect(after(of, operation('move', { path, source: 1, destination: 0 }))).toEqual(
      given(['b', 'a', null], [{ id: '2' }, null, { id: '3' }]),
    );
    expect(after(of, operation('insert', { path, index: 1, value: 'c' }))).toEqual(
      given(['a', 'c', 'b', null], [null, null, { id: '2' }, { id: '3' }]),
    );
    expect(after(of, operation('replace', { path: `${path}[1]`, value: 'd' }))).toEqual(
      given(['a', 'd', null], [null, null, { id: '3' }]),
    );
    expect(after(of, operation('delete', { path: `${path}[0]` }))).toEqual(
      given(['b', null], [{ id: '2' }, { id: '3' }]),
    );
    const bare = after(of, operation('delete', { path: `${path}[2]` }), operation('delete', { path: `${path}[1].id` }));
    expect(bare).toEqual({ resourceType: 'Patient', name: [{ given: ['a', 'b'] }] });
  });

  it('adds extensions to a text, and removes what is empty without an element', () => {
    const url = { name: 'url', valueUri: 'http://example.org/e' };
    const add = operation('add', {
      path: 'Patient.name[0].given[1]',
      name: 'extension',
      value: { part: [url, { name: 'value', valueString: 'x' }] },
    });
    // The type of a choice is not in parts: an Extension is added as a whole by JSON Patch.
    expect(resultOf(patient, parameters(add))).toBe(
      JSON.stringify({
        ...patient,
        name: [
          { ...patient.name[0], _given: [null, { extension: [{ url: 'http://example.org/e', valueString: 'x' }] }] },
          patient.name[1],
        ],
      }),
    );
    const contact = { resourceType: 'Patient', contact: [{ name: { text: 'x' } }] };
    expect(after(contact, operation('delete', { path: 'Patient.contact.name.text' }))).toEqual({
      resourceType: 'Patient',
    });
  });

  it('keeps the digits of numbers', () => {
    const decimal = '{"name":"value","valueDecimal":2.10}';
    const text = JSON.stringify(
      parameters(operation('replace', { path: 'Observation.value.value', value: { valueDecimal: 0 } })),
    ).replace(/\{"name":"value",[^}]*\}/, decimal);
    expect(patched(observation, text, 'Observation')).toContain('{"value":2.10}');
    const other = parameters(operation('add', { path: 'Observation', name: 'status', value: { valueCode: 'final' } }));
    expect(patched(observation, other, 'Observation')).toContain('{"value":1.50}');
  });

  it.each<[string, object, string]>([
    ['another resource', { resourceType: 'Basic' }, '400 structure resourceType'],
    ['unknown elements', { resourceType: 'Parameters', x: 1 }, '400 structure Parameters.x'],
    ['another parameter', parameters({ name: 'change' }), '400 structure Parameters.parameter[0].name'],
    [
      'an unknown type',
      parameters(operation('set', { path: 'Patient' })),
      '400 structure Parameters.parameter[0].part[0]',
    ],
    [
      'an unknown part',
      parameters(operation('delete', { path: 'Patient', x: 'y' })),
      '400 structure Parameters.parameter[0].part[2].name',
    ],
    [
      'a part of another type',
      parameters(operation('delete', { path: 'Patient', index: 1 })),
      '400 structure Parameters.parameter[0].part[2]',
    ],
    ['no path', parameters(operation('delete', {})), '400 structure Parameters.parameter[0].part'],
    [
      'an index that is a text',
      parameters(operation('insert', { path: 'Patient.name', index: 'x', value: 'y' })),
      '400 structure Parameters.parameter[0].part[2]',
    ],
    [
      'a long path',
      parameters(operation('delete', { path: 'x'.repeat(1001) })),
      '400 structure Parameters.parameter[0].part[1]',
    ],
    [
      'too many operations',
      parameters(...(Array(1001).fill(operation('delete', { path: 'Patient.id' })) as object[])),
      '400 structure Parameters.parameter',
    ],
  ])('is malformed with %s', (_, patch, expected) => {
    expect(resultOf(patient, patch)).toBe(expected);
  });

  const path = 'part[1]';
  it.each<[string, object, string]>([
    ['no expression', operation('delete', { path: 'Patient.(' }), `processing ${path}`],
    ['an unknown element', operation('delete', { path: 'Patient.nme' }), `processing ${path}`],
    ['a computed value', operation('delete', { path: 'Patient.name.count()' }), `processing ${path}`],
    ['several elements', operation('delete', { path: 'Patient.name' }), `multiple-matches ${path}`],
    ['no element', operation('replace', { path: 'Patient.gender', value: { valueCode: 'male' } }), `not-found ${path}`],
    ['the whole record', operation('delete', { path: 'Patient' }), `processing ${path}`],
    [
      'another resource',
      operation('delete', { path: 'Patient.managingOrganization.resolve().id' }),
      `processing ${path}`,
    ],
    [
      'a function that may be slow',
      operation('delete', { path: "Patient.name.where(family.matches('(a*)*b'))" }),
      `processing ${path}`,
    ],
    ['nested repetitions', operation('delete', { path: 'Patient.repeat(repeat(contact))' }), `processing ${path}`],
    [
      'a construct that is not evaluated',
      operation('delete', { path: "Patient.name.where(family ~ 'roy')" }),
      `processing ${path}`,
    ],
    ['an unknown name', operation('add', { path: 'Patient', name: 'gendre', value: 'x' }), 'processing part[2]'],
    [
      'what exists',
      operation('add', { path: 'Patient', name: 'birthDate', value: { valueDate: '2020' } }),
      'processing part[2]',
    ],
    [
      'what exists as another type',
      operation('add', { path: 'Patient', name: 'deceased', value: { valueDateTime: '2020' } }),
      'processing part[2]',
    ],
    [
      'a value of another type',
      operation('add', { path: 'Patient', name: 'gender', value: { valueBoolean: true } }),
      'value part[3]',
    ],
    ['a type that the choice has not', operation('replace', { path: 'Patient.deceased', value: 'x' }), 'value part[2]'],
    ['parts of a primitive', operation('replace', { path: 'Patient.birthDate', value: { part: [] } }), ''],
    [
      'an unknown child',
      operation('add', { path: 'Patient', name: 'contact', value: { part: [{ name: 'x', valueString: 'y' }] } }),
      'value part[3].part[0].name',
    ],
    [
      'a repeated child',
      operation('add', {
        path: 'Patient',
        name: 'contact',
        value: {
          part: [
            { name: 'gender', valueCode: 'male' },
            { name: 'gender', valueCode: 'male' },
          ],
        },
      }),
      'value part[3].part[1]',
    ],
    [
      'a resource elsewhere',
      operation('add', {
        path: 'Patient',
        name: 'contact',
        value: { resource: { resourceType: 'Basic', code: { text: 'x' } } },
      }),
      'value part[3].resource',
    ],
    [
      'an index beyond the end',
      operation('insert', { path: 'Patient.name', index: 3, value: { valueHumanName: { text: 'x' } } }),
      'processing part[2]',
    ],
    [
      'a source beyond the end',
      operation('move', { path: 'Patient.name', source: 2, destination: 0 }),
      'processing part[2]',
    ],
    [
      'a destination beyond the end',
      operation('move', { path: 'Patient.name', source: 0, destination: 2 }),
      'processing part[3]',
    ],
    [
      'a list that is none',
      operation('insert', { path: 'Patient.birthDate', index: 0, value: 'x' }),
      `processing ${path}`,
    ],
    [
      'a part of a list',
      operation('move', { path: 'Patient.name.where(true)', source: 0, destination: 0 }),
      `processing ${path}`,
    ],
  ])('cannot be applied with %s', (_, change, expected) => {
    const fine = operation('delete', { path: 'Patient.maritalStatus' });
    const result = resultOf(patient, parameters(fine, change));
    expect(result.replace('Parameters.parameter[1].', '')).toMatch(/^4(?:22|00) /);
    expect(result.replace('Parameters.parameter[1].', '')).toContain(expected);
    expect(result).not.toContain('Roy');
  });

  it('costs no more than its budget, and nests no deeper than a parser reads', () => {
    const many = { ...patient, name: Array.from({ length: 5_000 }, (_, at) => ({ text: `${at}` })) };
    const each = operation('delete', { path: "Patient.name.where(text = 'x')" });
    expect(resultOf(many, parameters(...(Array(200).fill(each) as object[])))).toMatch(/^422 too-costly Parameters/);
    const nested = (_: unknown, at: number) =>
      operation('add', {
        path: `Patient${'.extension'.repeat(at)}`,
        name: 'extension',
        value: { part: [{ name: 'url', valueUri: 'http://example.org/e' }] },
      });
    const deep = Array.from({ length: 40 }, nested);
    expect(resultOf(patient, parameters(...deep))).toBe('422 processing Parameters.parameter[31]');
  });

  it('names the operation that fails, and what to send instead', () => {
    expect(() =>
      patched(patient, parameters(operation('replace', { path: 'Patient.birthDat', value: { valueDate: '2020' } }))),
    ).toThrow(
      'Operation 1 (`replace` at `Patient.birthDat`) cannot be applied: There is no element `birthDat` in Patient. ' +
        'Did you mean `birthDate`? The record is unchanged.',
    );
  });
});
