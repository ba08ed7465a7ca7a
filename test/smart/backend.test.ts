import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshFor } from '../../src/smart/token/client-keys.ts';
import { assertion, keyPair } from './support/keys.ts';
import type { ClientKey } from './support/keys.ts';
import { backendToken, post, read } from './support/flow.ts';
import { authorizing } from './support/server.ts';
import type { Authorizing } from './support/server.ts';

// https://hl7.org/fhir/smart-app-launch/STU2.2/backend-services.html
let server: Authorizing;
let es: ClientKey;
beforeAll(async () => {
  server = await authorizing({ second: true });
  es = await keyPair('ES384');
  const jwks = { keys: [es.publicJwk, server.key.publicJwk] };
  const backend = { kind: 'asymmetric', flows: ['backend'], redirectUris: [], scopes: ['system/*.cruds'] } as const;
  await server.addClient({ ...backend, id: 'two-keys', jwks });
  await server.addClient({ ...backend, id: 'same-kid', jwks: { keys: [es.publicJwk, { ...es.publicJwk }] } });
  await server.addClient({ ...backend, id: 'narrow', jwks, scopes: ['system/Patient.rs'] });
  await server.addClient({ ...backend, id: 'everywhere', jwks, partitions: ['demo', 'other'] });
  await server.addClient({ ...backend, id: 'symmetric', kind: 'symmetric' });
});
afterAll(() => server.close());

const tokenUrl = (): string => `${server.issuer}/token`;
const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const grant = { grant_type: 'client_credentials', scope: 'system/Patient.rs', client_assertion_type: type };
const ask = (client_assertion: string, more: Record<string, string | undefined> = {}, port?: number) =>
  post(server, '/token', { ...grant, client_assertion, ...more }, {}, port);
const signed = (client: string, key: ClientKey = es, more: Parameters<typeof assertion>[4] = {}) =>
  assertion(key, client, tokenUrl(), server.clock.now, more);
const seconds = (): number => Math.floor(server.clock.now / 1000);

describe('a backend service', () => {
  it('gets a token by signing with its key, and nothing to refresh it with', async () => {
    const { status, headers, json } = await backendToken(server);
    expect(status).toBe(200);
    expect(json).toEqual({
      access_token: expect.stringMatching(/^crs_[A-Za-z0-9_-]{43}$/),
      token_type: 'bearer',
      expires_in: 300,
      scope: 'system/Patient.rs',
    });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    for (const port of server.ports)
      expect((await read(server, json.access_token, '/Patient/ann', port)).status).toBe(200);
  });

  it('signs with RS384 or ES384, by whichever of its keys it names', async () => {
    expect((await ask(await signed('two-keys'))).status).toBe(200);
    expect((await ask(await signed('two-keys', server.key))).status).toBe(200);
  });

  it('gets a registered wildcard, without letters that no type has, else the registered types', async () => {
    const { json } = await ask(await signed('two-keys'), { scope: 'system/*.cruds' });
    expect(json.scope).toBe('system/*.rs');
    const narrow = await ask(await signed('narrow'), { scope: 'system/*.read' });
    expect(narrow.json.scope).toBe('system/Patient.read');
  });

  it.each([
    ['narrow', 'system/Condition.rs'],
    ['two-keys', 'system/Media.c'],
    ['two-keys', 'system/Patient.rs system/MedicationRequest.rs'],
    ['two-keys', 'patient/Patient.rs'],
    ['two-keys', 'offline_access'],
    ['two-keys', ''],
  ])('%s is refused the scope `%s`, and with it the whole request', async (client, scope) => {
    const answer = await ask(await signed(client), { scope });
    expect([answer.status, answer.json.error]).toEqual([400, 'invalid_scope']);
  });

  it('names the partition where it has several', async () => {
    const unnamed = await ask(await signed('everywhere'));
    expect([unnamed.status, unnamed.json.error]).toEqual([400, 'invalid_target']);
    const named = await ask(await signed('everywhere'), { resource: `${server.running.url}/r4/other/` });
    expect(named.status).toBe(200);
    expect((await read(server, named.json.access_token, '/Patient/ann')).status).toBe(401);
    const foreign = await ask(await signed('two-keys'), { aud: `${server.running.url}/r4/other` });
    expect([foreign.status, foreign.json.error]).toEqual([400, 'invalid_target']);
  });

  it('that shows a secret is not registered for this', async () => {
    const answer = await ask(await signed('symmetric'));
    expect([answer.status, answer.json.error]).toEqual([401, 'invalid_client']);
  });
});

describe('a client assertion', () => {
  it('is good once, in all processes', async () => {
    const used = await signed('two-keys');
    expect((await ask(used)).status).toBe(200);
    for (const port of server.ports) {
      const again = await ask(used, {}, port);
      expect([again.status, again.json.error]).toEqual([401, 'invalid_client']);
      expect(again.json.error_description).toBe('The client assertion was used before.');
    }
  });

  it('that two processes get at a time is valid for one of them', async () => {
    const used = await signed('two-keys');
    const answers = await Promise.all(server.ports.map(port => ask(used, {}, port)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 401]));
  });

  it('has an id that other clients may have too', async () => {
    const claims = { jti: 'the-same' };
    expect((await ask(await signed('two-keys', es, { claims }))).status).toBe(200);
    expect((await ask(await signed('narrow', es, { claims }))).status).toBe(200);
  });

  it('may come from a clock that is up to a minute ahead', async () => {
    const claims = { iat: seconds() + 55, nbf: seconds() + 55, exp: seconds() + 355 };
    expect((await ask(await signed('two-keys', es, { claims }))).status).toBe(200);
  });

  it('is used up even where the rest is refused', async () => {
    const used = await signed('narrow');
    expect((await ask(used, { scope: 'system/Condition.rs' })).status).toBe(400);
    expect((await ask(used)).status).toBe(401);
  });

  it.each<[why: string, more: () => Parameters<typeof assertion>[4]]>([
    ['has expired', () => ({ claims: { exp: seconds() - 10 } })],
    ['expires later than in five minutes', () => ({ claims: { exp: seconds() + 370 } })],
    ['never expires', () => ({ claims: { exp: undefined } })],
    ['is not valid yet', () => ({ claims: { nbf: seconds() + 70 } })],
    ['is of the future', () => ({ claims: { iat: seconds() + 70 } })],
    ['has no id', () => ({ claims: { jti: undefined } })],
    ['has an empty id', () => ({ claims: { jti: '' } })],
    ['is for the resources', () => ({ claims: { aud: server.base } })],
    ['is for another service', () => ({ claims: { aud: 'https://other.example/token' } })],
    ['has no audience', () => ({ claims: { aud: undefined } })],
    ['is of another issuer', () => ({ claims: { iss: 'narrow' } })],
    ['has no issuer', () => ({ claims: { iss: undefined } })],
    ['is about another client, which has the key too', () => ({ claims: { sub: 'narrow' } })],
    ['names no key', () => ({ header: { kid: undefined } })],
    ['names another key', () => ({ header: { kid: 'other' } })],
    ['is an access token by its type', () => ({ header: { typ: 'at+jwt' } })],
    ['points to other keys', () => ({ header: { jku: 'https://evil.example/jwks' } })],
  ])('is refused that %s', async (_, more) => {
    const answer = await ask(await signed('two-keys', es, more()));
    expect([answer.status, answer.json.error]).toEqual([401, 'invalid_client']);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' });
  });

  it('is refused that is signed by another key, or in another way', async () => {
    const [stranger, rs256] = [await keyPair('ES384', es.kid), await keyPair('RS256', server.key.kid)];
    const [head = '', body = ''] = (await signed('two-keys')).split('.');
    const none = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${body}.`;
    const crossed = await signed('two-keys', es, { header: { kid: server.key.kid } });
    const texts = [
      await signed('two-keys', stranger),
      await signed('two-keys', rs256),
      await signed('same-kid'),
      crossed,
      none,
      `${head}.${body}.`,
      'no.jwt.atall',
      'none',
    ];
    for (const text of texts) {
      const answer = await ask(text);
      expect([answer.status, answer.json.error]).toEqual([401, 'invalid_client']);
    }
  });

  it('goes with its type, and with no other way to show who the client is', async () => {
    const of = async (more: Record<string, string | undefined>, headers: Record<string, string> = {}) =>
      post(server, '/token', { ...grant, client_assertion: await signed('two-keys'), ...more }, headers);
    expect((await of({ client_assertion_type: 'not_an_assertion_type' })).json.error).toBe('invalid_request');
    expect((await of({ client_assertion_type: undefined })).json.error).toBe('invalid_request');
    expect((await of({ client_assertion: undefined })).json.error).toBe('invalid_request');
    expect((await of({ client_id: 'narrow' })).json.error).toBe('invalid_request');
    expect((await of({ client_secret: 'secret' })).json.error).toBe('invalid_request');
    expect((await of({}, { Authorization: 'Basic YTpi' })).json.error).toBe('invalid_request');
    expect((await of({ client_id: 'two-keys' })).status).toBe(200);
  });
});

describe('the keys of a client at a URL', () => {
  it('are fetched on this machine in a demonstration alone, and kept as long as their answer says', async () => {
    const demo = await authorizing({ demo: true });
    let keys: readonly unknown[] = [];
    let asked = 0;
    let keep: string | undefined = 'max-age=60';
    const host = createServer((_, response) => {
      asked += 1;
      response.writeHead(200, {
        'Content-Type': 'application/json',
        ...(keep === undefined ? {} : { 'Cache-Control': keep }),
      });
      response.end(JSON.stringify({ keys }));
    }).listen(0, '127.0.0.1');
    await once(host, 'listening');
    const jwksUrl = `http://127.0.0.1:${(host.address() as AddressInfo).port}/jwks`;
    const client = { kind: 'asymmetric', flows: ['backend'], scopes: ['system/*.rs'], jwksUrl } as const;
    try {
      await demo.addClient({ ...client, id: 'hosted' });
      await server.addClient({ ...client, id: 'hosted' });
      const attempt = async (of: Authorizing, key: ClientKey, header: Record<string, unknown> = {}) => {
        const client_assertion = await assertion(key, 'hosted', `${of.issuer}/token`, of.clock.now, { header });
        return (await post(of, '/token', { ...grant, client_assertion })).status;
      };
      keys = [es.publicJwk];
      expect(await attempt(server, es)).toBe(401);
      expect(asked).toBe(0);
      expect(await attempt(demo, es)).toBe(200);
      expect(await attempt(demo, es, { jku: jwksUrl })).toBe(200);
      expect(asked).toBe(1);
      keys = [server.key.publicJwk]; // the client has another key now
      demo.clock.now += 59_000;
      expect(await attempt(demo, es)).toBe(200);
      demo.clock.now += 1_000;
      keep = undefined;
      expect(await attempt(demo, es)).toBe(401);
      expect(await attempt(demo, server.key)).toBe(200);
      expect(asked).toBe(3); // what says nothing is not kept

      [keep, keys] = ['max-age=600', [es.publicJwk]];
      expect(await attempt(demo, es)).toBe(200);
      expect(asked).toBe(4);
      keys = [server.key.publicJwk];
      expect(await Promise.all([attempt(demo, server.key), attempt(demo, server.key)])).toEqual([200, 200]);
      expect(asked).toBe(5); // an unknown key is looked for at once
      keys = [es.publicJwk];
      const elsewhere = { jku: jwksUrl.replace('/jwks', '/other') };
      expect(await attempt(demo, es)).toBe(401);
      expect(await attempt(demo, es, elsewhere)).toBe(401);
      expect(asked).toBe(5); // but once a minute only
      demo.clock.now += 60_000;
      expect(await attempt(demo, es, elsewhere)).toBe(401);
      expect(asked).toBe(5); // and only at the registered URL
      expect(await attempt(demo, es)).toBe(200);
      expect(asked).toBe(6);
      demo.clock.now += 60_000;
      host.close();
      host.closeAllConnections();
      expect(await attempt(demo, server.key)).toBe(401);
      expect(await attempt(demo, es)).toBe(200); // the known keys stay in use
    } finally {
      host.close();
      await demo.close();
    }
  });

  it.each<[header: string, milliseconds: number]>([
    ['', 0],
    ['max-age=60', 60_000],
    ['public, max-age=60', 60_000],
    ['max-age=60, no-store', 0],
    ['no-cache', 0],
    ['s-maxage=60', 0],
    ['max-age=99999999', 600_000],
    ['max-age=soon', 0],
  ])('with `Cache-Control: %s` are kept for %d ms', (header, milliseconds) => {
    expect(freshFor(header)).toBe(milliseconds);
  });
});
