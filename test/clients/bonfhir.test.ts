// FetchFhirClient of @bonfhir/core, for R4B, with a token from elsewhere.
import { FetchFhirClient } from '@bonfhir/core/r4b';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchApp, refresh } from '../smart/support/flow.ts';
import type { Authorizing } from '../smart/support/server.ts';
import { media } from '../support/media.ts';
import { scope, service } from './support/service.ts';

const conditions = 230;
let server: Authorizing;
let client: FetchFhirClient;
/** What the app got last. */
let tokens: { access_token: string; refresh_token: string };
beforeAll(async () => {
  server = await service(conditions);
  tokens = (await launchApp(server, { scope })).json;
  client = new FetchFhirClient({ baseUrl: server.base, auth: () => `Bearer ${tokens.access_token}` });
});
afterAll(() => server.close());

describe('FetchFhirClient of bonfhir', () => {
  it('reads the capabilities', async () => {
    expect(await client.capabilities()).toMatchObject({ resourceType: 'CapabilityStatement', fhirVersion: '4.0.1' });
  });

  it('reads by id, and learns why not', async () => {
    expect(await client.read('Patient', 'ann')).toMatchObject({ id: 'ann', meta: { versionId: '1' } });
    await expect(client.read('Patient', 'none')).rejects.toMatchObject({ status: 404 });
    await expect(client.read('Observation', 'o1')).rejects.toMatchObject({ status: 403 });
  });

  it('continues with a token that was refreshed', async () => {
    const before = tokens;
    server.clock.now += 3_700_000;
    await expect(client.read('Patient', 'ann')).rejects.toMatchObject({ status: 401 });
    tokens = (await refresh(server, before.refresh_token)).json;
    expect(await client.read('Patient', 'ann')).toMatchObject({ id: 'ann' });
  });

  it('searches', async () => {
    const found = await client.searchOne('Patient', search => search.family('berg'));
    expect(found).toMatchObject({ id: 'bob' });
  });

  it('reads every page, each on the same origin', async () => {
    const pages: number[] = [];
    const ids = new Set<string>();
    await client.searchByPage(
      'Condition',
      search => search.patient('Patient/ann')._count(50),
      page => {
        const found = page.searchMatch();
        pages.push(found.length);
        for (const { id } of found) ids.add(id);
      },
    );
    expect(pages).toEqual([50, 50, 50, 50, 30]);
    expect(ids.size).toBe(conditions);
  });

  it('creates, and learns why not', async () => {
    const created = await client.create(media({ subject: { reference: 'Patient/ann' } }) as never);
    expect(created).toMatchObject({ resourceType: 'Media', id: expect.any(String) });
    await expect(client.create(media({ status: 'complete' }) as never)).rejects.toThrow(
      '422 - code-invalid at Media.status',
    );
  });
});
