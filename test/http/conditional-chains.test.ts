// Criteria of conditional writes with chains, `_has` and filters. https://hl7.org/fhir/R4/http.html#cond-update
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issuesOf } from '../support/media.ts';
import { r4Of } from '../support/r4-of.ts';
import type { Answer } from '../support/serve.ts';
import { put, serve, type Served } from '../support/serve.ts';
import { testTokens } from '../support/tokens.ts';

const tokens = testTokens();
let server: Served;
beforeAll(async () => {
  const capability = r4Of([
    'MedicationRequest',
    'Medication',
    'Observation',
    'Patient',
    'Practitioner',
    'Organization',
  ]);
  server = await serve([], ['--capability', capability], undefined, { verify: tokens.verify });
  const patient = (id: string, family: string, value: string): object => ({
    resourceType: 'Patient',
    id,
    name: [{ family }],
    identifier: [{ system: 'urn:mrn', value }],
  });
  await put(server.partition, [
    patient('p1', 'Roy', '1'),
    patient('p2', 'Ng', '2'),
    patient('p3', 'Ng', '3'),
    observation('o1', 'p1', 'weight'),
    observation('o2', 'p2', 'weight'),
    observation('o3', 'p2', 'height'),
    {
      resourceType: 'MedicationRequest',
      id: 'm1',
      status: 'active',
      intent: 'order',
      subject: { reference: 'Patient/p1' },
      medicationReference: { reference: '#m' },
      contained: [{ resourceType: 'Medication', id: 'm', code: { coding: [{ code: 'abc' }] } }],
    },
  ]);
}, 60_000);
afterAll(() => server.close());

function observation(id: string | undefined, patient: string, code: string, status = 'final'): object {
  return {
    resourceType: 'Observation',
    ...(id === undefined ? {} : { id }),
    status,
    code: { coding: [{ code }] },
    subject: { reference: `Patient/${patient}` },
  };
}

const ask = (method: string, path: string, body?: object, scope = 'system/*.cruds', headers = {}): Promise<Answer> =>
  server.ask(method, path, {
    headers: { ...tokens.bearer({ scope }), 'Content-Type': 'application/fhir+json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const create = (criteria: string, body: object): Promise<Answer> =>
  ask('POST', '/Observation', body, undefined, { 'If-None-Exist': criteria, Prefer: 'return=representation' });

describe('criteria with a chain', () => {
  it('of a conditional create find the record that exists', async () => {
    const found = await create('patient.identifier=urn:mrn|1&code=weight', observation(undefined, 'p1', 'weight'));
    expect([found.status, found.json.id]).toEqual([200, 'o1']);
    const several = await create('patient.name=ng', observation(undefined, 'p2', 'weight'));
    expect([several.status, several.json.issue[0].code]).toEqual([412, 'multiple-matches']);
    const criteria = 'subject:Patient.identifier=urn:mrn|3&code=weight';
    const created = await create(criteria, observation(undefined, 'p3', 'weight'));
    const again = await create(criteria, observation(undefined, 'p3', 'weight'));
    expect([created.status, again.status, again.json.id]).toEqual([201, 200, created.json.id]);
  });

  it('of an update name the record', async () => {
    const path = '/Observation?patient.identifier=urn:mrn|2&code=height';
    const updated = await ask('PUT', path, observation(undefined, 'p2', 'height', 'amended'));
    expect([updated.status, updated.json.id, updated.json.status]).toEqual([200, 'o3', 'amended']);
    const contained = await ask('PATCH', '/MedicationRequest?medication.code=abc', {
      resourceType: 'Parameters',
      parameter: [
        {
          name: 'operation',
          part: [
            { name: 'type', valueCode: 'replace' },
            { name: 'path', valueString: 'MedicationRequest.status' },
            { name: 'value', valueCode: 'stopped' },
          ],
        },
      ],
    });
    expect([contained.status, contained.json.status]).toEqual([200, 'stopped']);
  });

  it('of a delete name the records', async () => {
    await put(server.partition, [observation('d1', 'p1', 'gone'), observation('d2', 'p3', 'gone')]);
    expect((await ask('DELETE', '/Observation?patient.identifier=urn:mrn|3&code=gone')).status).toBe(204);
    expect((await ask('GET', '/Observation/d1')).status).toBe(200);
    expect((await ask('GET', '/Observation/d2')).status).toBe(410);
    const unused = await ask('PUT', '/Patient?_has:Observation:patient:code=gone', {
      resourceType: 'Patient',
      name: [{ family: 'Roy' }],
      identifier: [{ system: 'urn:mrn', value: '1' }],
      active: true,
    });
    expect([unused.status, unused.json.id]).toEqual([200, 'p1']);
  });

  it('work in a Bundle', async () => {
    const bundle = {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [
        {
          resource: observation(undefined, 'p1', 'weight'),
          request: { method: 'POST', url: 'Observation', ifNoneExist: 'patient.identifier=urn:mrn|1&code=weight' },
        },
      ],
    };
    const { json } = await ask('POST', '', bundle);
    expect(json.entry[0].response.status).toMatch(/^200/);
  });

  it('need a scope for the type to which they lead, and see what it allows', async () => {
    const path = '/Observation?patient.identifier=urn:mrn|2&code=weight';
    const body = observation(undefined, 'p2', 'weight', 'corrected');
    const refused = await ask('PUT', path, body, 'system/Observation.cruds');
    expect([refused.status, issuesOf(refused)[0]]).toEqual([403, 'forbidden http.patient.identifier']);
    const own = 'system/Observation.cruds system/Patient.rs';
    const other = await ask('PUT', path, observation('new', 'p2', 'weight'), `${own}?family=Roy`);
    expect([other.status, other.json.id]).toEqual([201, 'new']);
    await ask('DELETE', '/Observation/new');
    expect((await ask('PUT', path, body, own)).json.id).toBe('o2');
  });

  it('cannot compare as no index does', async () => {
    const { status, json } = await ask('DELETE', '/Observation?_filter=subject%20ne%20Patient/p1');
    expect([status, json.issue[0].code]).toEqual([400, 'not-supported']);
    expect(json.issue[0].diagnostics).toContain('The conditional URL compares values as no index does');
    expect((await ask('DELETE', '/Observation?patient.nothing=1')).status).toBe(400);
  });
});
