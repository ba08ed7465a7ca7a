// fhirclient, the JavaScript client of SMART, in Node. http://docs.smarthealthit.org/client-js/
import { exportJWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../smart/support/browser.ts';
import { follow } from '../smart/support/flow.ts';
import type { Authorizing } from '../smart/support/server.ts';
import { digestOf } from '../../src/auth/token/digest.ts';
import { media } from '../support/media.ts';
import { nodeApp } from './support/node-app.ts';
import type { Client, NodeApp } from './support/node-app.ts';
import { scope, service } from './support/service.ts';

const conditions = 130;
const secret = 'of 100% + more'; // which fhirclient sends as it is
let server: Authorizing;
let app: NodeApp;
let browser: Browser; // signed in after the first time
beforeAll(async () => {
  [server, app] = await Promise.all([service(conditions), nodeApp()]);
  browser = new Browser(server.running.url);
  const addresses = { redirectUris: [app.redirectUri], launchUrls: [app.launchUrl] };
  const jwks = { keys: [server.key.publicJwk] };
  await server.addClient({ id: 'public', ...addresses });
  await server.addClient({
    id: 'symmetric',
    kind: 'symmetric',
    secrets: [{ digest: digestOf(secret) }],
    ...addresses,
  });
  await server.addClient({ id: 'asymmetric', kind: 'asymmetric', jwks, ...addresses });
});
afterAll(() => Promise.all([server.close(), app.close()]));

/** The options of `authorize`, by the kind of the client. */
const parameters = async (kind: string): Promise<object> => ({
  clientId: kind,
  redirectUri: 'callback',
  pkceMode: 'required',
  ...(kind === 'symmetric' ? { clientSecret: secret } : {}),
  ...(kind === 'asymmetric'
    ? { clientPrivateJwk: { ...(await exportJWK(server.key.privateKey)), alg: server.key.alg, kid: server.key.kid } }
    : {}),
});

async function standalone(kind = 'public'): Promise<Client> {
  const address = await app.authorize({ ...(await parameters(kind)), scope, iss: server.base });
  const { url } = await follow(server, browser, address);
  return app.ready(url);
}

describe('fhirclient in Node', () => {
  it.each(['public', 'symmetric', 'asymmetric'])('is launched standalone: %s', async kind => {
    const client = await standalone(kind);
    expect(await client.patient.read()).toMatchObject({ resourceType: 'Patient', id: 'ann' });
    expect(client.getFhirUser()).toBe('Practitioner/dr');
    expect(await client.user.read()).toMatchObject({ resourceType: 'Practitioner', id: 'dr' });
  });

  it.each(['public', 'symmetric', 'asymmetric'])('is started by an EHR: %s', async kind => {
    const launch = await server.launch({ client: kind, patient: 'bob' });
    const wanted = { ...(await parameters(kind)), scope: scope.replace('launch/patient', 'launch') };
    const address = await app.authorize(wanted, { iss: server.base, launch });
    const { url } = await follow(server, browser, address);
    const client = await app.ready(url);
    expect(client.state.tokenResponse).toMatchObject({ patient: 'bob', need_patient_banner: true });
    expect(await client.patient.read()).toMatchObject({ id: 'bob' });
  });

  it.each(['public', 'symmetric'])('refreshes, with a new refresh token each time: %s', async kind => {
    const client = await standalone(kind);
    const seen = new Set<unknown>();
    for (let time = 0; time < 3; time += 1) {
      const { access_token, refresh_token } = client.state.tokenResponse;
      seen.add(access_token).add(refresh_token);
      await client.refresh();
      expect(await client.patient.read()).toMatchObject({ id: 'ann' });
    }
    expect(seen.size).toBe(6);
  });

  it('refreshes automatically when the token has expired', async () => {
    const client = await standalone();
    const before = client.state.tokenResponse.access_token;
    server.clock.now += 3_700_000;
    client.state.expiresAt = 0;
    expect(await client.patient.read()).toMatchObject({ id: 'ann' });
    expect(client.state.tokenResponse.access_token).not.toBe(before);
  });

  it('reads every page of what the patient has', async () => {
    const client = await standalone();
    const all = await client.patient.request('Condition', { pageLimit: 0, flat: true });
    expect(all).toHaveLength(conditions);
    expect(new Set(all.map(({ id }) => id)).size).toBe(conditions);
  });

  it('creates', async () => {
    const client = await standalone();
    const created = await client.create(media({ subject: { reference: 'Patient/ann' } }));
    expect(created).toMatchObject({ resourceType: 'Media', id: expect.any(String) });
  });

  it('learns why not', async () => {
    const client = await standalone();
    await expect(client.create(media({ status: 'complete' }))).rejects.toThrow('Did you mean `completed`?');
    await expect(client.request('Condition/none')).rejects.toMatchObject({ status: 404 });
    await expect(client.request('Observation?patient=ann')).rejects.toMatchObject({ status: 403 });
  });

  it('gets the reason why a scope is not granted', async () => {
    const address = await app.authorize({
      ...(await parameters('public')),
      scope: 'launch/patient patient/Observation.rs',
      iss: server.base,
    });
    const { url } = await follow(server, browser, address);
    await expect(app.ready(url)).rejects.toThrow('invalid_scope');
  });
});
