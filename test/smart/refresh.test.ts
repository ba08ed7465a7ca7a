import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSessions } from '../../src/smart/sign-in/session.ts';
import { revocationCollection, revoke } from '../../src/auth/token/revocations.ts';
import type { Revoked } from '../../src/auth/token/revocations.ts';
import { clientCollection, userCollection } from '../../src/smart/accounts/registry.ts';
import { Browser } from './support/browser.ts';
import { authorize, exchange, launchApp, post, read, refresh, usualScope } from './support/flow.ts';
import { authorizing } from './support/server.ts';
import type { Authorizing } from './support/server.ts';

// https://hl7.org/fhir/smart-app-launch/STU2.2/app-launch.html#refresh-access-token
const day = 86_400_000;
let server: Authorizing;
beforeAll(async () => {
  server = await authorizing({ second: true });
  await server.addClient({ id: 'other-app' });
});
afterAll(() => server.close());

const invalid = { status: 400, json: { error: 'invalid_grant', error_description: expect.any(String) } };
const other = (): number => server.ports[1];
const online = usualScope.replace('offline', 'online');

describe('a refresh', () => {
  it('gives new tokens with the same context', async () => {
    const first = await launchApp(server, { patient: 'bob' });
    const { status, headers, json } = await refresh(server, first.json.refresh_token);
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect(json).toEqual({
      access_token: expect.stringMatching(/^crs_/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: usualScope,
      refresh_token: expect.any(String),
      id_token: expect.any(String),
      patient: 'bob',
      need_patient_banner: true,
    });
    expect(json.refresh_token).not.toBe(first.json.refresh_token);
    expect(json.access_token).not.toBe(first.json.access_token);
    expect(decodeJwt(json.id_token).sub).toBe('clinician');
    expect((await read(server, json.access_token, '/Patient/bob')).status).toBe(200);
  });

  it('of a public client may leave out whose it is, and that of others not', async () => {
    const { json } = await launchApp(server);
    const form = { grant_type: 'refresh_token', refresh_token: json.refresh_token };
    expect((await post(server, '/token', form)).status).toBe(200);
    const secret = await launchApp(server, { client: 'secret-app' });
    const bare = await post(server, '/token', { ...form, refresh_token: secret.json.refresh_token });
    expect([bare.status, bare.json.error]).toEqual([401, 'invalid_client']);
    expect(await post(server, '/token', { ...form, refresh_token: 'unknown' })).toMatchObject(invalid);
  });

  it('is for the client that has the token', async () => {
    const { json } = await launchApp(server);
    expect(await refresh(server, json.refresh_token, { client: 'other-app' })).toMatchObject(invalid);
    expect((await refresh(server, json.refresh_token)).status).toBe(200);
  });

  it.each<[title: string, asked: string, granted: string]>([
    ['all of them', usualScope, usualScope],
    ['some of them', 'patient/Patient.rs openid', 'patient/Patient.rs openid'],
  ])('may be for %s', async (_, scope, granted) => {
    const { json } = await launchApp(server);
    const answer = await refresh(server, json.refresh_token, { scope });
    expect(answer.status).toBe(200);
    expect(new Set(answer.json.scope.split(' '))).toEqual(new Set(granted.split(' ')));
    expect((await refresh(server, answer.json.refresh_token)).json.scope).toBe(usualScope); // as it was granted first
  });

  it.each([
    ['patient/Patient.r', 'patient/Patient.r', '/Patient/ann', '/Patient'],
    ['patient/Patient.s openid', 'patient/Patient.s openid', '/Patient', '/Patient/ann'],
    ['patient/Patient.rs?birthdate=1980-01-02', 'patient/Patient.rs?birthdate=1980-01-02', '/Patient', '/Condition'],
    ['  patient/*.read   openid ', 'patient/Patient.read patient/Condition.read openid', '/Condition', '/Encounter'],
  ])('may be for a part of them: %s', async (scope, granted, allowed, refused) => {
    const { json } = await launchApp(server);
    const answer = await refresh(server, json.refresh_token, { scope });
    expect([answer.status, new Set(answer.json.scope.split(' '))]).toEqual([200, new Set(granted.split(' '))]);
    expect('id_token' in answer.json).toBe(granted.includes('openid'));
    expect((await read(server, answer.json.access_token, allowed)).status).toBe(200);
    expect((await read(server, answer.json.access_token, refused)).status).toBe(403);
    expect((await refresh(server, answer.json.refresh_token)).json.scope).toBe(usualScope); // the grant is unchanged
  });

  it('gives only what the user has allowed', async () => {
    const { json } = await launchApp(server, { without: ['patient/Condition.rs'] });
    expect((await refresh(server, json.refresh_token, { scope: 'patient/Condition.r' })).json).toMatchObject({
      error: 'invalid_scope',
      error_description: expect.stringContaining('was not granted'),
    });
    const part = await refresh(server, json.refresh_token, { scope: 'patient/*.r' });
    expect([part.status, part.json.scope]).toEqual([200, 'patient/Patient.r']);
  });

  it.each([
    'patient/Encounter.rs',
    'user/Patient.rs',
    'patient/Patient.crs',
    'patient/Condition.rs patient/Encounter.rs',
    'system/Patient.rs',
  ])('is refused for more: %s', async scope => {
    const { json } = await launchApp(server);
    const answer = await refresh(server, json.refresh_token, { scope });
    expect([answer.status, answer.json.error]).toEqual([400, 'invalid_scope']);
    expect((await refresh(server, json.refresh_token)).status).toBe(200);
  });

  it('that uses a token again after ten seconds, in another process, ends all of the consent', async () => {
    const first = await launchApp(server);
    const second = await refresh(server, first.json.refresh_token);
    server.clock.now += 10_000;
    expect(await refresh(server, first.json.refresh_token, { port: other() })).toMatchObject(invalid);
    expect(await refresh(server, second.json.refresh_token)).toMatchObject(invalid);
    server.clock.now += 10_000;
    for (const { json } of [first, second])
      expect((await read(server, json.access_token, '/Patient/ann')).status).toBe(401);
  });

  it('that uses a token again within ten seconds gets the same successor, in every process', async () => {
    const { json } = await launchApp(server);
    const first = await refresh(server, json.refresh_token);
    server.clock.now += 9000;
    const part = { port: other(), scope: 'patient/Patient.r' };
    const again = await refresh(server, json.refresh_token, part);
    expect([again.status, again.json.scope]).toEqual([200, 'patient/Patient.r']);
    expect(again.json.refresh_token).toBe(first.json.refresh_token);
    expect(again.json.access_token).not.toBe(first.json.access_token);
    for (const answer of [first, again])
      expect((await read(server, answer.json.access_token, '/Patient/ann')).status).toBe(200);
    expect(await refresh(server, json.refresh_token, { client: 'other-app' })).toMatchObject(invalid);
    const next = await refresh(server, again.json.refresh_token);
    expect(next.status).toBe(200);
    // The successor is used now, so that a further use is one too many.
    expect(await refresh(server, json.refresh_token)).toMatchObject(invalid);
    expect(await refresh(server, next.json.refresh_token)).toMatchObject(invalid);
  });

  it('that several processes get at a time has one successor', async () => {
    const { json } = await launchApp(server);
    const ports = [...server.ports, ...server.ports];
    const answers = await Promise.all(ports.map(port => refresh(server, json.refresh_token, { port })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const [successor, ...others] = new Set(answers.map(answer => answer.json.refresh_token));
    expect(others).toEqual([]);
    expect((await refresh(server, successor)).status).toBe(200);
  });

  it('leaves no successor that the store can read', async () => {
    const { json } = await launchApp(server);
    const next = await refresh(server, json.refresh_token);
    const kept: unknown[] = [];
    for await (const document of server.store.documents('oidc-successors').list()) kept.push(document);
    expect(kept.length).toBeGreaterThan(0);
    expect(JSON.stringify(kept)).not.toContain(next.json.refresh_token);
    server.clock.now += 10_000;
    for await (const document of server.store.documents('oidc-successors').list()) expect(document).toBeUndefined();
  });

  it('is over after 30 days without one, and after 90 in all', async () => {
    let { json } = await launchApp(server);
    const idle = await launchApp(server);
    for (const days of [29, 29, 29]) {
      server.clock.now += days * day;
      const answer = await refresh(server, json.refresh_token);
      expect(answer.status).toBe(200);
      ({ json } = answer);
    }
    expect(await refresh(server, idle.json.refresh_token)).toMatchObject(invalid);
    server.clock.now += 3 * day;
    expect(await refresh(server, json.refresh_token)).toMatchObject(invalid);
  });
});

describe('online access', () => {
  it('ends when the user signs out', async () => {
    const authorized = await authorize(server, { scope: online });
    const { json } = await exchange(server, authorized);
    const next = await refresh(server, json.refresh_token);
    expect(next.status).toBe(200);
    const page = await authorized.browser.open(`${server.issuer}/sign-out`);
    await authorized.browser.submit(page, '/sign-out', { from: 'here' });
    expect(await refresh(server, next.json.refresh_token, { port: other() })).toMatchObject(invalid);
    server.clock.now += 10_000;
    expect((await read(server, next.json.access_token, '/Patient/ann')).status).toBe(401);
  });

  it('is what signing out ends, and not offline access', async () => {
    const authorized = await authorize(server);
    const { json } = await exchange(server, authorized);
    const page = await authorized.browser.open(`${server.issuer}/sign-out`);
    await authorized.browser.submit(page, '/sign-out', { from: 'here' });
    server.clock.now += 10_000;
    expect((await read(server, json.access_token, '/Patient/ann')).status).toBe(200);
    expect((await refresh(server, json.refresh_token)).status).toBe(200);
  });

  it('continues while the session is unused, until the user signs out', async () => {
    const authorized = await authorize(server, { scope: online });
    const { json } = await exchange(server, authorized);
    server.clock.now += 3_600_000;
    const next = await refresh(server, json.refresh_token, { port: other() });
    expect(next.status).toBe(200);
    expect((await read(server, next.json.access_token, '/Patient/ann')).status).toBe(200);
    const page = await authorized.browser.open(`${server.issuer}/sign-out`);
    await authorized.browser.submit(page, '/sign-out', { from: 'here' });
    expect(await refresh(server, next.json.refresh_token)).toMatchObject(invalid);
  });

  it('ends when another user signs in in the same browser, also after the session was unused', async () => {
    const authorized = await authorize(server, { scope: online });
    const { json } = await exchange(server, authorized);
    server.clock.now += 3_600_000;
    await authorize(server, { browser: authorized.browser, user: 'patient' });
    expect(await refresh(server, json.refresh_token)).toMatchObject(invalid);
  });

  it('ends with the session, where offline access continues', async () => {
    const browser = new Browser(server.running.url);
    const [first, off] = [await launchApp(server, { scope: online, browser }), await launchApp(server, { browser })];
    server.clock.now += 3_600_000; // no page was opened meanwhile
    const on = await refresh(server, first.json.refresh_token);
    expect(on.status).toBe(200);
    server.clock.now += 7 * 3_600_000;
    expect(await refresh(server, on.json.refresh_token)).toMatchObject(invalid);
    expect((await refresh(server, off.json.refresh_token)).status).toBe(200);
  });
});

describe('what ends tokens before their time', () => {
  it.each<[kind: Revoked, id: string]>([
    ['client', 'app'],
    ['user', 'clinician'],
    ['partition', 'demo'],
  ])('is the removal of a %s: within ten seconds, in every process', async (kind, id) => {
    const { json } = await launchApp(server);
    for (const port of server.ports)
      expect((await read(server, json.access_token, '/Patient/ann', port)).status).toBe(200);
    await revoke(server.store.documents(revocationCollection), kind, id, server.clock.now);
    expect(await refresh(server, json.refresh_token)).toMatchObject(invalid);
    server.clock.now += 10_000;
    for (const port of server.ports)
      expect((await read(server, json.access_token, '/Patient/ann', port)).status).toBe(401);
    expect((await launchApp(server)).status).toBe(200); // a later launch is not affected
  });

  it('is signing out everywhere', async () => {
    const { json } = await launchApp(server);
    const sessions = createSessions(server.store, { idle: 1, lifetime: 1 }, () => server.clock.now);
    await sessions.endAll('clinician');
    expect(await refresh(server, json.refresh_token)).toMatchObject(invalid);
    server.clock.now += 10_000;
    expect((await read(server, json.access_token, '/Patient/ann')).status).toBe(401);
  });

  it('is that the user is not there any more, or has lost the partition', async () => {
    await server.addUser({ id: 'leaving', partitions: [{ id: 'demo', fhirUser: 'Practitioner/dr' }] });
    const [one, two] = [await launchApp(server, { user: 'leaving' }), await launchApp(server, { user: 'leaving' })];
    await server.addUser({ id: 'leaving', partitions: [{ id: 'other', fhirUser: undefined }] });
    expect(await refresh(server, one.json.refresh_token)).toMatchObject(invalid);
    await server.store.documents(userCollection).delete('leaving');
    expect(await refresh(server, two.json.refresh_token)).toMatchObject(invalid);
  });

  it('is that the client is not there any more', async () => {
    await server.addClient({ id: 'short-lived' });
    const { json } = await launchApp(server, { client: 'short-lived' });
    await server.store.documents(clientCollection).delete('short-lived');
    const answer = await refresh(server, json.refresh_token, { client: 'short-lived' });
    expect([answer.status, answer.json.error]).toEqual([401, 'invalid_client']);
  });
});

describe('a consent that client or user could not give any more', () => {
  const clinician = { partitions: [{ id: 'demo', fhirUser: 'Practitioner/dr' }] };

  it.each<[why: string, change: () => Promise<void>]>([
    ['the client is registered for less', () => server.addClient({ id: 'app', scopes: ['launch/patient', 'openid'] })],
    ['the client has lost the partition', () => server.addClient({ id: 'app', partitions: ['other'] })],
    [
      'the user is another one',
      () => server.addUser({ id: 'clinician', partitions: [{ id: 'demo', fhirUser: 'Practitioner/other' }] }),
    ],
  ])('gives no new tokens: %s', async (_, change) => {
    const { json } = await launchApp(server);
    await change();
    expect(await refresh(server, json.refresh_token)).toMatchObject(invalid);
    await server.addClient({ id: 'app' });
    await server.addUser({ id: 'clinician', ...clinician });
    expect((await refresh(server, json.refresh_token)).status).toBe(200);
  });
});
