// https://hl7.org/fhir/R4/search.html#token
import { describe, expect, it } from 'vitest';
import { read } from './read.ts';

const observation = (rest: object) => ({ resourceType: 'Observation', ...rest });
const patient = (rest: object) => ({ resourceType: 'Patient', ...rest });

describe('tokens', () => {
  it.each([
    [
      'every coding of a concept',
      {
        coding: [
          { system: 'urn:a', code: 'X' },
          { system: 'urn:b', code: 'Y' },
        ],
      },
      ['urn:a|x', 'urn:b|y'],
    ],
    [
      'case-sensitive if the system says so',
      { coding: [{ system: 'http://loinc.org', code: 'LA-b' }] },
      ['http://loinc.org|LA-b (case)'],
    ],
    ['a coding without system', { coding: [{ code: 'BP' }] }, ['|bp']],
    ['a coding with a system only', { coding: [{ system: 'urn:a', display: 'A' }] }, ['urn:a|-']],
    ['a coding with neither', { coding: [{ display: 'A' }] }, []],
    ['a concept with text only', { text: 'blood pressure' }, []],
    ['what is not a concept', 'text', []],
    ['what is not a coding', { coding: ['x', null, 4] }, []],
  ])('of a CodeableConcept: %s', (_why, code, expected) => {
    expect(print(read('token', 'Observation.code', observation({ code })))).toEqual(expected);
  });

  it.each([
    ['system and value, folded', { system: 'urn:oid:1.2', value: 'AB-1' }, ['urn:oid:1.2|ab-1']],
    ['no system', { value: '4444' }, ['|4444']],
    ['no value', { system: 'urn:oid:1.2' }, ['urn:oid:1.2|-']],
    ['a type only', { type: { text: 'MR' } }, []],
  ])('of an Identifier: %s', (_why, identifier, expected) => {
    expect(print(read('token', 'Patient.identifier', patient({ identifier: [identifier] })))).toEqual(expected);
  });

  it.each([
    ['a telephone number by its digits', { system: 'phone', value: '+1 (416) 555-1234' }, ['|4165551234']],
    ['a fax alike', { system: 'fax', value: '416.555.1234' }, ['|4165551234']],
    ['a number of no system by its looks', { value: '416 555 1234' }, ['|4165551234']],
    ['a telephone that is no number', { system: 'phone', value: 'Ask Ann' }, ['|ask ann']],
    ['an email address folded', { system: 'email', value: 'Ann@Example.org' }, ['|ann@example.org']],
    ['digits of an address are no number', { system: 'url', value: '416-555' }, ['|416-555']],
    ['no value', { system: 'phone' }, []],
  ])('of a ContactPoint: %s', (_why, telecom, expected) => {
    expect(print(read('token', 'Patient.telecom', patient({ telecom: [telecom] })))).toEqual(expected);
  });

  it('of a code have the system of the value set that binds it', () => {
    const resource = patient({ gender: 'female', link: [{ type: 'seealso' }] });
    expect(print(read('token', 'Patient.gender', resource))).toEqual([
      'http://hl7.org/fhir/administrative-gender|female (case)',
    ]);
    expect(print(read('token', 'Patient.link.type', resource))).toEqual(['|seealso (case)']);
    expect(print(read('token', 'Patient.language', patient({ language: 'en-CA' })))).toEqual(['|en-ca']);
  });

  it('of booleans, texts and identifiers of things', () => {
    expect(print(read('token', 'Patient.active', patient({ active: false })))).toEqual(['|false']);
    expect(print(read('token', 'Patient.deceased.exists() and Patient.deceased != false', patient({})))).toEqual([
      '|false',
    ]);
    expect(print(read('token', 'Patient.name.use', patient({ name: [{ use: 'old' }] })))).toEqual(['|old (case)']);
    expect(print(read('token', 'Patient.name.family', patient({ name: [{ family: 'Doe' }] })))).toEqual(['|doe']);
    expect(print(read('token', 'Patient.id', patient({ id: 'Ab' })))).toEqual(['|ab']);
    expect(print(read('token', 'Patient.meta.profile', patient({ meta: { profile: ['urn:x'] } })))).toEqual(['|urn:x']);
    expect(print(read('token', 'Patient.active', patient({ active: 'yes' })))).toEqual([]);
  });

  it('of an extension are those of its value', () => {
    const extension = [
      { url: 'urn:a', valueCodeableConcept: { coding: [{ code: 'x' }] } },
      { url: 'urn:a', valueString: 'Y' },
      { url: 'urn:a', extension: [] },
    ];
    expect(print(read('token', "Patient.extension('urn:a')", patient({ extension })))).toEqual(['|x', '|y']);
  });

  it('are not made of what has no token form', () => {
    expect(read('token', 'Patient.name', patient({ name: [{ family: 'Doe' }] }))).toEqual([]);
    expect(read('token', 'Patient.birthDate', patient({ birthDate: '2000' }))).toEqual([]);
  });
});

const print = (values: ReturnType<typeof read>): readonly string[] =>
  values.map(value =>
    value.kind === 'token'
      ? `${value.system ?? ''}|${value.code ?? '-'}${value.caseSensitive ? ' (case)' : ''}`
      : value.kind,
  );
