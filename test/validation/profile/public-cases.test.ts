import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/fhir/json-object.ts';
import { against, observation, patient, problems, profile, url, validatorOf } from './support/validator.ts';

// Kinds of case that HL7's public test cases of validators have, in words of our own, with the verdict of the reference
// validator.

type Profile = JsonObject & { readonly url: string };

const uuid = (at: number): string => `urn:uuid:53fefa32-fcbb-4ff8-8a92-55ee1208770${at}`;
const bundle = (...resources: readonly JsonObject[]): JsonObject => ({
  resourceType: 'Bundle',
  type: 'collection',
  entry: resources.map((resource, at) => ({ fullUrl: uuid(at), resource })),
});
const called = (text: string): JsonObject => observation({ code: { text } });
const xhtml = { status: 'empty', div: '<div xmlns="http://www.w3.org/1999/xhtml">x</div>' };

describe('the resource of an entry', () => {
  const document = profile('Bundle', { 'Bundle.entry.resource': { min: 1, type: [{ code: 'DocumentManifest' }] } });

  it('is of the type that the profile of the Bundle says', () => {
    expect(
      against(document, bundle({ resourceType: 'DocumentManifest', status: 'current', content: [{ display: 'x' }] })),
    ).toEqual([]);
    expect(against(document, bundle(patient()))).toEqual([
      'error Bundle.entry.resource type at Bundle.entry[0].resource',
    ]);
  });

  const members = [
    profile('Observation', { 'Observation.code': { patternCodeableConcept: { text: 'one' } } }, { name: 'one' }),
    profile('Observation', { 'Observation.code': { patternCodeableConcept: { text: 'two' } } }, { name: 'two' }),
    profile('Patient', { 'Patient.active': { min: 1 } }, { name: 'who' }),
  ];
  const slice = (name: string, code: string): Record<string, JsonObject> => ({
    [`Bundle.entry:${name}`]: { min: 1, max: '1' },
    [`Bundle.entry:${name}.resource`]: { min: 1, type: [{ code, profile: [url(name)] }] },
  });
  const sliced = profile('Bundle', {
    'Bundle.entry': { slicing: { discriminator: [{ type: 'profile', path: 'resource' }], rules: 'closed' } },
    ...slice('who', 'Patient'),
    ...slice('one', 'Observation'),
    ...slice('two', 'Observation'),
  });

  it.each<[title: string, resources: readonly JsonObject[], expected: readonly string[]]>([
    ['one of each', [patient(), called('one'), called('two')], []],
    [
      'two of one profile',
      [patient(), called('one'), called('one')],
      ['error Bundle.entry:one max at Bundle.entry', 'error Bundle.entry:two min at Bundle.entry'],
    ],
    [
      'one that meets the profile of its slice by half, which is no other slice either',
      [{ resourceType: 'Patient', gender: 'male' }, called('one'), called('two')],
      ['error Bundle.entry closed at Bundle.entry[0]', 'error Bundle.entry:who min at Bundle.entry'],
    ],
  ])('belongs to the slice whose profile it meets: %s', (_title, resources, expected) => {
    expect(against(sliced, bundle(...resources), ...members)).toEqual(expected);
  });

  it('belongs to the slice of its type', () => {
    const byType = profile('Bundle', {
      'Bundle.entry': { slicing: { discriminator: [{ type: 'type', path: 'resource' }], rules: 'open' } },
      'Bundle.entry:p': { min: 1, max: '1' },
      'Bundle.entry:p.resource': { type: [{ code: 'Patient' }] },
    });
    expect(against(byType, bundle(called('x'), patient()))).toEqual([]);
    expect(against(byType, bundle(called('x')))).toEqual(['error Bundle.entry:p min at Bundle.entry']);
  });
});

describe('a pattern', () => {
  const type = { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: 'MR' }] };
  const numbered = (...systems: readonly string[]): JsonObject =>
    patient({ identifier: systems.map(system => ({ type, system, value: '1' })) });

  it('is evaluated for each value', () => {
    const all = profile('Patient', { 'Patient.identifier': { patternIdentifier: { type, system: 'urn:oid:2.16.1' } } });
    expect(against(all, numbered('urn:oid:2.16.1', 'urn:oid:2.16.2'))).toEqual([
      'error Patient.identifier pattern at Patient.identifier[1]',
    ]);
  });

  it('decides the slice of a value', () => {
    const one = profile('Patient', {
      'Patient.identifier': { slicing: { discriminator: [{ type: 'pattern', path: '$this' }], rules: 'open' } },
      'Patient.identifier:MR': { min: 1, patternIdentifier: { type, system: 'urn:oid:2.16.1' } },
    });
    expect(against(one, numbered('urn:oid:2.16.2', 'urn:oid:2.16.1'))).toEqual([]);
    expect(against(one, numbered('urn:oid:2.16.2'))).toEqual(['error Patient.identifier:MR min at Patient.identifier']);
  });

  it('decides it for sections too, which may be nested', () => {
    const document = profile('Composition', {
      'Composition.section': { min: 2, slicing: { discriminator: [{ type: 'pattern', path: 'code' }], rules: 'open' } },
      'Composition.section:a': { min: 1 },
      'Composition.section:a.code': { min: 1, patternCodeableConcept: { text: 'A' } },
      'Composition.section:a.title': { min: 1 },
    });
    const composed = (...section: readonly JsonObject[]): JsonObject => ({
      resourceType: 'Composition',
      status: 'final',
      type: { text: 'x' },
      date: '2020',
      author: [{ display: 'x' }],
      title: 't',
      section,
    });
    const [a, b] = [
      { code: { text: 'A' }, title: 'x', text: xhtml },
      { code: { text: 'B' }, text: xhtml },
    ];
    expect(against(document, composed(a, b))).toEqual([]);
    expect(against(document, composed({ code: a.code, text: xhtml }, b))).toEqual([
      'error Composition.section:a.title min at Composition.section[0].title',
    ]);
    expect(against(document, composed(b, b))).toEqual(['error Composition.section:a min at Composition.section']);
  });
});

describe('profiles of a type', () => {
  const kind = { kind: 'complex-type' };
  const [used, typed] = [
    profile('Address', { 'Address.use': { min: 1 } }, { ...kind, name: 'used' }),
    profile('Address', { 'Address.type': { min: 1 } }, { ...kind, name: 'typed' }),
  ];
  const either = profile('Patient', {
    'Patient.address': { type: [{ code: 'Address', profile: [url('used'), url('typed')] }] },
  });

  it.each<[address: JsonObject, good: boolean]>([
    [{ text: 'x' }, false],
    [{ use: 'home' }, true],
    [{ type: 'both' }, true],
    [{ use: 'home', type: 'both' }, true],
  ])('are met by one of them: %j', (address, good) => {
    const expected = good ? [] : ['error Patient.address type.profile at Patient.address[0]'];
    expect(against(either, patient({ address: [address] }), used, typed)).toEqual(expected);
  });
});

describe('a profile', () => {
  it('may lead back to itself by its targets', () => {
    const circle = profile(
      'Patient',
      {
        'Patient.active': { min: 1 },
        'Patient.link.other': { type: [{ code: 'Reference', targetProfile: [url('circle')] }] },
      },
      { name: 'circle' },
    );
    const linked = (target: JsonObject): JsonObject => ({
      ...patient({ link: [{ other: { reference: '#p' }, type: 'seealso' }] }),
      contained: [{ resourceType: 'Patient', id: 'p', ...target }],
    });
    expect(against(circle, linked({ active: true }))).toEqual([]);
    expect(against(circle, linked({ gender: 'male' }))).toEqual([
      'error Patient.link.other target at Patient.link[0].other.reference',
    ]);
  });

  it.each<[claimed: string, expected: readonly string[]]>([
    ['|0.1', ['error Patient.name min at Patient.name']],
    ['|0.2', ['error Patient.gender min at Patient.gender']],
    ['', ['error Patient.gender min at Patient.gender']],
    ['|0.3', [`warning unknown ${url('v')}|0.3 at Patient.meta.profile[0]`]],
  ])('is of the version that is claimed (%j), else of the newest', (claimed, expected) => {
    const versions = [
      profile('Patient', { 'Patient.name': { min: 1 } }, { name: 'v', version: '0.1' }),
      profile('Patient', { 'Patient.gender': { min: 1 } }, { name: 'v', version: '0.2' }),
    ];
    expect(problems(validatorOf(...versions), patient({ meta: { profile: [url('v') + claimed] } }))).toEqual(expected);
  });

  it('may contain the ValueSet that it names', () => {
    const valueSet = {
      resourceType: 'ValueSet',
      id: 'vs',
      status: 'active',
      compose: { include: [{ system: 'urn:x', concept: [{ code: 'a' }] }] },
    };
    const married: Profile = profile(
      'Patient',
      { 'Patient.maritalStatus': { binding: { strength: 'required', valueSet: '#vs' } } },
      { contained: [valueSet] },
    );
    const errors = (code: string): readonly string[] =>
      against(married, patient({ maritalStatus: { coding: [{ system: 'urn:x', code }] } })).filter(one =>
        one.startsWith('error'),
      );
    expect(errors('a')).toEqual([]);
    expect(errors('b')).toEqual(['error Patient.maritalStatus binding at Patient.maritalStatus']);
  });
});

describe('ids of elements', () => {
  it('are unique in a resource, and in each that it contains', () => {
    const named = (...ids: readonly string[]): JsonObject => patient({ name: ids.map(id => ({ id, text: 'x' })) });
    expect(problems(validatorOf(), named('a', 'b'))).toEqual([]);
    expect(problems(validatorOf(), named('a', 'a'))).toEqual(['error Element.id at Patient.name[1]']);
    expect(
      problems(validatorOf(), {
        ...named('a'),
        contained: [{ ...named('a'), id: 'p' }],
        link: [{ other: { reference: '#p' }, type: 'seealso' }],
      }),
    ).toEqual([]);
  });
});
