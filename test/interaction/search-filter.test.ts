// `_filter` over HTTP: what each operator finds, paths to other resources, and what is refused.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { r4Of } from '../support/r4-of.ts';
import { put, serve, type Served } from '../support/serve.ts';
import { getEntry, putEntry, sendBundle, transaction } from '../support/transaction.ts';

const coding = (code: string): unknown => ({ coding: [{ system: 'http://loinc.org', code }] });

const records = [
  {
    resourceType: 'Patient',
    id: 'ann',
    active: true,
    gender: 'female',
    name: [{ family: 'Tremblay', given: ['Ann', 'Peter'] }],
    birthDate: '1980-05-17',
    generalPractitioner: [{ reference: 'Practitioner/roy' }],
  },
  { resourceType: 'Patient', id: 'bob', gender: 'male', name: [{ family: 'Roy', given: ['Bob'] }], birthDate: '1990' },
  { resourceType: 'Practitioner', id: 'two', name: [{ family: 'Carreno Quinones' }] },
  { resourceType: 'Patient', id: 'nil' },
  { resourceType: 'Practitioner', id: 'roy', name: [{ family: 'Roy' }] },
  {
    resourceType: 'Observation',
    id: 'o1',
    status: 'final',
    code: coding('718-7'),
    subject: { reference: 'Patient/ann' },
    valueQuantity: { value: 150, unit: 'g/L', system: 'http://unitsofmeasure.org', code: 'g/L' },
    effectivePeriod: { start: '2024-01-10', end: '2024-02-10' },
  },
  {
    resourceType: 'Observation',
    id: 'o2',
    status: 'amended',
    code: coding('8480-6'),
    subject: { reference: 'Patient/bob' },
    valueQuantity: { value: 90, unit: 'g/L', system: 'http://unitsofmeasure.org', code: 'g/L' },
    effectiveDateTime: '2024-03-01',
  },
  {
    resourceType: 'ValueSet',
    id: 'v1',
    status: 'active',
    url: 'http://example.org/fhir/ValueSet/colours',
    name: 'Colours',
  },
  {
    resourceType: 'ValueSet',
    id: 'v2',
    status: 'active',
    url: 'http://example.org/fhir/ValueSet/units',
    name: 'Units',
  },
  {
    resourceType: 'ValueSet',
    id: 'v3',
    meta: { profile: ['http://example.org/fhir/profile|1.0'] },
    status: 'active',
    url: 'http://example.org/fhir/ValueSet/shapes',
    version: '2',
    name: 'Shapes',
  },
  {
    resourceType: 'ValueSet',
    id: 'v4',
    meta: { profile: ['http://example.org/fhir/profile'] },
    status: 'active',
    url: 'http://example.org/fhir/ValueSet/shapes',
    name: 'Shapes without a version',
  },
];

let server: Served;
beforeAll(async () => {
  const capability = r4Of(['Patient', 'Observation', 'Practitioner', 'ValueSet', 'Condition', 'Encounter']);
  server = await serve([], ['--capability', capability]);
  await put(server.partition, records);
}, 120_000);
afterAll(() => server.close());

const find = async (type: string, filter: string): Promise<{ status: number; ids: unknown; text: string }> => {
  const { status, json } = await server.get(`/${type}?_sort=_id&_filter=${encodeURIComponent(filter)}`);
  const ids = (json.entry ?? []).map((entry: { resource: { id: string } }) => entry.resource.id);
  return { status, ids, text: json.issue?.[0]?.diagnostics ?? '' };
};

describe('_filter', () => {
  it.each([
    ['eq: the whole string, without case', 'Patient', 'family eq TREMBLAY', ['ann']],
    ['eq: no part of a string', 'Patient', 'family eq Trem', []],
    ['ne: another value exists', 'Patient', 'given ne peter', ['ann', 'bob']],
    ['eq: a double name', 'Practitioner', 'family eq "carreno-quinones"', ['two']],
    ['eq: no half of a double name', 'Practitioner', 'family eq quinones', []],
    ['ne: not a half of the same name', 'Practitioner', 'family ne "Carreno Quinones"', ['roy']],
    ['co: in a string', 'Patient', 'name co emb', ['ann']],
    ['sw: at the start', 'Patient', 'family sw tre', ['ann']],
    ['ew: at the end', 'Patient', 'family ew "blay"', ['ann']],
    ['a JSON string with spaces', 'Patient', 'given eq "no body"', []],
    ['eq: a token with a system', 'Observation', 'code eq http://loinc.org|718-7', ['o1']],
    ['ne: another token', 'Observation', 'code ne http://loinc.org|718-7', ['o2']],
    ['ne finds no record without a value', 'Patient', 'gender ne male', ['ann']],
    ['not also finds those without a value', 'Patient', 'not (gender eq male)', ['ann', 'nil']],
    ['ge: a date', 'Patient', 'birthdate ge 1985', ['bob']],
    ['eq: a date', 'Patient', 'birthdate eq 1980-05', ['ann']],
    ['lt: an offset whose `+` is a space', 'Patient', 'birthdate lt 1985-01-01T10:00:00 01:00', ['ann']],
    ['ne: a date', 'Patient', 'birthdate ne 1990', ['ann']],
    ['po: periods that overlap', 'Observation', 'date po 2024-02', ['o1']],
    ['sa: a period that starts later', 'Observation', 'date sa 2024-02', ['o2']],
    ['eb: a period that ends before', 'Observation', 'date eb 2024-03', ['o1']],
    ['gt: a quantity with a unit', 'Observation', 'value-quantity gt 100|http://unitsofmeasure.org|g/L', ['o1']],
    ['ap: a quantity', 'Observation', 'value-quantity ap 95', ['o2']],
    ['eq: a reference', 'Observation', 'subject eq Patient/ann', ['o1']],
    ['re: the same', 'Observation', 'subject re Patient/ann', ['o1']],
    ['ne: a reference', 'Observation', 'subject ne Patient/ann', ['o2']],
    ['eq: a composite', 'Observation', 'code-value-quantity eq 718-7$gt100', ['o1']],
    ['eq: a URI', 'ValueSet', 'url eq http://example.org/fhir/ValueSet/units', ['v2']],
    ['ne: another URL', 'ValueSet', 'url ne http://example.org/fhir/ValueSet/shapes', ['v1', 'v2']],
    ['ne: another version', 'ValueSet', 'url ne http://example.org/fhir/ValueSet/shapes|2', ['v1', 'v2', 'v4']],
    ['ne: any other version', 'ValueSet', 'url ne http://example.org/fhir/ValueSet/shapes|3', ['v1', 'v2', 'v3', 'v4']],
    ['ne: a canonical in any version', 'ValueSet', '_profile ne http://example.org/fhir/profile', []],
    ['ne: a canonical with a version', 'ValueSet', '_profile ne http://example.org/fhir/profile|1.0', ['v4']],
    ['ne: another canonical', 'ValueSet', '_profile ne http://example.org/fhir/prof', ['v3', 'v4']],
    ['ew: a URI', 'ValueSet', 'url ew /units', ['v2']],
    ['sw: a URI', 'ValueSet', 'url sw http://example.org/fhir/ValueSet/c', ['v1']],
    ['co: a URI, with its case', 'ValueSet', 'url co valueset', []],
    ['pr true: a value exists', 'Patient', 'birthdate pr true', ['ann', 'bob']],
    ['pr false: none exists', 'Patient', 'birthdate pr false', ['nil']],
    ['eq: an id', 'Patient', '_id eq ann or _id eq nil', ['ann', 'nil']],
    ['ne: an id', 'Patient', '_id ne ann', ['bob', 'nil']],
    ['gt: the time of the last update', 'Patient', '_lastUpdated gt 2000', ['ann', 'bob', 'nil']],
    ['and', 'Patient', 'gender eq female and given eq peter', ['ann']],
    ['or', 'Patient', 'given eq ann or given eq bob', ['ann', 'bob']],
    ['and, or from left to right', 'Patient', 'gender eq male or gender eq female and given eq bob', ['bob']],
    ['parentheses', 'Patient', 'gender eq female or (gender eq male and given eq ann)', ['ann']],
    ['not of not', 'Patient', 'not(not(gender eq male))', ['bob']],
    ['a path', 'Observation', 'subject.name co "pet"', ['o1']],
    ['a path with a condition', 'Observation', 'subject[gender eq male].family eq roy', ['o2']],
    ['a condition that does not match', 'Observation', 'subject[gender eq female].family eq roy', []],
    ['two steps', 'Observation', 'subject.general-practitioner.family ew oy', ['o1']],
    ['_has', 'Patient', '_has:Observation:subject:code ne 8480-6', ['ann']],
    ['not of a path', 'Observation', 'not (subject.family eq roy)', ['o1']],
  ])('%s', async (_, type, filter, ids) => {
    expect(await find(type, filter)).toEqual({ status: 200, ids, text: '' });
  });

  it('in a transaction finds what that writes by the current time', async () => {
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const filters = [`_lastUpdated lt ${later} and family ew "aged"`, `_lastUpdated gt ${later} or family ew "nobody"`];
    const staged = { resourceType: 'Patient', id: 'staged', name: [{ family: 'Staged' }] };
    const entries = filters.map(filter => getEntry(`Patient?_filter=${encodeURIComponent(filter)}`));
    const { json } = await sendBundle(server, transaction(putEntry(staged), ...entries), {});
    const [, ...found] = json.entry as { readonly resource: { readonly entry?: readonly unknown[] } }[];
    expect(found.map(({ resource }) => resource.entry?.length ?? 0)).toEqual([1, 0]);
  });

  it('is combined with other parameters, counts and pages', async () => {
    const filter = encodeURIComponent('gender pr true and not (family eq nobody)');
    const { json } = await server.get(`/Patient?_filter=${filter}&gender=male&_total=accurate`);
    expect([json.total, json.entry[0].resource.id]).toEqual([1, 'bob']);
    const first = (await server.get(`/Patient?_filter=${filter}&_sort=-_id&_count=1`)).json;
    expect(first.entry[0].resource.id).toBe('bob');
    const next = new URL(first.link.find((link: { relation: string }) => link.relation === 'next').url);
    const second = (await server.get(`/Patient${next.search}`)).json;
    expect([second.entry[0].resource.id, second.link.length]).toEqual(['ann', 1]);
  });

  it.each([
    [
      'an unknown parameter',
      'Patient',
      'famly eq roy',
      'Patient has no search parameter `famly`. Did you mean `family`?',
    ],
    ['an unknown operator', 'Patient', 'family is roy', 'expected an operator (eq, ne, co,'],
    ['an operator of another type', 'Patient', 'gender co male', '`gender`, a token, has no operator `co` in a filter'],
    ['no value', 'Patient', 'family eq', 'expected an operator'],
    ['an empty code', 'Patient', 'gender ne ""', '`gender ne` has no value in the filter'],
    ['an empty text', 'Patient', 'family eq " "', '`family eq` has no value in the filter'],
    ['an empty date', 'Patient', 'birthdate eq ""', '`birthdate eq` has no value in the filter'],
    ['a type without an id', 'Observation', 'subject ne Patient/', '`subject ne` has no value in the filter'],
    ['a long part', 'Patient', `family co ${'a'.repeat(10_001)}`, '`_filter` has a value of 10,001 characters'],
    ['a long end', 'Patient', `family ew ${'a'.repeat(10_001)}`, '`_filter` has a value of 10,001 characters'],
    ['an open parenthesis', 'Patient', '(family eq roy', 'expected `and`, `or` or `)` at its end, position 15'],
    ['more after the end', 'Patient', 'family eq roy)', 'expected `and`, `or` or the end at `)`, position 14'],
    ['an open string', 'Patient', 'family eq "roy', 'one with spaces or parentheses is a JSON string'],
    ['a wrong escape', 'Patient', 'family eq "\\x"', 'expected a valid JSON string'],
    ['a wrong date', 'Patient', 'birthdate eq soon', 'a date is written'],
    ['a wrong value of pr', 'Patient', 'birthdate pr maybe', 'write `true` or `false`'],
    ['a step from no reference', 'Patient', 'gender.name eq x', '`gender` of Patient is no reference'],
    ['an unknown path', 'Patient', 'famly.name eq x', 'Patient has no search parameter `famly`'],
    [
      'a bracket without a path',
      'Observation',
      'subject[gender eq male] eq Patient/ann',
      'expected `and`, `or`, or `].`',
    ],
    ['levels', 'Patient', `${'('.repeat(21)}_id eq x${')'.repeat(21)}`, 'more than 20 levels of parentheses'],
    ['comparisons', 'Patient', Array(101).fill('_id eq x').join(' or '), 'more than 100 comparisons'],
  ])('refuses %s', async (_, type, filter, text) => {
    expect(await find(type, filter)).toEqual({ status: 400, ids: [], text: expect.stringContaining(text) });
  });
});
