// Values that searches of a server must find, or not: quantities with a comparator, sampled data, family names of
// several words. https://hl7.org/fhir/R4/search.html#quantity, https://hl7.org/fhir/R4/search.html#string
import { afterAll, beforeAll, expect, it } from 'vitest';
import { r4Of } from '../support/r4-of.ts';
import { observation, patient } from '../support/resources.ts';
import { serve, type Served } from '../support/serve.ts';

const unit = { unit: 'mmol/L', system: 'http://unitsofmeasure.org', code: 'mmol/L' };
const quantity = (id: string, comparator?: string): object => ({
  ...observation(id),
  valueQuantity: { value: 5.4, ...(comparator === undefined ? {} : { comparator }), ...unit },
});

let server: Served;
beforeAll(async () => {
  const records = [
    quantity('below', '<'),
    quantity('at-most', '<='),
    quantity('exact'),
    quantity('at-least', '>='),
    quantity('above', '>'),
    {
      ...observation('sampled'),
      valueSampledData: { origin: { value: 100, ...unit }, factor: 0.5, period: 10, dimensions: 1, data: '2 E 7 -4' },
    },
    { ...patient('berg'), name: [{ family: 'van der Berg', given: ['Anna Lena'] }] },
  ];
  server = await serve(records, ['--capability', r4Of(['Observation', 'Patient'])]);
}, 60_000);
afterAll(() => server.close());

it.each([
  ['Observation?value-quantity=5.4', 'exact'],
  ['Observation?value-quantity=ge5.4', 'above at-least at-most exact sampled'],
  ['Observation?value-quantity=gt5.4', 'above at-least sampled'],
  ['Observation?value-quantity=le5.4', 'at-least at-most below exact'],
  ['Observation?value-quantity=lt5.4', 'at-most below'],
  ['Observation?value-quantity=eb5.4', 'below'],
  ['Observation?value-quantity=sa5.4', 'above sampled'],
  ['Observation?value-quantity=ge5400|http://unitsofmeasure.org|umol/L', 'above at-least at-most exact sampled'],
  ['Observation?value-quantity=le5400|http://unitsofmeasure.org|umol/L', 'at-least at-most below exact'],
  ['Observation?value-quantity=gt103|http://unitsofmeasure.org|mmol/L', 'above at-least sampled'],
  ['Observation?value-quantity=gt103.5|http://unitsofmeasure.org|mmol/L', 'above at-least'],
  ['Observation?value-quantity=lt98.1&value-quantity=gt103.4', 'above at-least sampled'],
  ['Observation?value-quantity=lt98&value-quantity=gt97', 'above at-least'],
  ['Observation?value-quantity:missing=true', ''],
  ['Patient?family=van der', 'berg'],
  ['Patient?family=der berg', 'berg'],
  ['Patient?name=der ber', 'berg'],
  ['Patient?name=berg', 'berg'],
  ['Patient?family=van berg', ''],
  ['Patient?family:exact=der Berg', ''],
  ['Patient?name=lena', ''],
])('%s', async (path, ids) => {
  const { json } = await server.get(`/${encodeURI(path).replaceAll('|', '%7C')}`);
  const found = (json.entry ?? []).map(({ resource }: { resource: { id: string } }) => resource.id).toSorted();
  expect(found.join(' ')).toBe(ids);
});
