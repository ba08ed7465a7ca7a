// What two clients send to create, and what they make of the answers.
import { MedplumClient } from '@medplum/core';
import { Client } from 'fhir-kit-client';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { media } from '../support/media.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

let server: Served;
beforeAll(async () => {
  server = await serve([patient('p1')], ['--definitions', join(import.meta.dirname, '../fixtures/created-types')]);
});
afterAll(() => server.close());

const call = { resourceType: 'Communication', status: 'completed', identifier: [{ value: 'once' }] } as const;

describe('fhir-kit-client', () => {
  const client = (): Client => new Client({ baseUrl: server.base });

  it('creates', async () => {
    const created = await client().create({ resourceType: 'Media', body: media() });
    expect(created).toMatchObject({
      resourceType: 'Media',
      id: expect.any(String),
      content: { contentType: 'image/png' },
    });
    expect(created).not.toHaveProperty('content.data');
    const response = Client.httpFor(created).response;
    expect(response?.status).toBe(201);
    expect(response?.headers.get('location')).toBe(`${server.base}/Media/${String(created['id'])}/_history/1`);
  });

  it('learns why not', async () => {
    const body = media({ subject: { reference: 'Patient/none' } });
    await expect(client().create({ resourceType: 'Media', body })).rejects.toMatchObject({
      response: { status: 422, data: { resourceType: 'OperationOutcome', issue: [{ expression: ['Media.subject.reference'] }] } }, // prettier-ignore
    });
  });
});

describe('MedplumClient', () => {
  const client = (): MedplumClient => new MedplumClient({ baseUrl: server.running.url, fhirUrlPath: 'r4/demo' });

  it('creates', async () => {
    const created = await client().createResource(media() as never);
    expect(created).toMatchObject({ resourceType: 'Media', id: expect.any(String) });
    expect(created).not.toHaveProperty('content.data');
  });

  it('learns why not', async () => {
    const wrong = media({ status: 'complete' }) as never;
    await expect(client().createResource(wrong)).rejects.toThrow('Did you mean `completed`?');
  });

  it('creates where nothing matches, and is given what is there', async () => {
    const first = await client().createResourceIfNoneExist(call as never, 'identifier=once');
    const second = await client().createResourceIfNoneExist(call as never, 'identifier=once');
    expect(second).toEqual(first);
  });
});
