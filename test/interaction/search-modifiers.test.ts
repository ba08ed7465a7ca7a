// Declared modifiers and units on real records. https://hl7.org/fhir/R4/search.html#modifiers
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { objectsOf } from '../../src/fhir/json-object.ts';
import { serve, type Served } from '../support/serve.ts';

const clinical = 'http://terminology.hl7.org/CodeSystem/condition-clinical';
const v2 = 'http://terminology.hl7.org/CodeSystem/v2-0203';
const ucum = 'http://unitsofmeasure.org';

const condition = (id: string, status: string, text: string, subject: object): object => ({
  resourceType: 'Condition',
  id,
  clinicalStatus: { coding: [{ system: clinical, code: status }] },
  code: { text, coding: [{ system: 'http://snomed.info/sct', code: '25064002', display: 'Headache' }] },
  subject,
});
const measured = (id: string, value: number, code: string, subject: object): object => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { coding: [{ system: 'http://loinc.org', code: '1' }] },
  subject,
  valueQuantity: { value, system: ucum, code, unit: code },
});

const records = [
  {
    resourceType: 'Patient',
    id: 'a',
    gender: 'female',
    identifier: [{ type: { coding: [{ system: v2, code: 'MR' }], text: 'Chart' }, system: 'urn:x', value: 'A-1' }],
  },
  {
    resourceType: 'Patient',
    id: 'b',
    identifier: [{ type: { coding: [{ system: v2, code: 'SS' }] }, system: 'urn:y', value: 'A-1' }],
  },
  condition('c1', 'active', 'Migraine', { reference: 'Patient/a' }),
  condition('c2', 'recurrence', 'Céphalée', { reference: 'Group/a' }),
  condition('c3', 'resolved', 'Ache', { identifier: { system: 'urn:x', value: 'a-1' } }),
  ...['http://acme.org/p', 'http://acme.org/p|1.0', 'http://acme.org/p|2.0', 'http://acme.org/p2|1.0'].map(
    (profile, at) => ({ resourceType: 'Basic', id: `p${at}`, meta: { profile: [profile] }, code: { text: 'Basic' } }),
  ),
  measured('o1', 5400, 'mg', { reference: 'Patient/a' }),
  measured('o2', 5.4, 'g', { reference: 'Patient/b' }),
  measured('o3', 5.4, 'mg', { reference: 'Patient/b' }),
  ...['http://acme.org/q', 'http://acme.org/q/1|2', 'http://acme.org/q/1|2.1', 'http://acme.org/q/1|20'].map(
    (questionnaire, at) => ({
      resourceType: 'QuestionnaireResponse',
      id: `q${at}`,
      status: 'completed',
      questionnaire,
    }),
  ),
  { resourceType: 'ValueSet', id: 'v1', status: 'draft', url: 'http://acme.org/fhir/ValueSet/1' },
  { resourceType: 'ValueSet', id: 'v2', status: 'draft', url: 'http://acme.org/fhir' },
];

describe('on an interface that declares them all', () => {
  let server: Served;
  beforeAll(async () => {
    server = await serve(records, ['--capability', join(import.meta.dirname, '../fixtures/all-r4/capability')]);
  }, 120_000);
  afterAll(() => server.close());

  it.each([
    ['Condition?code:text=headache', 'c1 c2 c3'],
    ['Basic?_profile=http://acme.org/p', 'p0 p1 p2'],
    ['Basic?_profile=http://acme.org/p|1.0', 'p1'],
    ['Basic?_profile=http://acme.org/p|3.0', ''],
    ['Basic?_profile:below=http://acme.org', 'p0 p1 p2 p3'],
    ['Condition?code:text=cephalee,ache', 'c2 c3'],
    ['Patient?identifier:text=chart', 'a'],
    [`Patient?identifier:of-type=${v2}|MR|a-1`, 'a'],
    ['Condition?subject:Patient=a', 'c1'],
    ['Condition?subject:Group=a', 'c2'],
    ['Condition?subject:identifier=urn:x|A-1', 'c3'],
    ['Condition?subject:missing=true', ''],
    ['Patient?gender:in=http://hl7.org/fhir/ValueSet/administrative-gender', 'a'],
    ['Patient?gender:not-in=http://hl7.org/fhir/ValueSet/administrative-gender', 'b'],
    [`Condition?clinical-status:below=${clinical}|active`, 'c1 c2'],
    [`Condition?clinical-status:above=${clinical}|recurrence`, 'c1 c2'],
    [`Condition?_filter=clinical-status ss "${clinical}|active"`, 'c1 c2'],
    ['ValueSet?url:below=http://acme.org/fhir', 'v1 v2'],
    ['ValueSet?url:above=http://acme.org/fhir/ValueSet', 'v2'],
    ['QuestionnaireResponse?questionnaire:below=http://acme.org/q', 'q0 q1 q2 q3'],
    ['QuestionnaireResponse?questionnaire:below=http://acme.org/q/1', 'q1 q2 q3'],
    ['QuestionnaireResponse?questionnaire:below=http://acme.org/q/1|2', 'q1 q2'],
    ['QuestionnaireResponse?questionnaire:above=http://acme.org/q/1', 'q0 q1 q2 q3'],
    ['QuestionnaireResponse?questionnaire:below=http://acme.org/q/2', ''],
    [`Observation?value-quantity=5.4|${ucum}|g`, 'o1 o2'],
    [`Observation?code-value-quantity=1$ge5400|${ucum}|mg`, 'o1 o2'],
    [`Observation?subject:Patient.identifier:of-type=${v2}|MR|A-1`, 'o1'],
    ['Patient?_has:Condition:patient:code:text=migraine', 'a'],
  ])('%s', async (search, ids) => {
    const { status, json } = await server.get(encodeURI(`/${search}&_sort=_id`));
    const found = objectsOf(json.entry).map(({ resource }) => (resource as { id: string }).id);
    expect([status, found.join(' ')]).toEqual([200, ids]);
  });

  it.each([
    [
      'Condition?code:in=http://snomed.info/sct?fhir_vs',
      'not-supported',
      'no ValueSet `http://snomed.info/sct?fhir_vs`',
    ],
    ['Patient?_has:Condition:patient:code:not-in=http://a', 'code-invalid', 'The modifier `:not-in` is not supported'],
    ['Patient?identifier:of-type=MR|1', 'value', 'write `system|code|value`'],
    ['QuestionnaireResponse?questionnaire:below=q', 'value', 'write a URL such as `http://example.org/fhir`'],
    ['QuestionnaireResponse?questionnaire:above=http://a|1', 'value', 'write the URL without a version'],
  ])('refuses %s', async (search, code, text) => {
    const { status, json } = await server.get(`/${search}`);
    expect([status, json.issue[0].code]).toEqual([400, code]);
    expect(json.issue[0].diagnostics).toContain(text);
  });

  it('lists them with each parameter', async () => {
    const { json } = await server.get('/metadata');
    const type = objectsOf(json.rest[0].resource).find(one => one['type'] === 'Patient');
    const modifiersOf = (name: string): string =>
      objectsOf(objectsOf(type?.['searchParam']).find(one => one['name'] === name)?.['extension'])
        .map(({ valueCode }) => String(valueCode))
        .join(' ');
    expect(modifiersOf('identifier')).toBe('ofType text');
    expect(modifiersOf('gender')).toBe('above below in not-in');
    expect(modifiersOf('organization')).toBe('above below identifier type');
    expect(modifiersOf('birthdate')).toBe('');
  });
});

describe('on an interface that declares none', () => {
  let server: Served;
  beforeAll(async () => {
    server = await serve([]);
  });
  afterAll(() => server.close());

  it.each(['text', 'in', 'not-in', 'above', 'below', 'of-type'])('refuses :%s', async modifier => {
    const { status, json } = await server.get(`/Observation?code:${modifier}=a`);
    expect([status, json.issue[0].expression]).toEqual([400, [`http.code:${modifier}`]]);
  });
});
