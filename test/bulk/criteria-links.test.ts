// https://hl7.org/fhir/R4/http.html#trules: criteria of loaded Bundles that name other entries.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTarget } from './support/target.ts';
import type { Target } from './support/target.ts';

let target: Target;
beforeEach(async () => {
  target = await openTarget();
});
afterEach(() => target.close());

const patient = {
  fullUrl: 'urn:uuid:a',
  resource: { resourceType: 'Patient', identifier: [{ system: 'urn:oid:1.2', value: '1' }] },
  request: { method: 'POST', url: 'Patient', ifNoneExist: 'identifier=urn:oid:1.2|1' },
};
const result = { resourceType: 'Observation', status: 'final', code: { text: 'x' } };
const observation = (request: object) => ({
  fullUrl: 'urn:uuid:o',
  resource: { ...result, subject: { reference: 'urn:uuid:a' } },
  request,
});
const load = (type: string, ...entry: readonly object[]) =>
  target.load([target.file(`${type}${++number}.json`, JSON.stringify({ resourceType: 'Bundle', type, entry }))]);
let number = 0;

const forms = {
  'an ifNoneExist': { method: 'POST', url: 'Observation', ifNoneExist: 'patient=urn:uuid:a' },
  'one with the URL of the search': {
    method: 'POST',
    url: 'Observation',
    ifNoneExist: 'Observation?patient=urn:uuid:a',
  },
  'criteria of a PUT': { method: 'PUT', url: 'Observation?patient=urn%3Auuid%3Aa' },
};

describe.each(['transaction', 'batch'])('criteria of a loaded %s', type => {
  it.each(Object.entries(forms))(
    'lead to the record of the entry that %s names: again makes nothing',
    async (_, request) => {
      // In a transaction the dependent entry may come first, since the other one is decided before it.
      const entries = [observation(request), patient];
      const ordered = type === 'batch' ? entries.toReversed() : entries;
      expect(await load(type, ...ordered)).toMatchObject({ created: 2, rejected: 0 });
      expect(await load(type, ...ordered)).toMatchObject({ created: 0, updated: 0, rejected: 0 });
      expect(await target.partition.count('Observation')).toBe(1);
    },
  );

  it('of another type are rejected', async () => {
    const request = { method: 'POST', url: 'Observation', ifNoneExist: 'Patient?identifier=1' };
    expect(await load(type, patient, observation(request))).toMatchObject({ rejected: 1 });
    expect(target.rejects()[0]?.outcome.issue[0]).toMatchObject({ code: 'structure' });
  });

  it('that name no entry are rejected', async () => {
    const request = { method: 'POST', url: 'Observation', ifNoneExist: 'patient=urn:uuid:none' };
    expect(await load(type, patient, observation(request))).toMatchObject({ rejected: 1 });
    expect(JSON.stringify(target.rejects())).toContain('the fullUrl of no entry');
  });
});

it('entries of a transaction whose criteria name each other are rejected', async () => {
  const first = { ...patient, request: { ...patient.request, ifNoneExist: '_id=urn:uuid:o' } };
  const second = observation({ method: 'POST', url: 'Observation', ifNoneExist: 'patient=urn:uuid:a' });
  expect(await load('transaction', first, second)).toMatchObject({ created: 0, rejected: 1 });
  expect(JSON.stringify(target.rejects())).toContain('name each other');
});

it('a DELETE whose criteria name a record of the transaction finds nothing', async () => {
  const remove = { request: { method: 'DELETE', url: 'Observation?patient=urn:uuid:a' } };
  const request = { method: 'POST', url: 'Observation' };
  expect(await load('transaction', remove, patient, observation(request))).toMatchObject({ created: 2, removed: 0 });
});

it('a batch loads an entry whose criteria name a later one after it', async () => {
  const first = observation({ method: 'POST', url: 'Observation', ifNoneExist: 'patient=urn:uuid:a' });
  expect(await load('batch', first, patient)).toMatchObject({ created: 2, rejected: 0 });
});
