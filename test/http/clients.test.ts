// What two clients send, and what they make of the answers.
import { MedplumClient } from '@medplum/core';
import { Client } from 'fhir-kit-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observation, patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

const many = 2_345;
let server: Served;
beforeAll(async () => {
  const observations = Array.from({ length: many }, (_, at) =>
    observation(`o${at}`, { effectiveDateTime: new Date(Date.UTC(2024, 0, 1) + at * 3_600_000).toISOString() }),
  );
  server = await serve([patient('p1'), patient('p2', { name: [{ family: 'Lefebvre' }] }), ...observations]);
});
afterAll(() => server.close());

interface Bundle {
  readonly entry?: readonly { readonly resource: { readonly id: string } }[];
  readonly link: readonly { readonly relation: string; readonly url: string }[];
}

describe('fhir-kit-client', () => {
  const client = (): Client => new Client({ baseUrl: server.base });

  it('reads the capabilities', async () => {
    expect(await client().capabilityStatement()).toMatchObject({ resourceType: 'CapabilityStatement' });
  });

  it('reads by id, and learns why not', async () => {
    expect(await client().read({ resourceType: 'Patient', id: 'p1' })).toMatchObject({ id: 'p1' });
    await expect(client().read({ resourceType: 'Patient', id: 'none' })).rejects.toMatchObject({
      response: { status: 404, data: { resourceType: 'OperationOutcome' } },
    });
  });

  it('searches by GET and by POST', async () => {
    const searchParams = { family: 'lefebvre' };
    const get = await client().search({ resourceType: 'Patient', searchParams });
    const post = await client().search({ resourceType: 'Patient', searchParams, options: { postSearch: true } });
    expect((get as unknown as Bundle).entry?.[0]?.resource.id).toBe('p2');
    expect((post as unknown as Bundle).entry?.[0]?.resource.id).toBe('p2');
  });

  it('pages to the end', async () => {
    const seen: string[] = [];
    let bundle = (await client().search({
      resourceType: 'Observation',
      searchParams: { patient: 'Patient/p1', _count: '500' },
    })) as unknown as Bundle | undefined;
    while (bundle !== undefined) {
      seen.push(...(bundle.entry ?? []).map(({ resource }) => resource.id));
      bundle = (await client().nextPage({ bundle: bundle as never })) as Bundle | undefined;
    }
    expect(seen).toHaveLength(many);
    expect(new Set(seen).size).toBe(many);
  });

  it('is told that a transaction is not offered', async () => {
    const body = { resourceType: 'Bundle', type: 'transaction' } as const;
    await expect(client().transaction({ body })).rejects.toMatchObject({ response: { status: 405 } });
  });
});

describe('MedplumClient', () => {
  const client = (): MedplumClient => new MedplumClient({ baseUrl: server.running.url, fhirUrlPath: 'r4/demo' });

  it('reads by id, and learns why not', async () => {
    expect(await client().readResource('Patient', 'p1')).toMatchObject({ id: 'p1', gender: 'female' });
    await expect(client().readResource('Patient', 'none')).rejects.toThrow('No Patient has the id `none`');
  });

  it('searches', async () => {
    const found = await client().searchResources('Patient', { family: 'lefebvre' });
    expect(found.map(({ id }) => id)).toEqual(['p2']);
  });

  it('pages to the end, although it adds _count to the next link', async () => {
    const seen: string[] = [];
    let pages = 0;
    for await (const page of client().searchResourcePages('Observation', { patient: 'Patient/p1' })) {
      seen.push(...page.map(({ id }) => id));
      pages += 1;
    }
    expect(pages).toBe(3);
    expect(seen).toHaveLength(many);
    expect(new Set(seen).size).toBe(many);
  });
});
