// `:missing` tests elements and no index entries, and quantities are compared exactly in base units.
// https://hl7.org/fhir/R4/search.html#modifiers, https://hl7.org/fhir/R4/search.html#quantity
import { afterAll, beforeAll, expect, it } from 'vitest';
import { r4Of } from '../support/r4-of.ts';
import { observation } from '../support/resources.ts';
import { serve, type Served } from '../support/serve.ts';

const measured = (id: string, value: number | undefined, code: string): object => ({
  ...observation(id),
  valueQuantity: { ...(value === undefined ? {} : { value }), unit: code, system: 'http://unitsofmeasure.org', code },
});
const prescription = (id: string, medication: object): object => ({
  resourceType: 'MedicationRequest',
  id,
  status: 'active',
  intent: 'order',
  subject: { reference: 'Patient/p1' },
  ...medication,
});
const contained = { resourceType: 'Medication', id: 'm', code: { coding: [{ system: 'http://x.org', code: 'a' }] } };

let server: Served;
beforeAll(async () => {
  const records = [
    { resourceType: 'Patient', id: 'p1', name: [{ use: 'official' }], generalPractitioner: [{ display: 'Dr Roy' }] },
    { resourceType: 'Patient', id: 'p2', birthDate: '1980' },
    { resourceType: 'Patient', id: 'p3', _birthDate: { extension: [{ url: 'http://x.org/a', valueString: 'a' }] } },
    prescription('inside', { contained: [contained], medicationReference: { reference: '#m' } }),
    prescription('named', { medicationReference: { identifier: { value: 'M-1' } } }),
    prescription('coded', { medicationCodeableConcept: { text: 'Aspirin' } }),
    measured('per-minute', 72, '/min'),
    measured('per-hour', 4320, '/h'),
    measured('substance', 100, 'mmol/L'),
    measured('cells', 10, '10*3/uL'),
    measured('unknown', undefined, 'mg'),
    { ...observation('nothing'), valueString: 'none' },
  ];
  server = await serve(records, ['--capability', r4Of(['Observation', 'Patient', 'MedicationRequest', 'Medication'])]);
}, 60_000);
afterAll(() => server.close());

const ucum = 'http://unitsofmeasure.org';
it.each([
  ['a contained resource and an identifier', 'MedicationRequest?medication:missing=true', 'coded'],
  ['the others have a reference', 'MedicationRequest?medication:missing=false', 'inside named'],
  ['a concept with a text alone', 'MedicationRequest?code:missing=true', 'inside named'],
  ['a display alone', 'Patient?general-practitioner:missing=false', 'p1'],
  ['a name without parts', 'Patient?family:missing=false&_id=p1', ''],
  ['an extension and no value', 'Patient?birthdate:missing=true', 'p1 p3'],
  ['a quantity without a number', 'Observation?value-quantity:missing=true', 'nothing'],
  ['a quantity in a negation', 'Observation?_filter=not(value-quantity pr true)', 'nothing'],
  ['a rate as a minute', `Observation?value-quantity=72|${ucum}|/min`, 'per-hour per-minute'],
  ['a rate as an hour', `Observation?value-quantity=4320|${ucum}|/h`, 'per-hour per-minute'],
  ['at least a rate', `Observation?value-quantity=ge4320|${ucum}|/h`, 'per-hour per-minute'],
  ['more than a rate', `Observation?value-quantity=gt4320|${ucum}|/h`, ''],
  ['an amount is no count', `Observation?value-quantity=lt107|${ucum}|mmol/L`, 'substance'],
  ['a count is no amount', `Observation?value-quantity=ge1|${ucum}|10*9/L`, 'cells'],
])('%s: %s', async (_, path, ids) => {
  const { json, status } = await server.get(`/${encodeURI(path).replaceAll('|', '%7C')}`);
  expect([status, json.issue]).toEqual([200, undefined]);
  const found = (json.entry ?? []).map(({ resource }: { resource: { id: string } }) => resource.id).toSorted();
  expect(found.join(' ')).toBe(ids);
});
