// https://hl7.org/fhir/R4/search.html#modifiers
import { expect, it } from 'vitest';
import { read } from './read.ts';

const observation = (rest: object) => ({ resourceType: 'Observation', ...rest });
const patient = (rest: object) => ({ resourceType: 'Patient', ...rest });
const text = (text: string, folded: string) => ({ kind: 'string', text, folded });
const token = (system: string | undefined, code: string, caseSensitive = false) => ({
  kind: 'token',
  system,
  code,
  caseSensitive,
});

it.each([
  [
    'of a concept: its text and the displays',
    { text: 'Blood Pressure', coding: [{ display: 'BP' }, { code: 'x' }, { display: '' }] },
    [text('Blood Pressure', 'blood pressure'), text('BP', 'bp')],
  ],
  ['of a concept with a code only', { coding: [{ code: 'x' }] }, []],
  ['of what is not a concept', 'text', []],
  ['of what is not a coding', { coding: [null, 'x', { display: 4 }], text: 5 }, []],
])('the texts %s', (_why, code, expected) => {
  expect(read('token', 'Observation.code', observation({ code }), 'UTC', 'text')).toEqual(expected);
});

it.each([
  [
    'a Coding',
    'Observation.meta.tag',
    observation({ meta: { tag: [{ display: 'A tag' }] } }),
    [text('A tag', 'a tag')],
  ],
  [
    'the type of an Identifier',
    'Patient.identifier',
    patient({ identifier: [{ type: { text: 'Card', coding: [{ display: 'D' }] }, value: '1' }, { type: null }] }),
    [text('Card', 'card')],
  ],
])('the text of %s', (_why, expression, resource, expected) => {
  expect(read('token', expression, resource, 'UTC', 'text')).toEqual(expected);
});

it.each([
  [
    'each coding of the type, with the value',
    {
      type: {
        coding: [
          { system: 'urn:t', code: 'MR' },
          { system: 'http://loinc.org', code: 'B' },
        ],
      },
      system: 'urn:s',
      value: 'A1',
    },
    [
      {
        kind: 'composite',
        of: [[token('urn:t', 'mr'), token('http://loinc.org', 'B', true)], [token(undefined, 'a1')]],
      },
    ],
  ],
  ['a type without system or code', { type: { coding: [{ code: 'MR' }, { system: 'urn:t' }] }, value: '1' }, []],
  ['no value', { type: { coding: [{ system: 'urn:t', code: 'MR' }] } }, []],
  ['no type', { value: '1' }, []],
  ['what is no type', { type: null, value: '1' }, []],
])('the typed identifier of %s', (_why, identifier, expected) => {
  expect(read('token', 'Patient.identifier', patient({ identifier: [identifier] }), 'UTC', 'ofType')).toEqual(expected);
});

it.each([
  [
    'beside a reference',
    { reference: 'Patient/1', identifier: { system: 'urn:s', value: 'A1' } },
    [token('urn:s', 'a1')],
  ],
  ['alone', { identifier: { value: 'A1' } }, [token(undefined, 'a1')]],
  ['without a value', { identifier: { type: { text: 'MR' } } }, []],
  ['that is none', { identifier: null }, []],
])('the identifier %s', (_why, subject, expected) => {
  expect(read('reference', 'Observation.subject', observation({ subject }), 'UTC', 'identifier')).toEqual(expected);
});
