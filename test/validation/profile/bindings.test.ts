import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/fhir/json-object.ts';
import { against, observation, patient, problems, profile, validatorOf } from './support/validator.ts';

// Bindings: https://hl7.org/fhir/R4/terminologies.html#strength

const system = 'urn:colours';
const colours: JsonObject = {
  resourceType: 'CodeSystem',
  url: system,
  status: 'active',
  content: 'complete',
  caseSensitive: true,
  property: [{ code: 'kind', type: 'code' }],
  concept: [
    {
      code: 'red',
      property: [{ code: 'kind', valueCode: 'warm' }],
      concept: [{ code: 'crimson', property: [{ code: 'kind', valueCode: 'warm' }] }],
    },
    { code: 'blue', property: [{ code: 'kind', valueCode: 'cold' }] },
  ],
};
const valueSet = (compose: JsonObject, name = 'vs'): JsonObject => ({
  resourceType: 'ValueSet',
  url: `urn:vs:${name}`,
  status: 'active',
  compose,
});
const bound = (strength: string) =>
  profile('Observation', { 'Observation.code': { binding: { strength, valueSet: 'urn:vs:vs' } } });
const coded = (...codes: readonly string[]): JsonObject =>
  observation({ code: { coding: codes.map(code => ({ system, code })) } });

const issue = 'Observation.code binding at Observation.code';

describe('bindings', () => {
  it.each([['urn:vs:vs'], ['urn:vs:other']])(
    'a set that includes itself through %s has the codes of its other parts',
    via => {
      const own = valueSet({ include: [{ valueSet: [via] }, { system, concept: [{ code: 'red' }] }] });
      const other = valueSet({ include: [{ valueSet: ['urn:vs:vs'] }] }, 'other');
      expect(against(bound('required'), coded('red'), colours, own, other)).toEqual([]);
      expect(against(bound('required'), coded('blue'), colours, own, other)).not.toContain(`error ${issue}`);
    },
  );

  const listed = valueSet({ include: [{ system, concept: [{ code: 'red' }] }] });

  it.each<[title: string, strength: string, resource: JsonObject, expected: readonly string[]]>([
    ['required takes a code of the set', 'required', coded('red'), []],
    ['required takes a code of the set among others', 'required', coded('blue', 'red'), []],
    ['required takes no other', 'required', coded('blue'), [`error ${issue}`]],
    ['required takes no text alone', 'required', observation(), [`error ${issue}`]],
    [
      'required takes no code of another system',
      'required',
      observation({ code: { coding: [{ system: 'urn:x', code: 'red' }] } }),
      [`error ${issue}`],
    ],
    [
      'required takes no code without a system',
      'required',
      observation({ code: { coding: [{ code: 'red' }] } }),
      [`error ${issue}`],
    ],
    ['extensible warns of another', 'extensible', coded('blue'), [`warning ${issue}`]],
    ['extensible takes a text alone', 'extensible', observation(), []],
    ['preferred takes another', 'preferred', coded('blue'), []],
    ['example takes another', 'example', coded('blue'), []],
  ])('%s', (_title, strength, resource, expected) => {
    expect(against(bound(strength), resource, colours, listed)).toEqual(expected);
  });

  it.each<[title: string, compose: JsonObject, inside: readonly string[], outside: readonly string[]]>([
    ['a whole system', { include: [{ system }] }, ['red', 'crimson', 'blue'], ['green', 'Red']],
    ['a list', { include: [{ system, concept: [{ code: 'blue' }] }] }, ['blue'], ['red']],
    [
      'what is taken out',
      { include: [{ system }], exclude: [{ system, concept: [{ code: 'red' }] }] },
      ['blue'],
      ['red'],
    ],
    [
      'is-a',
      { include: [{ system, filter: [{ property: 'concept', op: 'is-a', value: 'red' }] }] },
      ['red', 'crimson'],
      ['blue'],
    ],
    [
      'descendent-of',
      { include: [{ system, filter: [{ property: 'concept', op: 'descendent-of', value: 'red' }] }] },
      ['crimson'],
      ['red', 'blue'],
    ],
    [
      'is-not-a',
      { include: [{ system, filter: [{ property: 'concept', op: 'is-not-a', value: 'red' }] }] },
      ['blue'],
      ['red', 'crimson'],
    ],
    [
      'a property',
      { include: [{ system, filter: [{ property: 'kind', op: '=', value: 'warm' }] }] },
      ['red', 'crimson'],
      ['blue'],
    ],
    [
      'a list of codes',
      { include: [{ system, filter: [{ property: 'code', op: 'in', value: 'red,blue' }] }] },
      ['red', 'blue'],
      ['crimson'],
    ],
    [
      'a pattern',
      { include: [{ system, filter: [{ property: 'code', op: 'regex', value: '.*e.*' }] }] },
      ['red', 'blue'],
      ['crimson'],
    ],
    ['another set', { include: [{ valueSet: ['urn:vs:other'] }] }, ['blue'], ['red']],
    ['what two sets share', { include: [{ system, valueSet: ['urn:vs:other'] }] }, ['blue'], ['red']],
    [
      'a set that includes itself beside others',
      { include: [{ system, concept: [{ code: 'red' }] }, { valueSet: ['urn:vs:vs'] }] },
      ['red'],
      [],
    ],
  ])('knows %s', (_title, compose, inside, outside) => {
    const other = valueSet({ include: [{ system, concept: [{ code: 'blue' }] }] }, 'other');
    for (const code of inside)
      expect(against(bound('required'), coded(code), colours, valueSet(compose), other)).toEqual([]);
    for (const code of outside)
      expect(against(bound('required'), coded(code), colours, valueSet(compose), other)).toContain(`error ${issue}`);
  });

  it('reports what cannot be decided as information', () => {
    const definition = bound('required');
    const unknown = valueSet({ include: [{ system: 'urn:nobody-has-this' }] });
    const resource = observation({ code: { coding: [{ system: 'urn:nobody-has-this', code: 'x' }] } });
    const issues = validatorOf(definition, unknown).validate(resource, { profiles: [definition.url] });
    expect(issues.filter(({ rule }) => rule !== 'dom-6')).toMatchObject([
      { severity: 'information', code: 'informational', rule: 'undecided urn:vs:vs', profile: definition.url },
    ]);
  });

  it('takes no code that its own system does not have, whatever the binding', () => {
    expect(problems(validatorOf(colours), coded('red'))).toEqual([]);
    expect(problems(validatorOf(colours), coded('red', 'green'))).toEqual([
      'error coding at Observation.code.coding[1]',
    ]);
  });

  it('knows languages and media types by their grammars', () => {
    const validator = validatorOf();
    const note = (language: string, contentType: string): JsonObject =>
      patient({ language, photo: [{ contentType, url: 'x' }] });
    expect(problems(validator, note('fr-CA', 'image/svg+xml; charset=utf-8'))).toEqual([]);
    expect(problems(validator, note('f', 'picture'))).toEqual([
      'error Patient.language binding maxValueSet at Patient.language',
      'error Attachment.contentType binding at Patient.photo[0].contentType',
    ]);
  });

  it('limits the codes beside a preferred set by its maximum, and takes a text alone', () => {
    const validator = validatorOf();
    const speaking = (language: JsonObject): JsonObject => patient({ communication: [{ language }] });
    expect(problems(validator, speaking({ text: 'Cree' }))).toEqual([]);
    expect(problems(validator, speaking({ coding: [{ system: 'urn:ietf:bcp:47', code: 'cr' }] }))).toEqual([]);
    expect(problems(validator, speaking({ coding: [{ system: 'urn:x', code: 'cr' }] }))).toEqual([
      'error Patient.communication.language binding maxValueSet at Patient.communication[0].language',
    ]);
  });

  it('holds R4 to its own required bindings', () => {
    const validator = validatorOf();
    expect(problems(validator, patient({ gender: 'female' }))).toEqual([]);
    expect(problems(validator, patient({ gender: 'lady' }))).toEqual([
      'error Patient.gender binding at Patient.gender',
    ]);
  });

  it('holds R4 to its own extensible bindings, which only warn', () => {
    const validator = validatorOf();
    const concept = (url: string, code: string): JsonObject => ({
      coding: [{ system: `http://terminology.hl7.org/CodeSystem/${url}`, code }],
    });
    const married = (url: string, code: string) => patient({ maritalStatus: concept(url, code) });
    expect(problems(validator, married('v3-MaritalStatus', 'M'))).toEqual([]);
    expect(problems(validator, married('v3-NullFlavor', 'NI'))).toEqual([
      'warning Patient.maritalStatus binding at Patient.maritalStatus',
    ]);
    // A system that is listed in part: by the published expansion.
    const contact = (code: string) =>
      patient({ contact: [{ name: { text: 'A' }, relationship: [concept('v2-0131', code)] }] });
    expect(problems(validator, contact('E'))).toEqual([]);
    expect(problems(validator, contact('O'))).toEqual([
      'warning Patient.contact.relationship binding at Patient.contact[0].relationship[0]',
    ]);
  });

  it('has no more to say where a profile requires a code and has it', () => {
    const stricter = profile('Patient', {
      'Patient.maritalStatus': { binding: { strength: 'required', valueSet: 'urn:vs:vs' } },
    });
    const given = patient({ maritalStatus: { coding: [{ system, code: 'red' }] } });
    expect(problems(validatorOf(colours), given)).toEqual([
      'warning Patient.maritalStatus binding at Patient.maritalStatus',
    ]);
    expect(against(stricter, given, colours, listed)).toEqual([]);
    const other = patient({ maritalStatus: { coding: [{ system, code: 'blue' }] } });
    expect(against(stricter, other, colours, listed)).toEqual([
      'error Patient.maritalStatus binding at Patient.maritalStatus',
    ]);
  });

  it('notes a code beside a preferred set', () => {
    const definition = bound('preferred');
    const issues = (...codes: readonly string[]) =>
      validatorOf(definition, colours, listed)
        .validate(coded(...codes), { profiles: [definition.url] })
        .filter(({ rule }) => rule !== 'dom-6')
        .map(({ severity, text }) => [severity, text]);
    expect(issues('blue', 'red')).toEqual([]);
    expect(issues('blue')).toEqual([
      ['information', '`urn:colours|blue` is not in `urn:vs:vs`, whose codes are preferred here.'],
    ]);
  });

  it('suggests no code that the set excludes', () => {
    const whole = valueSet({ include: [{ system }], exclude: [{ system, concept: [{ code: 'blue' }] }] });
    const definition = bound('required');
    const [found] = validatorOf(definition, colours, whole)
      .validate(coded('blu'), { profiles: [definition.url] })
      .filter(({ rule }) => rule === 'Observation.code binding');
    expect(found?.text).toContain('(required binding). Its codes include `red`, `crimson`.');
  });

  it('suggests what may have been meant', () => {
    const [found] = validatorOf()
      .validate(patient({ gender: 'femal' }))
      .filter(({ severity }) => severity === 'error');
    expect(found?.text).toBe(
      '`femal` is not in `http://hl7.org/fhir/ValueSet/administrative-gender|4.0.1` (required ' +
        'binding). Did you mean `female`? Its codes include `male`, `female`, `other`, `unknown`.',
    );
  });
});

it('suggests no code that is the one that was sent, without its system', () => {
  const resource = { resourceType: 'Patient', maritalStatus: { coding: [{ code: 'M' }] } };
  const text = validatorOf().validate(resource).find(({ code }) => code === 'code-invalid')?.text; // prettier-ignore
  expect(text).toContain('`M` without a system is not in `http://hl7.org/fhir/ValueSet/marital-status`');
  expect(text).not.toContain('Did you mean');
});
