// fhir-kit-client: it finds where to get a token, and what it then makes of the answers.
import { Client } from 'fhir-kit-client';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchApp, refresh } from '../smart/support/flow.ts';
import type { Authorizing } from '../smart/support/server.ts';
import { media } from '../support/media.ts';
import { scope, service } from './support/service.ts';

const conditions = 230;
const operations = join(import.meta.dirname, '../fixtures/operations');
let server: Authorizing;
let client: Client;
beforeAll(async () => {
  server = await service(conditions, { flags: ['--definitions', operations] });
  const answer = await launchApp(server, { scope });
  client = new Client({ baseUrl: server.base, bearerToken: answer.json.access_token });
});
afterAll(() => server.close());

interface Bundle {
  readonly entry?: readonly { readonly resource: { readonly id: string } }[];
}

const idsOf = (bundle: unknown): readonly string[] =>
  ((bundle as Bundle).entry ?? []).map(({ resource }) => resource.id);

describe('fhir-kit-client', () => {
  it('finds where to get a token', async () => {
    const { authorizeUrl, tokenUrl } = await new Client({ baseUrl: server.base }).smartAuthMetadata();
    expect([authorizeUrl?.href, tokenUrl?.href]).toEqual([`${server.issuer}/authorize`, `${server.issuer}/token`]);
  });

  it('reads the capabilities', async () => {
    expect(await new Client({ baseUrl: server.base }).capabilityStatement()).toMatchObject({
      resourceType: 'CapabilityStatement',
    });
  });

  it('reads by id, and learns why not', async () => {
    expect(await client.read({ resourceType: 'Patient', id: 'ann' })).toMatchObject({ id: 'ann' });
    await expect(client.read({ resourceType: 'Patient', id: 'none' })).rejects.toMatchObject({
      response: { status: 404, data: { resourceType: 'OperationOutcome' } },
    });
    await expect(
      new Client({ baseUrl: server.base }).read({ resourceType: 'Patient', id: 'ann' }),
    ).rejects.toMatchObject({
      response: { status: 401, data: { resourceType: 'OperationOutcome' } },
    });
  });

  it('continues with a token that was refreshed', async () => {
    const first = await launchApp(server, { scope });
    const again = await refresh(server, first.json.refresh_token);
    const other = new Client({ baseUrl: server.base, bearerToken: first.json.access_token });
    other.bearerToken = again.json.access_token;
    expect(await other.read({ resourceType: 'Patient', id: 'ann' })).toMatchObject({ id: 'ann' });
  });

  it('searches by GET and by POST', async () => {
    const searchParams = { family: 'andersen' };
    expect(idsOf(await client.search({ resourceType: 'Patient', searchParams }))).toEqual(['ann']);
    const options = { postSearch: true };
    expect(idsOf(await client.search({ resourceType: 'Patient', searchParams, options }))).toEqual(['ann']);
  });

  it('reads every page', async () => {
    const seen: string[] = [];
    const searchParams = { patient: 'Patient/ann', _count: '50' };
    let bundle: unknown = await client.search({ resourceType: 'Condition', searchParams });
    for (; bundle !== undefined; bundle = await client.nextPage({ bundle: bundle as never }))
      seen.push(...idsOf(bundle));
    expect(seen).toHaveLength(conditions);
    expect(new Set(seen).size).toBe(conditions);
  });

  it('creates', async () => {
    const body = media({ subject: { reference: 'Patient/ann' } });
    const created = await client.create({ resourceType: 'Media', body });
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

  it('learns why nothing was created', async () => {
    const body = media({ subject: { reference: 'Patient/none' } });
    await expect(client.create({ resourceType: 'Media', body })).rejects.toMatchObject({
      response: {
        status: 422,
        data: { resourceType: 'OperationOutcome', issue: [{ expression: ['Media.subject.reference'] }] },
      },
    });
  });

  it('calls operations by GET and by POST, on each level', async () => {
    const everything = { name: 'everything', resourceType: 'Patient', id: 'ann' } as const;
    const page = await client.operation({ ...everything, method: 'GET', input: { _count: 2, _type: 'Condition' } });
    expect(idsOf(page)).toEqual(['c0', 'c1']);
    const parameter = [{ name: '_count', valueInteger: 1 }];
    const input = { resourceType: 'Parameters', parameter };
    // With the signed-in practitioner, to whom the patient refers.
    expect(idsOf(await client.operation({ ...everything, input }))).toEqual(['ann', 'dr']);
    const gender = { system: 'http://hl7.org/fhir/administrative-gender', code: 'male' };
    expect(
      await client.operation({ name: 'lookup', resourceType: 'CodeSystem', method: 'GET', input: gender }),
    ).toMatchObject({
      resourceType: 'Parameters',
      parameter: expect.arrayContaining([{ name: 'display', valueString: 'Male' }]),
    });
    expect(await client.operation({ name: 'meta', method: 'GET' })).toMatchObject({
      parameter: [{ name: 'return' }],
    });
  });

  it('gets an error for a transaction, which is not supported', async () => {
    const body = { resourceType: 'Bundle', type: 'transaction' } as const;
    await expect(client.transaction({ body })).rejects.toMatchObject({ response: { status: 405 } });
  });
});
