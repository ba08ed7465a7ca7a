import { KeyObject, createHmac, createPublicKey, randomBytes, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClientKeys } from '../../src/smart/token/client-keys.ts';
import { usedKeyCollection } from '../../src/smart/token/claim-once.ts';
import { createRegistry } from '../../src/smart/accounts/registry.ts';
import { tokenRequest } from '../../src/smart/token/token-endpoint.ts';
import { tokenCollection, findGrant } from '../../src/auth/token/own-tokens.ts';
import { digestOf } from '../../src/auth/token/digest.ts';
import { revocationCollection, revoke } from '../../src/auth/token/revocations.ts';
import { createFetch } from '../../src/fetch/fetch.ts';
import { Browser } from './support/browser.ts';
import {
  authorize,
  backendToken,
  credentials,
  exchange,
  launchApp,
  pkce,
  post,
  read,
  refresh,
} from './support/flow.ts';
import { assertion, keyPair } from './support/keys.ts';
import { authorizing, callback } from './support/server.ts';
import type { Authorizing } from './support/server.ts';

// Attacks with codes, tokens and assertions. Replay, races of two processes, and assertions that are expired, early,
// for others or signed by others: tokens.test.ts, refresh.test.ts, backend.test.ts, introspection.test.ts,
// processes.test.ts. https://www.rfc-editor.org/rfc/rfc9700
let server: Authorizing;
beforeAll(async () => {
  server = await authorizing({ second: true });
  await server.addClient({ id: 'other-app', partitions: ['demo', 'other'] });
});
afterAll(() => server.close());

const refused = (error: string, status = 400) => ({ status, json: { error } });
const elsewhere = (): string => `${server.running.url}/r4/other`;

describe('aud mismatch', () => {
  it.each(['resource', 'aud'])('a code is valid for no other place: %s', async name => {
    const browser = new Browser(server.running.url);
    for (const place of [elsewhere(), 'https://evil.example/r4/demo', `${server.base} ${elsewhere()}`]) {
      const authorized = await authorize(server, { client: 'other-app', browser });
      const answer = await exchange(server, authorized, 'other-app', { [name]: place });
      expect(answer).toMatchObject(refused('invalid_target'));
    }
  });

  it.each(['resource', 'aud'])('a refresh token is valid for no other place: %s', async name => {
    const { json } = await launchApp(server, { client: 'other-app' });
    const form = { grant_type: 'refresh_token', refresh_token: json.refresh_token, client_id: 'other-app' };
    expect(await post(server, '/token', { ...form, [name]: elsewhere() })).toMatchObject(refused('invalid_target'));
  });

  it('an access token opens no other partition', async () => {
    const { json } = await launchApp(server, { client: 'other-app' });
    const headers = { Authorization: `Bearer ${json.access_token}` };
    const answer = await new Browser(server.running.url).request('GET', `${elsewhere()}/Patient`, undefined, headers);
    expect(answer.status).toBe(401);
  });
});

describe('a request without a body', () => {
  it('is refused at once, with and without a type of the body', async () => {
    const { host, pathname } = new URL(`${server.issuer}/token`);
    const [port] = server.ports;
    for (const fields of ['', 'Content-Type: application/x-www-form-urlencoded\r\n']) {
      const socket = connect(port, '127.0.0.1');
      socket.end(`POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\n${fields}Connection: close\r\n\r\n`);
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 [^]*"error":"invalid_request"/);
    }
  });
});

describe('PKCE', () => {
  it('a verifier that would do by plain is wrong, and so is that of another request', async () => {
    const [mine, other] = [await authorize(server), await authorize(server)];
    const url = new URL(mine.page.url);
    expect(url.searchParams.has('code')).toBe(true);
    expect(await exchange(server, { ...mine, verifier: other.verifier })).toMatchObject(refused('invalid_grant'));
    const { verifier, challenge } = pkce();
    const query = { code_challenge: challenge };
    const asked = await authorize(server, { query, browser: mine.browser });
    expect(await exchange(server, { ...asked, verifier: challenge })).toMatchObject(refused('invalid_grant'));
    expect((await exchange(server, { ...asked, verifier })).status).toBe(200);
  });
});

describe('one thing for another', () => {
  it('a code, a refresh token or an ID token opens no record, and only a refresh token refreshes', async () => {
    const authorized = await authorize(server);
    const code = authorized.answer.get('code') ?? '';
    expect((await read(server, code, '/Patient/ann')).status).toBe(401);
    expect(await refresh(server, code)).toMatchObject(refused('invalid_grant'));
    const { json } = await exchange(server, authorized);
    for (const token of [json.refresh_token, json.id_token])
      expect((await read(server, token, '/Patient/ann')).status).toBe(401);
    for (const token of [json.access_token, json.id_token])
      expect(await refresh(server, token)).toMatchObject(refused('invalid_grant'));
    expect(
      await exchange(server, { ...authorized, answer: new URLSearchParams({ code: json.refresh_token }) }),
    ).toMatchObject(refused('invalid_grant'));
    expect((await refresh(server, json.refresh_token)).status).toBe(200);
  });

  it('what is kept of a token is no token', async () => {
    const { json } = await launchApp(server);
    expect((await read(server, digestOf(json.access_token), '/Patient/ann')).status).toBe(401);
    expect(await refresh(server, digestOf(json.refresh_token))).toMatchObject(refused('invalid_grant'));
  });
});

describe('parameter pollution', () => {
  it('the query of the token endpoint counts for nothing', async () => {
    const { form } = await credentials(server, 'backend');
    const query = new URLSearchParams({ grant_type: 'client_credentials', scope: 'system/Patient.rs', ...form });
    const answer = await post(server, `/token?${query.toString()}`, { nothing: 'here' });
    expect(answer).toMatchObject(refused('invalid_request'));
  });

  it('a client is one and the same in header and body, and shows it in one way', async () => {
    const authorized = await authorize(server, { client: 'secret-app' });
    for (const more of [{ client_id: 'app' }, { client_secret: 'app-secret' }])
      expect(await exchange(server, authorized, 'secret-app', more)).toMatchObject(refused('invalid_request'));
    expect((await exchange(server, authorized, 'secret-app', { client_id: 'secret-app' })).status).toBe(200);
  });

  it.each(['code', 'redirect_uri', 'client_id', 'code_verifier', 'scope', 'resource'])(
    'a second `%s` in the form is refused',
    async name => {
      const form = new URLSearchParams({ grant_type: 'authorization_code', client_id: 'app', redirect_uri: callback });
      form.append(name, 'one');
      form.append(name, 'two');
      const answer = await new Browser(server.running.url).request('POST', `${server.issuer}/token`, form);
      expect([answer.status, JSON.parse(answer.text)]).toMatchObject([400, { error: 'invalid_request' }]);
    },
  );

  it('the cookies of a browser that is signed in show no client who it is', async () => {
    const { browser, answer, verifier } = await authorize(server, { client: 'secret-app' });
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'secret-app',
      code: answer.get('code') ?? '',
      redirect_uri: callback,
      code_verifier: verifier,
    });
    expect((await browser.request('POST', `${server.issuer}/token`, form)).status).toBe(401);
  });
});

describe('a client assertion', () => {
  const attempt = (client_assertion: string, port?: number) => backendToken(server, { client_assertion }, port);
  const endpoint = (): string => `${server.issuer}/token`;

  it('that brings its own key is signed by another key', async () => {
    const mine = await keyPair('ES384', 'mine');
    const { x5u, x5c } = { x5u: 'https://evil.example/cert', x5c: ['MIIB'] };
    for (const header of [{ jwk: mine.publicJwk }, { x5u }, { x5c }, { jwk: mine.publicJwk, kid: server.key.kid }]) {
      const forged = await assertion(mine, 'backend', endpoint(), server.clock.now, { header });
      expect(await attempt(forged)).toMatchObject(refused('invalid_client', 401));
    }
  });

  it('is signed by no public key, and by nothing', async () => {
    const { d: _, ...jwk } = server.key.publicJwk as Record<string, unknown>;
    const pem = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    const text = await assertion(server.key, 'backend', endpoint(), server.clock.now);
    const [, body = ''] = text.split('.');
    const signed = (header: object, key: string | Buffer, hash = 'sha384'): string => {
      const head = Buffer.from(JSON.stringify(header)).toString('base64url');
      const signature = createHmac(hash, key).update(`${head}.${body}`).digest('base64url');
      return `${head}.${body}.${signature}`;
    };
    const { kid } = server.key;
    const forged = [
      signed({ alg: 'HS384', kid, typ: 'JWT' }, pem),
      signed({ alg: 'HS256', kid, typ: 'JWT' }, JSON.stringify(jwk), 'sha256'),
      signed({ alg: 'RS384', kid, typ: 'JWT' }, pem),
      signed({ alg: 'none', kid, typ: 'JWT' }, pem),
      signed({ alg: 'NONE', kid, typ: 'JWT' }, pem),
      signed({ alg: ['RS384', 'none'], kid, typ: 'JWT' }, pem),
      `${Buffer.from(JSON.stringify({ alg: 'none', kid })).toString('base64url')}.${body}.`,
    ];
    for (const one of forged) expect(await attempt(one)).toMatchObject(refused('invalid_client', 401));
    const own = KeyObject.from(server.key.privateKey); // the right key, in a way that SMART does not have
    const weaker = ['RS256:sha256', 'RS512:sha512', 'RS1:sha1'].map(one => {
      const [alg, hash = ''] = one.split(':');
      const head = Buffer.from(JSON.stringify({ alg, kid, typ: 'JWT' })).toString('base64url');
      return `${head}.${body}.${sign(hash, Buffer.from(`${head}.${body}`), own).toString('base64url')}`;
    });
    for (const one of weaker) expect(await attempt(one)).toMatchObject(refused('invalid_client', 401));
    expect((await attempt(text)).status).toBe(200); // but for that it was good
  });

  it('is good once also in the last moment in which it is good, by whatever clock', async () => {
    const seconds = Math.floor(server.clock.now / 1000) + 10;
    const exp = seconds + 0.01; // which no whole second is
    const text = await assertion(server.key, 'backend', endpoint(), server.clock.now, { claims: { exp } });
    expect((await attempt(text)).status).toBe(200);
    const before = server.clock.now;
    try {
      for (const late of [0, 5_000, 5_010, 5_500, 5_999, 6_000]) {
        server.clock.now = seconds * 1000 + late;
        expect((await attempt(text, server.ports[1])).status).toBe(401);
      }
    } finally {
      server.clock.now = before;
    }
  });

  it('of a client that is removed at that moment gives nothing that lasts', async () => {
    const { store } = server;
    await server.addClient({
      id: 'leaving-backend',
      kind: 'asymmetric',
      flows: ['backend'],
      redirectUris: [],
      scopes: ['system/*.cruds'],
      jwks: { keys: [server.key.publicJwk] },
    });
    let time = server.clock.now;
    const now = (): number => (time += 1); // so that each moment is another one
    const known = createRegistry(store, undefined, now);
    const registry = {
      ...known,
      async client(id: string) {
        const client = await known.client(id);
        await revoke(store.documents(revocationCollection), 'client', id, now()); // between two steps of the request
        return client;
      },
    };
    const unasked = createFetch({ addresses: 'public', plain: false, authorities: undefined, bytes: 1, time: 1 });
    const form = new Map([
      ['grant_type', 'client_credentials'],
      ['scope', 'system/Patient.rs'],
      ['client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'],
      ['client_assertion', await assertion(server.key, 'leaving-backend', endpoint(), time)],
    ]);
    const { model } = server.running.engine;
    const asked = await tokenRequest(form, undefined, {
      store,
      model,
      registry,
      notice: () => undefined,
      now,
      publicUrl: server.running.url,
      issuer: server.issuer,
      tokenEndpoint: endpoint(),
      lifetimes: { backendTokenLifetime: 300_000 },
      once: store.documents(usedKeyCollection),
      keys: createClientKeys(unasked, now),
    });
    const token = asked.kind === 'answered' ? String(asked.answer.body['access_token']) : '';
    const own = { tokens: store.documents(tokenCollection), revocations: store.documents(revocationCollection) };
    expect(token).toMatch(/^crs_/);
    expect(await findGrant(own, digestOf(token))).toBeUndefined();
  });
});

describe('keys at the address of an attacker', () => {
  let connections = 0;
  const inside = createTcpServer(socket => {
    connections += 1;
    socket.destroy();
  });
  beforeAll(async () => {
    await once(inside.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => inside.close());

  it.each([
    'https://127.0.0.1:PORT/jwks',
    'https://localhost:PORT/jwks',
    'https://127.1:PORT/jwks',
    'https://0x7f000001:PORT/jwks',
    'https://2130706433:PORT/jwks',
    'https://0.0.0.0:PORT/jwks',
    'https://[::ffff:127.0.0.1]:PORT/jwks',
    'https://[::ffff:7f00:1]:PORT/jwks',
    'https://[::]:PORT/jwks',
    'http://127.0.0.1:PORT/jwks',
    'https://169.254.169.254/latest/meta-data',
    'https://[::ffff:a9fe:a9fe]/latest/meta-data',
    'https://[64:ff9b::a9fe:a9fe]/latest/meta-data',
    'https://10.0.0.1/jwks',
    'http://keys.example/jwks',
    'file:///etc/passwd',
    'data:application/json,{"keys":[]}',
  ])('are not asked for: %s', async url => {
    const jwksUrl = url.replace('PORT', String((inside.address() as AddressInfo).port));
    await server.addClient({ id: 'hosted', kind: 'asymmetric', flows: ['backend'], redirectUris: [], jwksUrl });
    const text = await assertion(server.key, 'hosted', `${server.issuer}/token`, server.clock.now);
    const answer = await backendToken(server, { client_assertion: text });
    expect(answer).toMatchObject(refused('invalid_client', 401));
    expect(answer.json.error_description).toBe('The keys of the client cannot be fetched from its JWKS URL.');
    expect(connections).toBe(0);
  });

  it('are taken from no other address to which that one leads, nor in any size', async () => {
    const asked: string[] = [];
    const host = createServer((request, response) => {
      asked.push(request.url ?? '');
      if (request.url === '/moved') response.writeHead(302, { Location: '/jwks' });
      const filling = request.url === '/large' ? 'x'.repeat(200_000) : '';
      response.end(JSON.stringify({ keys: [server.key.publicJwk], filling }));
    }).listen(0, '127.0.0.1');
    await once(host, 'listening');
    const { port } = host.address() as AddressInfo;
    const fetch = createFetch({
      addresses: 'loopback',
      plain: true,
      authorities: undefined,
      bytes: 65_536,
      time: 5_000,
    });
    const keys = createClientKeys(fetch, () => server.clock.now);
    const of = async (path: string) => {
      const client = await createRegistry(server.store, undefined, () => 0).client('hosted');
      if (client === undefined) throw new Error('no client');
      return keys({ ...client, jwks: undefined, jwksUrl: `http://127.0.0.1:${port}${path}` }, 'key');
    };
    try {
      await expect(of('/moved')).rejects.toThrow('answered 302');
      await expect(of('/large')).rejects.toThrow('more than');
      expect(asked).toEqual(['/moved', '/large']);
      expect(await of('/jwks')).toHaveLength(1);
    } finally {
      host.close();
      host.closeAllConnections();
    }
  });
});

describe('a forged token', () => {
  it('is rejected, whatever issuer it claims', async () => {
    const { privateKey, publicJwk } = await keyPair('RS256', 'mine');
    const forged = (iss: string | undefined, header: object = {}): Promise<string> => {
      const claims = { aud: server.base, scope: 'user/*.cruds', client_id: 'app', sub: 'clinician' };
      const jwt = new SignJWT(iss === undefined ? claims : { ...claims, iss });
      return jwt
        .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', ...header })
        .setExpirationTime('5 minutes')
        .sign(privateKey);
    };
    const tokens = [
      await forged(server.issuer),
      await forged(server.running.url),
      await forged(undefined),
      await forged(server.issuer, { jwk: publicJwk }),
      `crs_${randomBytes(32).toString('base64url')}`,
      'crs_',
      'null',
      'undefined',
      '__proto__',
    ];
    for (const token of tokens) expect((await read(server, token, '/Patient/ann')).status).toBe(401);
  });
});

describe('scope escalation on refresh', () => {
  it('does not come with a narrowed refresh either, nor by what the client got since', async () => {
    await server.addClient({ id: 'growing', scopes: ['launch/patient', 'offline_access', 'patient/Patient.rs'] });
    const scope = 'launch/patient offline_access patient/Patient.rs';
    const { json } = await launchApp(server, { client: 'growing', scope });
    await server.addClient({
      id: 'growing',
      scopes: ['launch/patient', 'offline_access', 'patient/*.cruds', 'user/*.cruds'],
    });
    for (const more of ['patient/Patient.cruds', 'patient/Condition.rs', 'user/Patient.rs', 'patient/*.rs openid']) {
      const answer = await refresh(server, json.refresh_token, { client: 'growing', scope: more });
      expect(answer.json.error ?? answer.json.scope).toMatch(/^(?:invalid_scope|patient\/Patient\.rs)$/);
    }
  });
});
