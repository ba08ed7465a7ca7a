// MedplumClient of @medplum/core: its own login against other servers, and what it makes of the answers.
import { ClientStorage, MedplumClient, MemoryStorage } from '@medplum/core';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../smart/support/browser.ts';
import { backendToken, follow, pkce } from '../smart/support/flow.ts';
import { callback } from '../smart/support/server.ts';
import type { Authorizing } from '../smart/support/server.ts';
import { media } from '../support/media.ts';
import { scope, service } from './support/service.ts';

const conditions = 2_100; // Medplum asks for 1,000 a page
let server: Authorizing;
let browser: Browser; // signed in after the first time
beforeAll(async () => {
  const definitions = ['created-types', 'operations'].map(name => join(import.meta.dirname, '../fixtures', name));
  server = await service(conditions, { flags: definitions.flatMap(folder => ['--definitions', folder]) });
  browser = new Browser(server.running.url);
});
afterAll(() => server.close());

const newClient = (storage = new ClientStorage(new MemoryStorage())): MedplumClient =>
  new MedplumClient({
    baseUrl: server.running.url,
    fhirUrlPath: 'r4/demo',
    authorizeUrl: `${server.issuer}/authorize`,
    tokenUrl: `${server.issuer}/token`,
    clientId: 'app',
    storage,
  });

/** As signInWithExternalAuth and what follows do, which need a page to leave and to come back to. */
async function signedIn(): Promise<MedplumClient> {
  const { verifier, challenge } = pkce();
  const storage = new ClientStorage(new MemoryStorage());
  storage.setString('codeVerifier', verifier);
  const client = newClient(storage);
  const login = { scope, codeChallengeMethod: 'S256' as const, codeChallenge: challenge };
  const address = new URL(client.getExternalAuthRedirectUri(client.getAuthorizeUrl(), 'app', callback, login));
  address.searchParams.set('aud', server.base); // SMART asks for it, Medplum's own server does not
  const { url } = await follow(server, browser, address);
  await client.processCode(url.searchParams.get('code') ?? '', { redirectUri: callback });
  return client;
}

/** With a token for a system. */
async function backend(scopes: string): Promise<MedplumClient> {
  const client = newClient();
  client.setAccessToken((await backendToken(server, { scope: scopes })).json.access_token);
  return client;
}

describe('MedplumClient', () => {
  it('signs in, and reads with the token', async () => {
    const client = await signedIn();
    expect(await client.readResource('Patient', 'ann')).toMatchObject({ id: 'ann', birthDate: '1980-01-02' });
  });

  it('refreshes automatically when the token is rejected, and reports when it cannot', async () => {
    const client = await signedIn();
    const before = client.getAccessToken();
    server.clock.now += 3_700_000;
    expect(await client.readResource('Patient', 'bob')).toMatchObject({ id: 'bob' });
    expect(client.getAccessToken()).not.toBe(before);
    client.setAccessToken('unknown');
    await expect(client.readResource('Patient', 'ann')).rejects.toThrow('Unauthorized');
  });

  it('learns why not', async () => {
    const client = await signedIn();
    await expect(client.readResource('Patient', 'none')).rejects.toThrow('No Patient has the id `none`');
    await expect(client.createResource(media({ status: 'complete' }) as never)).rejects.toThrow(
      'Did you mean `completed`?',
    );
    await expect(client.searchResources('Observation', { patient: 'ann' })).rejects.toThrow('scope');
  });

  it('searches', async () => {
    const found = await (await signedIn()).searchResources('Patient', { family: 'berg' });
    expect(found.map(({ id }) => id)).toEqual(['bob']);
  });

  it('reads every page, although it adds _count to the next link', async () => {
    const client = await signedIn();
    const seen: string[] = [];
    let pages = 0;
    for await (const page of client.searchResourcePages('Condition', { patient: 'Patient/ann' })) {
      seen.push(...page.map(({ id }) => id));
      pages += 1;
    }
    expect(pages).toBe(3);
    expect(seen).toHaveLength(conditions);
    expect(new Set(seen).size).toBe(conditions);
  });

  it('creates', async () => {
    const body = media({ subject: { reference: 'Patient/ann' } });
    const created = await (await signedIn()).createResource(body as never);
    expect(created).toMatchObject({ resourceType: 'Media', id: expect.any(String) });
    expect(created).not.toHaveProperty('content.data');
  });

  it('creates where nothing matches, and is given what is there', async () => {
    const client = await backend('system/Communication.cruds');
    const call = { resourceType: 'Communication', status: 'completed', identifier: [{ value: 'once' }] };
    const first = await client.createResourceIfNoneExist(call as never, 'identifier=once');
    const second = await client.createResourceIfNoneExist(call as never, 'identifier=once');
    expect(second).toEqual(first);
  });

  it('reads everything of a patient, in pages', async () => {
    const client = await backend('system/Patient.rs system/Condition.rs');
    const bundle = await client.readPatientEverything('ann');
    expect(bundle.entry?.[0]?.resource).toMatchObject({ resourceType: 'Patient', id: 'ann' });
    expect(bundle.entry?.[1]?.resource).toMatchObject({ resourceType: 'Condition' });
    expect(bundle.link?.map((one: { relation: string }) => one.relation)).toEqual(['self', 'next']);
    await expect(client.readPatientEverything('none')).rejects.toThrow('No Patient has the id `none`');
  });

  it('expands value sets', async () => {
    const client = await backend('system/Patient.rs');
    const url = 'http://hl7.org/fhir/ValueSet/administrative-gender';
    const { expansion } = await client.valueSetExpand({ url, filter: 'fem', count: 5 });
    expect(expansion?.contains).toEqual([
      { system: 'http://hl7.org/fhir/administrative-gender', code: 'female', display: 'Female' },
    ]);
    await expect(client.valueSetExpand({ url: `${url}x` })).rejects.toThrow(`No ValueSet \`${url}x\``);
  });
});
