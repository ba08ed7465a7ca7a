// Chains, includes, system and compartment searches, batches and transactions as clients send them.
import { MedplumClient } from '@medplum/core';
import { Client } from 'fhir-kit-client';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observation, patient } from '../support/resources.ts';
import { serve, type Served } from '../support/serve.ts';

/** fhirclient, without its types, which bring those of browsers; its session in a request of a browser is not used. */
const smart = createRequire(import.meta.url)('fhirclient') as (
  request: object,
  response: object,
) => {
  client(state: { serverUrl: string }): { request(url: string, options: { pageLimit: number }): Promise<object[]> };
};

let server: Served;
beforeAll(async () => {
  const capability = join(import.meta.dirname, '../fixtures/all-r4/capability');
  const of = (id: string, subject: string): object => ({
    ...observation(id),
    subject: { reference: `Patient/${subject}` },
  });
  const named = (id: string, family: string): object => ({ ...patient(id), name: [{ family }] });
  const records = [named('ann', 'Andersen'), named('bob', 'Roy'), of('o1', 'ann'), of('o2', 'ann'), of('o3', 'bob')];
  server = await serve(records, ['--capability', capability]);
}, 120_000);
afterAll(() => server.close());

interface Bundle {
  readonly entry?: readonly {
    readonly resource?: { readonly resourceType: string; readonly id?: string };
    readonly response?: { readonly status: string };
  }[];
}
const idsOf = (bundle: unknown): readonly string[] =>
  ((bundle as Bundle).entry ?? []).map(({ resource }) => `${resource?.resourceType}/${resource?.id}`).toSorted();
const batch = {
  resourceType: 'Bundle',
  type: 'batch',
  entry: ['Patient/ann', 'Patient/none'].map(url => ({ request: { method: 'GET', url } })),
} as const;
/** A patient and a communication about it, which two entries create. */
const transaction = (id: string) => {
  const of = (value: string): object => ({
    resourceType: 'Communication',
    status: 'completed',
    identifier: [{ system: 'urn:client', value }],
    subject: { reference: 'urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8' },
  });
  const condition = { ifNoneExist: `identifier=urn:client|${id}` };
  return {
    resourceType: 'Bundle',
    type: 'transaction',
    entry: [
      { request: { method: 'GET', url: `Communication?identifier=urn:client|${id}` } },
      { resource: of(id), request: { method: 'POST', url: 'Communication', ...condition } },
      { resource: of(id), request: { method: 'POST', url: 'Communication', ...condition } },
      {
        fullUrl: 'urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8',
        resource: patient('ignored'),
        request: { method: 'POST', url: 'Patient' },
      },
    ],
  } as const;
};
const statusesOf = (bundle: unknown): unknown => (bundle as Bundle).entry?.map(({ response }) => response?.status);

describe('fhir-kit-client', () => {
  const client = (): Client => new Client({ baseUrl: server.base });

  it('searches with chains and includes, by GET and by POST', async () => {
    const searchParams = { 'subject:Patient.name': 'andersen', _include: 'Observation:subject' };
    const expected = ['Observation/o1', 'Observation/o2', 'Patient/ann'];
    expect(idsOf(await client().search({ resourceType: 'Observation', searchParams }))).toEqual(expected);
    const options = { postSearch: true };
    expect(idsOf(await client().search({ resourceType: 'Observation', searchParams, options }))).toEqual(expected);
  });

  it('searches with `_has` and `_revinclude`', async () => {
    const searchParams = { '_has:Observation:subject:_id': 'o3', _revinclude: 'Observation:subject' };
    expect(idsOf(await client().search({ resourceType: 'Patient', searchParams }))).toEqual([
      'Observation/o3',
      'Patient/bob',
    ]);
  });

  it('searches the system and compartments', async () => {
    const all = await client().systemSearch({ searchParams: { _type: 'Patient,Observation', _id: 'ann,o1' } });
    expect(idsOf(all)).toEqual(['Observation/o1', 'Patient/ann']);
    const compartment = { resourceType: 'Patient', id: 'ann' };
    const found = await client().compartmentSearch({ compartment, resourceType: 'Observation', searchParams: {} });
    expect(idsOf(found)).toEqual(['Observation/o1', 'Observation/o2']);
  });

  it('sends a batch', async () => {
    expect(statusesOf(await client().batch({ body: batch }))).toEqual(['200', '404']);
  });

  it('sends a transaction, and learns why one is refused', async () => {
    const body = transaction('kit');
    expect(statusesOf(await client().transaction({ body }))).toEqual(['200', '201', '200', '201']);
    const refused = { ...body, entry: batch.entry };
    await expect(client().transaction({ body: refused })).rejects.toMatchObject({
      response: { status: 404, data: { issue: [{ expression: ['Bundle.entry[1].request.url'] }] } },
    });
  });
});

describe('MedplumClient', () => {
  const client = (): MedplumClient => new MedplumClient({ baseUrl: server.running.url, fhirUrlPath: 'r4/demo' });

  it('searches with chains and includes', async () => {
    const query = 'subject:Patient.name=roy&_include=Observation:subject';
    expect(idsOf(await client().search('Observation', query))).toEqual(['Observation/o3', 'Patient/bob']);
    const found = await client().searchResources('Patient', { '_has:Observation:patient:_id': 'o1' });
    expect(found.map(({ id }) => id)).toEqual(['ann']);
  });

  it('sends a batch', async () => {
    expect(statusesOf(await client().executeBatch(batch as never))).toEqual(['200', '404']);
  });

  it('sends a transaction', async () => {
    const sent = await client().executeBatch(transaction('medplum'));
    expect(statusesOf(sent)).toEqual(['200', '201', '200', '201']);
    const found = await client().searchResources('Communication', { identifier: 'urn:client|medplum' });
    expect(found.map(({ subject }) => subject?.reference)).toEqual([`Patient/${sent.entry?.[3]?.resource?.id}`]);
    const refused = { ...transaction('medplum-2'), entry: batch.entry };
    await expect(client().executeBatch(refused as never)).rejects.toThrow('No Patient has the id `none`');
  });
});

describe('fhirclient', () => {
  it('searches with chains and includes, page by page', async () => {
    const client = smart({}, {}).client({ serverUrl: server.base });
    const url = 'Observation?subject.name=andersen&_include=Observation:subject&_count=1&_sort=_id';
    const pages = await client.request(url, { pageLimit: 0 });
    expect(pages.map(idsOf)).toEqual([
      ['Observation/o1', 'Patient/ann'],
      ['Observation/o2', 'Patient/ann'],
    ]);
  });
});
