import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/fhir/json-object.ts';
import { against, observation, patient, profile, url } from './support/validator.ts';

// A resource within another one: `%resource` and `#id` have the meaning that they have in it.
// https://hl7.org/fhir/R4/fhirpath.html#variables, https://hl7.org/fhir/R4/references.html#contained

const r4 = (type: string): string => `http://hl7.org/fhir/StructureDefinition/${type}`;
const bundle = (...resources: readonly JsonObject[]): JsonObject => ({
  resourceType: 'Bundle',
  type: 'collection',
  entry: resources.map((resource, at) => ({ fullUrl: `urn:oid:1.${at}`, resource })),
});
const parameters = (resource: JsonObject): JsonObject => ({
  resourceType: 'Parameters',
  parameter: [{ name: 'resource', resource }],
});
const rule = (key: string, expression: string): JsonObject => ({
  constraint: [{ key, severity: 'error', human: key, expression }],
});

/** A Bundle whose entries must be Observations of a profile, by `type.profile`. */
const bundleOf = (name: string) =>
  profile('Bundle', { 'Bundle.entry.resource': { type: [{ code: 'Observation', profile: [url(name)] }] } });

describe('a profile that type.profile names', () => {
  const own = profile('Observation', { Observation: rule('own-1', '%resource is Observation') }, { name: 'o' });
  const inner = profile(
    'Observation',
    { 'Observation.code': rule('own-2', "%resource.status = 'final'") },
    { name: 'o' },
  );
  const root = profile(
    'Observation',
    { 'Observation.code': rule('own-3', '%rootResource is Observation') },
    { name: 'o' },
  );

  it.each([
    ['%resource of the resource itself', own],
    ['%resource of an element', inner],
    ['%rootResource', root],
  ])('has the resource of the entry as %s', (_title, definition) => {
    expect(against(bundleOf('o'), bundle(observation()), definition)).toEqual([]);
  });

  it('rejects what its %resource does not meet', () => {
    expect(against(bundleOf('o'), bundle(observation({ status: 'amended' })), inner)).toEqual([
      'error own-2 at Bundle.entry[0].resource.code',
    ]);
  });

  it.each<[title: string, contained: JsonObject, expected: readonly string[]]>([
    ['meets the profile', { gender: 'male' }, []],
    [
      'does not meet it',
      { gender: 'female' },
      ['error Observation.subject target at Bundle.entry[0].resource.subject.reference'],
    ],
  ])('finds what its resource contains, where that %s', (_title, contained, expected) => {
    const male = profile('Patient', { 'Patient.gender': { min: 1, fixedCode: 'male' } }, { name: 'male' });
    const definition = profile(
      'Observation',
      { 'Observation.subject': { type: [{ code: 'Reference', targetProfile: [male.url] }] } },
      { name: 'o' },
    );
    const resource = observation({
      contained: [{ resourceType: 'Patient', id: 'p', ...contained }],
      subject: { reference: '#p' },
    });
    expect(against(bundleOf('o'), bundle(resource), definition, male)).toEqual(expected);
  });

  it('finds the other entries of the Bundle', () => {
    const male = profile('Patient', { 'Patient.gender': { min: 1, fixedCode: 'male' } }, { name: 'male' });
    const definition = profile('Bundle', {
      'Bundle.entry': { slicing: { discriminator: [{ type: 'type', path: 'resource' }], rules: 'open' } },
      'Bundle.entry:o': {},
      'Bundle.entry:o.resource': { type: [{ code: 'Observation' }] },
      'Bundle.entry:o.resource.subject': { type: [{ code: 'Reference', targetProfile: [male.url] }] },
    });
    const named = (gender: string): JsonObject =>
      bundle(observation({ subject: { reference: 'urn:oid:1.1' } }), patient({ gender }));
    expect(against(definition, named('male'), male)).toEqual([]);
    expect(against(definition, named('female'), male)).toEqual([
      'error Bundle.entry:o.resource.subject target at Bundle.entry[0].resource.subject.reference',
    ]);
  });

  it('is tried in the same way if it decides the slice of an entry', () => {
    const definition = profile('Bundle', {
      'Bundle.entry': { slicing: { discriminator: [{ type: 'profile', path: 'resource' }], rules: 'closed' } },
      'Bundle.entry:o': { min: 1 },
      'Bundle.entry:o.resource': { min: 1, type: [{ code: 'Observation', profile: [url('o')] }] },
    });
    expect(against(definition, bundle(observation()), inner)).toEqual([]);
    expect(against(definition, bundle(observation({ status: 'amended' })), inner)).toEqual([
      'error Bundle.entry closed at Bundle.entry[0]',
      'error Bundle.entry:o min at Bundle.entry',
    ]);
  });

  it('has the resource around it as %rootResource where its own is contained', () => {
    const definition = profile('Observation', {
      'Observation.contained': { type: [{ code: 'Patient', profile: [url('c')] }] },
    });
    const contained = profile(
      'Patient',
      { 'Patient.gender': rule('in-1', "%resource is Patient and %rootResource is Observation") }, // prettier-ignore
      { name: 'c' },
    );
    const resource = observation({
      contained: [{ resourceType: 'Patient', id: 'p', gender: 'male' }],
      subject: { reference: '#p' },
    });
    expect(against(definition, resource, contained)).toEqual([]);
  });
});

describe('a constraint on an element that has a resource', () => {
  const expression = (type: string): string => `%resource is ${type} and %context is Patient and $this is Patient`;
  const patientIn = { resourceType: 'Patient', id: 'p', gender: 'male' };

  it('has the resource that has `contained` as %resource', () => {
    const definition = profile('Observation', {
      'Observation.contained': rule('c-1', `${expression('Observation')} and %rootResource is Observation`),
      'Observation.contained.id': rule('c-2', '%resource is Patient'),
    });
    const resource = observation({ contained: [patientIn], subject: { reference: '#p' } });
    expect(against(definition, resource)).toEqual([]);
  });

  it('has the Bundle of `entry.resource` as %resource, also in a slice, and the entry below it', () => {
    const definition = profile('Bundle', {
      'Bundle.entry': { slicing: { discriminator: [{ type: 'type', path: 'resource' }], rules: 'open' } },
      'Bundle.entry:p': {},
      'Bundle.entry:p.resource': { type: [{ code: 'Patient' }], ...rule('b-1', expression('Bundle')) },
      'Bundle.entry:p.resource.gender': rule('b-2', "%resource is Patient and $this = 'female'"),
    });
    expect(against(definition, bundle(patientIn))).toEqual(['error b-2 at Bundle.entry[0].resource.gender']);
  });

  it('is rejected where it is not met', () => {
    const definition = profile('Observation', { 'Observation.contained': rule('c-3', '%resource is Patient') });
    const resource = observation({ contained: [patientIn], subject: { reference: '#p' } });
    expect(against(definition, resource)).toEqual(['error c-3 at Observation.contained[0]']);
  });
});

describe('what a profile of a Bundle says of elements within an entry', () => {
  it('looks for contained resources in the entry', () => {
    const definition = profile('Bundle', {
      'Bundle.entry.resource': { type: [{ code: 'Observation' }] },
      'Bundle.entry.resource.subject': { type: [{ code: 'Reference', targetProfile: [r4('Patient')] }] },
    });
    const of = (type: string): JsonObject =>
      bundle(observation({ contained: [{ resourceType: type, id: 'p' }], subject: { reference: '#p' } }));
    expect(against(definition, of('Patient'))).toEqual([]);
    expect(against(definition, of('Group'))).toContain(
      'error Bundle.entry.resource.subject target at Bundle.entry[0].resource.subject.reference',
    );
  });
});

describe('a type that is the base of that of the resource', () => {
  const named = profile('Patient', { 'Patient.name': { min: 1 } }, { name: 'named' });
  const active = profile('Patient', { 'Patient.active': { min: 1 } }, { name: 'active' });
  const ofType = (...types: readonly JsonObject[]) =>
    profile('Parameters', { 'Parameters.parameter.resource': { type: types } });

  it.each<[title: string, types: readonly JsonObject[], resource: JsonObject, expected: readonly string[]]>([
    ['holds the profile', [{ code: 'Resource', profile: [named.url] }], patient({ name: [{ text: 'A' }] }), []],
    [
      'reports what breaks the profile',
      [{ code: 'Resource', profile: [named.url] }],
      patient(),
      ['error Patient.name min at Parameters.parameter[0].resource.name'],
    ],
    [
      'does not take a resource of another type than that of the profile',
      [{ code: 'Resource', profile: [named.url] }],
      observation(),
      ['error Parameters.parameter.resource type.profile at Parameters.parameter[0].resource'],
    ],
    ['takes one of several', [{ code: 'Resource', profile: [named.url, active.url] }], patient(), []],
    [
      'takes none of several',
      [{ code: 'Resource', profile: [named.url, url('other')] }],
      patient(),
      ['error Parameters.parameter.resource type.profile at Parameters.parameter[0].resource'],
    ],
    [
      'requires nothing if the type itself is also allowed',
      [{ code: 'Resource', profile: [named.url] }, { code: 'Patient' }],
      patient(),
      [],
    ],
    [
      'takes one that meets the profile of one of two types',
      [
        { code: 'Patient', profile: [named.url] },
        { code: 'Resource', profile: [active.url] },
      ],
      patient(),
      [],
    ],
  ])('%s', (_title, types, resource, expected) => {
    const other = profile('Observation', {}, { name: 'other' });
    expect(against(ofType(...types), parameters(resource), named, active, other)).toEqual(expected);
  });

  it('is that of an entry too', () => {
    const definition = profile('Bundle', {
      'Bundle.entry.resource': { type: [{ code: 'Resource', profile: [named.url] }] },
    });
    expect(against(definition, bundle(patient()), named)).toEqual([
      'error Patient.name min at Bundle.entry[0].resource.name',
    ]);
  });
});
