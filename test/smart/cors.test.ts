// What pages of other origins may read. https://fetch.spec.whatwg.org/#http-cors-protocol and
// https://hl7.org/fhir/smart-app-launch/STU2.2/app-launch.html#considerations-for-cross-origin-resource-sharing-cors-support
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientCollection } from '../../src/smart/accounts/registry.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';
import { testTokens } from '../support/tokens.ts';
import { Browser } from './support/browser.ts';
import type { Visited } from './support/browser.ts';
import { authorize, backendToken, credentials, post } from './support/flow.ts';
import { authorizing, callback } from './support/server.ts';
import type { Authorizing } from './support/server.ts';

const registered = 'https://app.example';
const alsoRegistered = 'https://pages.example:8443';
const other = 'https://other.example';

let server: Authorizing;
let token: string;
beforeAll(async () => {
  server = await authorizing();
  await server.addClient({ id: 'pages', redirectUris: [`${registered}/callback`], origins: [alsoRegistered] });
  token = (await backendToken(server)).json.access_token;
});
afterAll(() => server.close());

type Headers = Record<string, string>;

/** A path below the base URL; one that begins with `//` is below the root. */
const send = (method: string, path: string, headers: Headers = {}): Promise<Visited> => {
  const { url } = server.running;
  return new Browser(url).request(
    method,
    path.startsWith('//') ? `${url}${path.slice(1)}` : `${server.base}${path}`,
    undefined,
    headers,
  );
};
const ask = (method: string, path: string, origin: string, headers: Headers = {}): Promise<Visited> =>
  send(method, path, { origin, ...headers });
const preflight = (path: string, origin: string, method = 'GET', headers = 'authorization'): Promise<Visited> =>
  ask('OPTIONS', path, origin, {
    'access-control-request-method': method,
    'access-control-request-headers': headers,
  });

/** The CORS headers of an answer. */
const corsOf = ({ headers }: { headers: Visited['headers'] }) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));
const varies = ({ headers }: Visited): boolean => /(?:^|, )Origin(?:,|$)/i.test(String(headers.vary));

const documents = [
  '/metadata',
  '/.well-known/smart-configuration',
  '//auth/.well-known/openid-configuration',
  '//.well-known/oauth-authorization-server/auth',
  '//auth/jwks',
];

describe('public documents', () => {
  it.each(documents)('%s is for pages of any origin', async path => {
    for (const origin of [registered, other, 'null']) {
      const answer = await ask('GET', path, origin);
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, '*']);
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
      const asked = await preflight(path, origin);
      expect([asked.status, asked.headers['access-control-allow-origin']]).toEqual([204, '*']);
      expect(asked.headers['access-control-allow-methods']).toBe('GET, HEAD');
    }
  });

  it('say so in refusals as well', async () => {
    const refused = await ask('GET', '//r4/nowhere/metadata', other);
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([404, '*']);
    const wrong = await ask('GET', '/metadata?mode=odd', other);
    expect([wrong.status, wrong.headers['access-control-allow-origin']]).toEqual([400, '*']);
  });
});

describe('a preflight', () => {
  it.each([
    ['/Patient/ann', 'GET'],
    ['/Patient?name=a', 'GET'],
    ['/Media', 'POST'],
    ['/Patient/_search', 'POST'],
    ['', 'POST'],
    ['//r4/nowhere/Patient', 'GET'],
    ['//auth/token', 'POST'],
    ['//auth/introspect', 'POST'],
    ['//auth/revoke', 'POST'],
    ['//auth/userinfo', 'GET'],
  ])('%s (%s) is answered to registered origins, without a token', async (path, method) => {
    for (const origin of [registered, alsoRegistered]) {
      const answer = await preflight(path, origin, method);
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(answer.headers).not.toHaveProperty('content-length');
      expect(corsOf(answer)).toEqual({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-allow-methods': expect.stringContaining(method),
        'access-control-allow-headers': expect.stringMatching(/^Authorization, Content-Type, /),
        'access-control-max-age': '600',
      });
      expect(varies(answer)).toBe(true);
    }
  });

  it('allows what FHIR clients send', async () => {
    const { headers } = await preflight('/Media', registered, 'POST');
    const allowed = String(headers['access-control-allow-headers']).toLowerCase().split(', ');
    expect(allowed).toEqual(
      expect.arrayContaining([
        'authorization',
        'content-type',
        'accept',
        'prefer',
        'if-none-match',
        'if-match',
        'if-none-exist',
        'if-modified-since',
        'x-requested-with',
        'cache-control',
        'x-medplum',
        'idempotency-key',
        'x-request-id',
      ]),
    );
  });

  it.each(['/Patient/ann', '', '//auth/token', '//r4/nowhere/Patient'])(
    '%s allows other origins nothing',
    async path => {
      for (const origin of [
        other,
        'null',
        'https://app.example:444',
        'http://app.example',
        'https://app.example.evil.example',
        '*',
      ]) {
        const answer = await preflight(path, origin);
        expect([answer.status, corsOf(answer)]).toEqual([204, {}]);
        expect(varies(answer)).toBe(true);
      }
    },
  );

  it('of a page of the authorization server is none', async () => {
    for (const path of ['//auth/authorize', '//auth/sign-in', '//auth/interaction/x', '//healthz']) {
      const answer = await preflight(path, registered);
      expect(corsOf(answer)).toEqual({});
    }
  });
});

describe('OPTIONS that is no preflight', () => {
  it('is as any other method that is not offered', async () => {
    const without = await send('OPTIONS', '/Patient/ann');
    expect(without.status).toBe(401);
    const answer = await ask('OPTIONS', '/Patient/ann', registered);
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([401, registered]);
    const headers = { 'access-control-request-method': 'GET' };
    expect((await send('OPTIONS', '/Patient/ann', headers)).status).toBe(401);
  });
});

describe('records and tokens', () => {
  const headers = () => ({ authorization: `Bearer ${token}` });

  it('may be read by pages of registered origins, with the headers that they need', async () => {
    for (const origin of [registered, alsoRegistered]) {
      const answer = await ask('GET', '/Patient/ann', origin, headers());
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, origin]);
      expect(answer.headers['access-control-expose-headers']?.split(', ')).toEqual(
        expect.arrayContaining([
          'Location',
          'ETag',
          'Content-Location',
          'WWW-Authenticate',
          'X-Request-Id',
          'Last-Modified',
          'Retry-After',
        ]),
      );
      expect(answer.headers['access-control-allow-credentials']).toBe('true'); // some clients always send cookies
      expect(varies(answer)).toBe(true);
    }
  });

  it('are given for no cookie, not even that of a signed-in user', async () => {
    const { browser } = await authorize(server);
    const cookie = [...browser.cookies].map(([key, { value }]) => `${key.split(' ')[0]}=${value}`).join('; ');
    expect(cookie).toContain('session');
    for (const path of ['/Patient/ann', '//auth/userinfo']) {
      expect((await ask('GET', path, registered, { cookie })).status).toBe(401);
    }
  });

  it('may not be read by pages of others', async () => {
    for (const origin of [other, 'null', 'https://APP.example', 'https://app.example/']) {
      const answer = await ask('GET', '/Patient/ann', origin, headers());
      expect([answer.status, corsOf(answer)]).toEqual([200, {}]);
      expect(varies(answer)).toBe(true);
    }
  });

  it('tokens are for the pages of registered origins as well, and no others', async () => {
    const { form } = await credentials(server, 'backend');
    const grant = { grant_type: 'client_credentials', scope: 'system/Patient.rs' };
    const allowed = await post(server, '/token', { ...grant, ...form }, { origin: registered });
    expect([allowed.status, allowed.headers['access-control-allow-origin']]).toEqual([200, registered]);
    for (const origin of [other, undefined]) {
      const launched = await authorize(server);
      const headers = origin === undefined ? {} : { origin };
      const { verifier: code_verifier, answer } = launched;
      const code = answer.get('code') ?? '';
      const exchanged = {
        grant_type: 'authorization_code',
        code,
        code_verifier,
        redirect_uri: callback,
        client_id: 'app',
      };
      const refused = await post(server, '/token', exchanged, headers);
      expect([refused.status, corsOf(refused)]).toEqual([200, {}]);
    }
  });

  it('vary by origin also where none was sent', async () => {
    const answer = await send('GET', '/Patient/ann', headers());
    expect([answer.status, corsOf(answer), varies(answer)]).toEqual([200, {}, true]);
  });

  it.each([
    ['GET', '/Patient/ann', 401],
    ['GET', '/Nonsense', 401],
    ['GET', '//r4/nowhere/Patient', 404],
    ['GET', `/Patient?name=${'a'.repeat(20_000)}`, 414],
    ['GET', '/Patient/%zz', 400],
    ['POST', '//auth/token', 400],
    ['GET', '//auth/token', 405],
    ['POST', '//auth/introspect', 400],
    ['POST', '//auth/revoke', 400],
    ['GET', '//auth/userinfo', 401],
  ])('a refusal can be read: %s %s', async (method, path, status) => {
    const answer = await ask(method, path, registered);
    expect(answer.status).toBe(status);
    expect(answer.headers['access-control-allow-origin']).toBe(registered);
    expect(varies(answer)).toBe(true);
    expect(corsOf(await ask(method, path, other))).toEqual({});
  });

  it('of a client that comes later, or has gone, follow within ten seconds', async () => {
    const origin = 'https://late.example';
    const allowed = async () => {
      server.clock.now += 10_000;
      return (await ask('GET', '/Patient/ann', origin)).headers['access-control-allow-origin'];
    };
    expect(await allowed()).toBeUndefined();
    await server.addClient({ id: 'late', redirectUris: [`${origin}/callback`] });
    expect(await allowed()).toBe(origin);
    await server.store.documents(clientCollection).delete('late');
    expect(await allowed()).toBeUndefined();
  });
});

describe('a server whose tokens come from elsewhere', () => {
  const tokens = testTokens();
  let elsewhere: Served;
  beforeAll(async () => {
    elsewhere = await serve([patient('p1')], [], undefined, { verify: tokens.verify });
    const client = { redirectUris: [`${registered}/callback`], launchUrls: [], origins: [], secrets: [] };
    await elsewhere.running.engine.store.documents(clientCollection).put('pages', { id: 'pages', ...client });
  });
  afterAll(() => elsewhere.close());

  it('lets pages of registered origins read records as well', async () => {
    for (const [origin, allowed] of [
      [registered, registered],
      [other, undefined],
    ] as const) {
      const headers = { origin, ...tokens.bearer({ scope: 'system/Patient.r' }) };
      const read = await elsewhere.get('/Patient/p1', headers);
      expect([read.status, read.headers['access-control-allow-origin']]).toEqual([200, allowed]);
    }
  });

  it('names no endpoint, and has none', async () => {
    const { json } = await elsewhere.get('/.well-known/smart-configuration');
    expect(Object.keys(json).filter(name => /issuer|endpoint|_uri$/.test(name))).toEqual([]);
    for (const path of ['//auth/.well-known/openid-configuration', '//auth/token', '//auth/jwks']) {
      expect((await elsewhere.get(path)).status).toBe(404);
    }
    const { json: metadata } = await elsewhere.get('/metadata');
    expect(metadata.rest[0].security).not.toHaveProperty('extension');
  });
});

describe('a server that is open to all', () => {
  let open: Served;
  beforeAll(async () => {
    open = await serve([patient('p1')]);
  });
  afterAll(() => open.close());

  it('lets pages of no origin read records, since any page in a browser on the same machine could', async () => {
    const headers = { origin: registered, 'access-control-request-method': 'GET' };
    expect(corsOf(await open.ask('OPTIONS', '/Patient/p1', { headers }))).toEqual({});
    const read = await open.get('/Patient/p1', { origin: registered });
    expect([read.status, corsOf(read)]).toEqual([200, {}]);
    expect((await open.get('/metadata', { origin: registered })).headers['access-control-allow-origin']).toBe('*');
  });
});
