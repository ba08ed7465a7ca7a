import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/fhir/json-object.ts';
import { against, observation, patient, problems, profile, url, validatorOf } from './support/validator.ts';

// References and what they point to: https://hl7.org/fhir/R4/references.html

const r4 = 'http://hl7.org/fhir/StructureDefinition/';
const subject = (reference: JsonObject, contained?: JsonObject): JsonObject =>
  observation({ subject: reference, ...(contained === undefined ? {} : { contained: [contained] }) });
const man: JsonObject = { resourceType: 'Patient', id: 'p', gender: 'male' };
const issue = 'error Observation.subject target at Observation.subject.reference';

describe('references', () => {
  it.each<[title: string, resource: JsonObject, expected: readonly string[]]>([
    ['a type that fits', subject({ reference: 'Patient/1' }), []],
    ['a type that does not', subject({ reference: 'Practitioner/1' }), [issue]],
    ['an absolute one that does not', subject({ reference: 'https://example.org/fhir/Practitioner/1' }), [issue]],
    ['a version of one that does not', subject({ reference: 'Practitioner/1/_history/2' }), [issue]],
    ['only a type', subject({ type: 'Practitioner', display: 'x' }), [issue]],
    ['a text without a type', subject({ reference: 'urn:uuid:6e5b2b4a-6c5c-4a5c-8a8f-0a1b2c3d4e5f' }), []],
    ['a contained one that fits', subject({ reference: '#p' }, man), []],
    ['a contained one that does not', subject({ reference: '#p' }, { ...man, resourceType: 'Person' }), [issue]],
    ['a contained one that does not exist', subject({ reference: '#q' }), ['error ref-1 at Observation.subject']],
  ])('of R4: %s', (_title, resource, expected) => {
    expect(problems(validatorOf(), resource)).toEqual(expected);
  });

  it('may be narrowed by a profile', () => {
    const definition = profile('Observation', {
      'Observation.subject': { type: [{ code: 'Reference', targetProfile: [`${r4}Group`] }] },
    });
    expect(against(definition, subject({ reference: 'Group/1' }))).toEqual([]);
    expect(against(definition, subject({ reference: 'Patient/1' }))).toEqual([issue]);
  });

  it('check their target against its profile if it is available', () => {
    const definition = profile('Observation', {
      'Observation.subject': { type: [{ code: 'Reference', targetProfile: [url('male')] }] },
    });
    const male = profile('Patient', { 'Patient.gender': { min: 1, fixedCode: 'male' } }, { name: 'male' });
    expect(against(definition, subject({ reference: '#p' }, man), male)).toEqual([]);
    expect(against(definition, subject({ reference: 'Patient/1' }), male)).toEqual([]);
    expect(against(definition, subject({ reference: '#p' }, { ...man, gender: 'female' }), male)).toEqual([issue]);
  });

  it('that are relative find their target on the server of their entry', () => {
    const definition = profile('Observation', {
      'Observation.subject': { type: [{ code: 'Reference', targetProfile: [url('male')] }] },
    });
    const male = profile('Patient', { 'Patient.gender': { min: 1, fixedCode: 'male' } }, { name: 'male' });
    const [here, there] = ['https://here.example/fhir', 'https://there.example/fhir'];
    const bundle = (server: string, base: string | undefined): JsonObject => ({
      resourceType: 'Bundle',
      type: 'collection',
      entry: [
        { fullUrl: `${there}/Patient/p`, resource: { ...man, gender: 'female' } },
        { fullUrl: `${here}/Patient/p`, resource: man },
        {
          fullUrl: `${server}/Observation/o`,
          resource: {
            ...subject({ reference: `${base ?? ''}Patient/p` }),
            id: 'o',
            meta: { profile: [definition.url] },
          },
        },
      ],
    });
    const of = (resource: JsonObject) =>
      problems(validatorOf(definition, male), resource).filter(one => /target/.test(one));
    expect(of(bundle(here, undefined))).toEqual([]);
    expect(of(bundle(there, undefined))).toHaveLength(1);
    expect(of(bundle('https://other.example/fhir', undefined))).toEqual([]);
    expect(of(bundle(here, `${there}/`))).toHaveLength(1);
  });

  it('find their target in a Bundle', () => {
    const definition = profile('Observation', {
      'Observation.subject': { type: [{ code: 'Reference', targetProfile: [url('male')] }] },
    });
    const male = profile('Patient', { 'Patient.gender': { min: 1, fixedCode: 'male' } }, { name: 'male' });
    const bundle = (gender: string): JsonObject => ({
      resourceType: 'Bundle',
      type: 'collection',
      entry: [
        {
          fullUrl: 'urn:oid:1.1',
          resource: { ...subject({ reference: 'urn:oid:1.2' }), meta: { profile: [definition.url] } },
        },
        { fullUrl: 'urn:oid:1.2', resource: { ...man, gender } },
      ],
    });
    const validator = validatorOf(definition, male);
    expect(problems(validator, bundle('male'))).toEqual([]);
    expect(problems(validator, bundle('female'))).toEqual([
      'error Observation.subject target at Bundle.entry[0].resource.subject.reference',
    ]);
  });

  it('are held against what is contained in their target, and not in what names it', () => {
    const definitions = [
      profile('Observation', {
        'Observation.subject': { type: [{ code: 'Reference', targetProfile: [url('known')] }] },
      }),
      profile(
        'Patient',
        { 'Patient.generalPractitioner': { min: 1, type: [{ code: 'Reference', targetProfile: [url('named')] }] } },
        { name: 'known' },
      ),
      profile('Practitioner', { 'Practitioner.name': { min: 1 } }, { name: 'named' }),
    ] as const;
    const doctor = (name?: string): JsonObject => ({
      resourceType: 'Practitioner',
      id: 'd',
      active: true,
      ...(name === undefined ? {} : { name: [{ text: name }] }),
    });
    const bundle = (inPatient: JsonObject, inObservation: JsonObject): JsonObject => ({
      resourceType: 'Bundle',
      type: 'collection',
      entry: [
        {
          fullUrl: 'urn:oid:1.1',
          resource: {
            ...subject({ reference: 'urn:oid:1.2' }),
            contained: [inObservation],
            performer: [{ reference: '#d' }],
            meta: { profile: [definitions[0].url] },
          },
        },
        {
          fullUrl: 'urn:oid:1.2',
          resource: { ...man, contained: [inPatient], generalPractitioner: [{ reference: '#d' }] },
        },
      ],
    });
    const validator = validatorOf(...definitions);
    expect(problems(validator, bundle(doctor('A'), doctor()))).toEqual([]);
    expect(problems(validator, bundle(doctor(), doctor('A')))).toEqual([
      'error Observation.subject target at Bundle.entry[0].resource.subject.reference',
    ]);
  });

  it('that lead in a circle come to an end', () => {
    const definition = profile('Observation', {
      'Observation.hasMember': { min: 1, type: [{ code: 'Reference', targetProfile: [url('p')] }] },
    });
    const resource = observation({
      contained: [
        observation({ id: 'a', hasMember: [{ reference: '#b' }] }),
        observation({ id: 'b', hasMember: [{ reference: '#a' }] }),
      ],
      hasMember: [{ reference: '#a' }],
    });
    expect(against(definition, resource)).toEqual([]);
  });

  it.each<[title: string, aggregation: readonly string[], good: JsonObject, bad: JsonObject]>([
    ['contained', ['contained'], subject({ reference: '#p' }, man), subject({ reference: 'Patient/1' })],
    ['apart', ['referenced'], subject({ reference: 'Patient/1' }), subject({ reference: '#p' }, man)],
  ])('may have to be %s', (_title, aggregation, good, bad) => {
    const type = [{ code: 'Reference', targetProfile: [`${r4}Patient`], aggregation }];
    const definition = profile('Observation', { 'Observation.subject': { type } });
    expect(against(definition, good)).toEqual([]);
    expect(against(definition, bad)).toEqual([issue]);
  });
});

describe('resources within resources', () => {
  it.each<[title: string, contained: JsonObject, rest: JsonObject, expected: readonly string[]]>([
    ['referred to', man, { subject: { reference: '#p' } }, []],
    ['without a reference to it', man, {}, ['error dom-3 at Observation']],
    [
      'that refers to the one around it',
      {
        resourceType: 'Provenance',
        id: 'v',
        target: [{ reference: '#' }],
        recorded: '2024-01-01T00:00:00Z',
        agent: [{ who: { display: 'x' } }],
      },
      {},
      [],
    ],
    [
      'with contained ones of its own',
      { ...man, contained: [man] },
      { subject: { reference: '#p' } },
      ['error dom-2 at Observation', 'error dom-3 at Observation.contained[0]'],
    ],
    [
      'with a version',
      { ...man, meta: { versionId: '1' } },
      { subject: { reference: '#p' } },
      ['error dom-4 at Observation'],
    ],
    [
      'with a label',
      { ...man, meta: { security: [{ code: 'x' }] } },
      { subject: { reference: '#p' } },
      ['error dom-5 at Observation'],
    ],
  ])('contained: %s', (_title, contained, rest, expected) => {
    const found = problems(validatorOf(), observation({ contained: [contained], ...rest }));
    expect(found.filter(text => !text.startsWith('warning'))).toEqual(expected);
  });

  it('are held against what they claim', () => {
    const definition = profile('Patient', { 'Patient.name': { min: 1 } });
    const claiming = { ...man, meta: { profile: [definition.url] } };
    const validator = validatorOf(definition);
    expect(problems(validator, subject({ reference: '#p' }, claiming))).toEqual([
      'error Patient.name min at Observation.contained[0].name',
    ]);
    expect(
      problems(validator, {
        resourceType: 'Bundle',
        type: 'collection',
        entry: [{ fullUrl: 'urn:oid:1.1', resource: claiming }],
      }),
    ).toEqual(['error Patient.name min at Bundle.entry[0].resource.name']);
  });

  it('claim profiles of their own type only; unknown ones are reported', () => {
    const definition = profile('Patient', { 'Patient.name': { min: 1 } });
    const resource = observation({ meta: { profile: [definition.url, 'https://example.org/unknown'] } });
    expect(problems(validatorOf(definition), resource)).toEqual([
      'error meta.profile at Observation.meta.profile[0]',
      'warning unknown https://example.org/unknown at Observation.meta.profile[1]',
    ]);
  });

  it.each([
    [
      'an element that does not exist',
      profile('Patient', { 'Patient.nmae': { min: 1 }, 'Patient.name': { min: 1 } }),
      ['warning problems', 'error Patient.name min'],
      'The profile was checked in part. The differential of ' +
        '`https://example.org/fhir/StructureDefinition/p` cannot be applied at `Patient.nmae`: The base ' +
        'has no such element, so this was left out.',
    ],
    [
      'a base that does not exist',
      profile('Patient', { 'Patient.name': { min: 1 } }, { baseDefinition: 'https://example.org/none' }),
      ['warning unknown'],
      'The profile was not checked. The differential of ' +
        '`https://example.org/fhir/StructureDefinition/p` cannot be applied at `Patient`: The base ' +
        '`https://example.org/none` is not loaded.',
    ],
  ])(
    'claim a profile whose differential names %s; the reason why it is not checked whole is reported',
    (_title, definition, expected, text) => {
      const validator = validatorOf(definition);
      const resource = patient({ meta: { profile: [definition.url] } });
      expect(problems(validator, resource).map(one => one.replace(/( https:.*)? at .*/, ''))).toEqual(expected);
      expect(
        validator.validate(resource).find(({ expression }) => expression === 'Patient.meta.profile[0]')?.text,
      ).toBe(text);
      expect(text).toContain(validator.problems(definition.url)[0]);
    },
  );
});
