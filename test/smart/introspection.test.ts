import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backendToken, credentials, launchApp, post, read, refresh, usualScope } from './support/flow.ts';
import { authorizing } from './support/server.ts';
import type { Authorizing } from './support/server.ts';

// https://hl7.org/fhir/smart-app-launch/STU2.2/token-introspection.html, https://www.rfc-editor.org/rfc/rfc7009
let server: Authorizing;
beforeAll(async () => {
  server = await authorizing({ second: true });
  await server.addClient({ id: 'other-app' });
});
afterAll(() => server.close());

const introspect = async (token: string, client: string) => {
  const { form, headers } = await credentials(server, client);
  return post(server, '/introspect', { token, ...form }, headers);
};
const withToken = (token: string, bearer: string) =>
  post(server, '/introspect', { token }, { Authorization: `Bearer ${bearer}` });
const inactive = { status: 200, json: { active: false } };

describe('introspection', () => {
  it('returns the rights of an access token, as its token answer and ID token did', async () => {
    const launch = await server.launch({ encounter: 'visit', intent: 'reconcile' });
    const scope = usualScope.replace('launch/patient', 'launch');
    const { json } = await launchApp(server, { scope, query: { launch } });
    const { iss, sub, fhirUser } = decodeJwt(json.id_token);
    const answer = await introspect(json.access_token, 'app');
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' });
    expect(answer.json).toEqual({
      active: true,
      scope: json.scope,
      client_id: 'app',
      token_type: 'Bearer',
      exp: Math.floor(server.clock.now / 1000) + 3600,
      aud: server.base,
      iss,
      sub,
      fhirUser,
      patient: 'ann',
      encounter: 'visit',
      intent: 'reconcile',
      need_patient_banner: true,
    });
  });

  it('describes the token of a backend service', async () => {
    const { json } = await backendToken(server);
    const answer = await introspect(json.access_token, 'backend');
    expect(answer.json).toMatchObject({
      active: true,
      client_id: 'backend',
      sub: 'backend',
      scope: 'system/Patient.rs',
    });
  });

  it('shows a backend service all tokens of its partitions, and apps only their own', async () => {
    const [app, backend] = [(await launchApp(server)).json, (await backendToken(server)).json];
    expect((await introspect(app.access_token, 'backend')).json.active).toBe(true);
    expect((await withToken(app.access_token, backend.access_token)).json.active).toBe(true);
    expect((await withToken(app.access_token, app.access_token)).json.active).toBe(true);
    expect(await introspect(app.access_token, 'other-app')).toMatchObject(inactive);
    expect(await introspect(app.access_token, 'secret-app')).toMatchObject(inactive);
    expect(await withToken(backend.access_token, app.access_token)).toMatchObject(inactive);
  });

  it('says no more than that anything else is not active', async () => {
    const { json } = await launchApp(server);
    for (const token of ['invalid_token_value', json.refresh_token, json.id_token]) {
      const answer = await introspect(token, 'app');
      expect([answer.status, answer.json]).toEqual([200, { active: false }]);
    }
    server.clock.now += 3_600_000;
    expect((await introspect(json.access_token, 'app')).json).toEqual({ active: false });
  });

  it('is for those who show who they are', async () => {
    const { json } = await launchApp(server);
    const anonymous = await post(server, '/introspect', { token: json.access_token });
    expect([anonymous.status, anonymous.json.error]).toEqual([401, 'invalid_client']);
    const stranger = await withToken(json.access_token, 'crs_unknown');
    expect([stranger.status, stranger.json.error]).toEqual([401, 'invalid_token']);
    expect(stranger.headers['www-authenticate']).toMatch(/^Bearer error="invalid_token"/);
    const { form, headers } = await credentials(server, 'app');
    expect((await post(server, '/introspect', form, headers)).json.error).toBe('invalid_request');
  });
});

describe('revocation', () => {
  const revoke = async (token: string, client = 'app') => {
    const { form, headers } = await credentials(server, client);
    return post(server, '/revoke', { token, ...form }, headers);
  };

  it.each(['app', 'secret-app', 'signing-app'])(
    'of an access token of %s ends that one, in every process',
    async client => {
      const { json } = await launchApp(server, { client });
      for (const port of server.ports)
        expect((await read(server, json.access_token, '/Patient/ann', port)).status).toBe(200);
      expect((await revoke(json.access_token, client)).status).toBe(200);
      expect((await introspect(json.access_token, client)).json).toEqual({ active: false });
      server.clock.now += 10_000;
      for (const port of server.ports)
        expect((await read(server, json.access_token, '/Patient/ann', port)).status).toBe(401);
      expect((await refresh(server, json.refresh_token, { client })).status).toBe(200);
    },
  );

  it('of a refresh token ends all that follows from the consent', async () => {
    const { json } = await launchApp(server);
    const next = await refresh(server, json.refresh_token);
    expect((await revoke(next.json.refresh_token)).status).toBe(200);
    expect((await refresh(server, next.json.refresh_token)).json.error).toBe('invalid_grant');
    server.clock.now += 10_000;
    for (const token of [json.access_token, next.json.access_token])
      expect((await read(server, token, '/Patient/ann')).status).toBe(401);
  });

  it('of what is unknown is done already', async () => {
    expect((await revoke('unknown')).status).toBe(200);
  });

  it('of a token of another client is refused, and does nothing', async () => {
    const { json } = await launchApp(server);
    for (const token of [json.access_token, json.refresh_token]) {
      const answer = await revoke(token, 'other-app');
      expect([answer.status, answer.json.error]).toEqual([400, 'invalid_request']);
    }
    server.clock.now += 10_000;
    expect((await read(server, json.access_token, '/Patient/ann')).status).toBe(200);
  });

  it('is for clients that show who they are', async () => {
    const answer = await post(server, '/revoke', { token: 'any' });
    expect([answer.status, answer.json.error]).toEqual([401, 'invalid_client']);
  });
});

describe('the userinfo endpoint', () => {
  const ask = (token: string) => fetch(`${server.issuer}/userinfo`, { headers: { Authorization: `Bearer ${token}` } });

  it('says who the user is, as the ID token does', async () => {
    const { json } = await launchApp(server, { scope: `${usualScope} profile` });
    const answer = await ask(json.access_token);
    const name = 'The user clinician';
    expect(await answer.json()).toEqual({ sub: 'clinician', name, fhirUser: `${server.base}/Practitioner/dr` });
    expect(decodeJwt(json.id_token)).toMatchObject({ name });
  });

  it.each<[why: string, token: () => Promise<string>, status: number]>([
    [
      'a token without openid',
      async () => (await launchApp(server, { scope: 'user/Patient.rs' })).json.access_token,
      403,
    ],
    ['a token of a system', async () => (await backendToken(server)).json.access_token, 403],
    ['no token of ours', async () => 'crs_unknown', 401],
  ])('refuses %s', async (_, token, status) => {
    const answer = await ask(await token());
    expect(answer.status).toBe(status);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer error=/);
  });
});

describe('the keys', () => {
  it('are public, and without their private halves', async () => {
    const answer = await fetch(`${server.issuer}/jwks`);
    const { keys } = (await answer.json()) as { keys: Record<string, unknown>[] };
    expect(keys.length).toBe(1);
    expect(Object.keys(keys[0] ?? {}).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });
});
