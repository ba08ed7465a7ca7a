import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '../../src/auth/token/digest.ts';
import {
  authorize,
  backendToken,
  credentials,
  exchange,
  launchApp,
  post,
  read,
  refresh,
  usualScope,
} from './support/flow.ts';
import { authorizing, callback } from './support/server.ts';
import type { Authorizing } from './support/server.ts';

// https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3, https://www.rfc-editor.org/rfc/rfc9700
let server: Authorizing;
beforeAll(async () => {
  server = await authorizing({ second: true });
  await server.addClient({ id: 'other-app' });
});
afterAll(() => server.close());

const refused = (error: string, status = 400) => ({ status, json: { error, error_description: expect.any(String) } });
const other = (): number => server.ports[1];

describe('a code', () => {
  it.each<[why: string, more: Record<string, string | undefined>]>([
    ['without a verifier', { code_verifier: undefined }],
    ['with another verifier', { code_verifier: 'v'.repeat(43) }],
    ['with another redirect URI', { redirect_uri: 'http://localhost:3000/other' }],
    ['of another client', { client_id: 'other-app' }],
    ['that does not exist', { code: 'c'.repeat(43) }],
  ])('is refused %s', async (_, more) => {
    const authorized = await authorize(server);
    expect(await exchange(server, authorized, 'app', more)).toMatchObject(refused('invalid_grant'));
    const { json } = await exchange(server, authorized); // a client that cannot use it does not consume it
    expect(json.access_token).toBeDefined();
  });

  it.each(['redirect_uri', 'code'])('is refused without %s', async name => {
    const authorized = await authorize(server);
    const answer = await exchange(server, authorized, 'app', { [name]: undefined });
    expect(answer).toMatchObject(refused('invalid_request'));
  });

  it('is over after a minute', async () => {
    const authorized = await authorize(server);
    server.clock.now += 60_000;
    expect(await exchange(server, authorized)).toMatchObject(refused('invalid_grant'));
  });

  it('that is used again, in another process, ends what it gave', async () => {
    const authorized = await authorize(server);
    const { json } = await exchange(server, authorized);
    expect((await read(server, json.access_token, '/Patient/ann')).status).toBe(200);
    expect(await exchange(server, authorized, 'app', {}, other())).toMatchObject(refused('invalid_grant'));
    expect(await refresh(server, json.refresh_token)).toMatchObject(refused('invalid_grant'));
    server.clock.now += 10_000;
    expect((await read(server, json.access_token, '/Patient/ann')).status).toBe(401);
  });

  it('that two processes get at a time gives no tokens that last', async () => {
    const authorized = await authorize(server);
    const answers = await Promise.all([exchange(server, authorized), exchange(server, authorized, 'app', {}, other())]);
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThan(2);
    server.clock.now += 10_000;
    for (const { json } of answers.filter(({ status }) => status === 200))
      expect((await read(server, json.access_token, '/Patient/ann')).status).toBe(401);
  });

  it('works in another process than the one that gave it', async () => {
    const authorized = await authorize(server, { port: other() });
    expect((await exchange(server, authorized)).status).toBe(200);
  });
});

describe('the token endpoint', () => {
  it.each<[why: string, form: Record<string, string | undefined>, error: string, status: number]>([
    ['no grant type', { grant_type: undefined }, 'invalid_request', 400],
    ['an unknown grant type', { grant_type: 'not_a_grant_type' }, 'unsupported_grant_type', 400],
    ['a grant type that is not offered', { grant_type: 'password' }, 'unsupported_grant_type', 400],
    ['a name of every object', { grant_type: 'constructor' }, 'unsupported_grant_type', 400],
    ['no client', {}, 'invalid_client', 401],
    ['an unknown client', { client_id: 'nobody' }, 'invalid_client', 401],
    ['a confidential client that shows nothing', { client_id: 'secret-app' }, 'invalid_client', 401],
    ['a client that signs and shows nothing', { client_id: 'signing-app' }, 'invalid_client', 401],
    ['a public client with a secret', { client_id: 'app', client_secret: 'any' }, 'invalid_client', 401],
    ['a wrong secret', { client_id: 'secret-app', client_secret: 'any' }, 'invalid_client', 401],
  ])('refuses %s', async (_, form, error, status) => {
    const answer = await post(server, '/token', {
      grant_type: 'authorization_code',
      code: 'any',
      redirect_uri: callback,
      ...form,
    });
    expect(answer).toMatchObject(refused(error, status));
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('says how to show a secret where a wrong one came in the header', async () => {
    const Authorization = `Basic ${Buffer.from('secret-app:wrong').toString('base64')}`;
    const answer = await post(server, '/token', { grant_type: 'authorization_code' }, { Authorization });
    expect(answer).toMatchObject(refused('invalid_client', 401));
    expect(answer.headers['www-authenticate']).toMatch(/^Basic realm=/);
  });

  it('takes a secret in the form too, and reads the header as a form does', async () => {
    await server.addClient({ id: 'odd app', kind: 'symmetric', secrets: [{ digest: digestOf('a:b%+ c') }] });
    const authorized = await authorize(server, { client: 'odd app' });
    const form = {
      grant_type: 'authorization_code',
      code: authorized.answer.get('code') ?? '',
      redirect_uri: callback,
    };
    const encoded = new URLSearchParams({ 'odd app': 'a:b%+ c' }).toString().replace('=', ':');
    const Authorization = `Basic ${Buffer.from(encoded).toString('base64')}`;
    const headed = await post(server, '/token', { ...form, code_verifier: authorized.verifier }, { Authorization });
    expect(headed.status).toBe(200);
    const shown = { client_id: 'odd app', client_secret: 'a:b%+ c' };
    expect((await refresh(server, headed.json.refresh_token, { client: 'odd app', ...shown })).status).toBe(200);
  });

  it.each<[client: string, grantType: string]>([
    ['app', 'client_credentials'],
    ['secret-app', 'client_credentials'],
    ['signing-app', 'client_credentials'],
    ['backend', 'authorization_code'],
    ['backend', 'refresh_token'],
  ])('refuses %s that asks by %s, which is not its own', async (client, grant_type) => {
    const { form, headers } = await credentials(server, client);
    const answer = await post(
      server,
      '/token',
      { grant_type, scope: 'system/Patient.rs', code: 'c', refresh_token: 'r', ...form },
      headers,
    );
    expect(answer).toMatchObject(refused('unauthorized_client'));
  });

  it('refuses a parameter that is there twice, another content type, other methods and too much', async () => {
    const headers = { 'Content-Type': 'application/json' };
    expect(await post(server, '/token', { grant_type: 'client_credentials' }, headers)).toMatchObject(
      refused('invalid_request'),
    );
    const url = `${server.issuer}/token`;
    const twice = await fetch(url, { method: 'POST', body: new URLSearchParams('grant_type=a&grant_type=b') });
    expect([twice.status, ((await twice.json()) as { error: string }).error]).toEqual([400, 'invalid_request']);
    const get = await fetch(url);
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
    const large = await post(server, '/token', { grant_type: 'x'.repeat(70_000) });
    expect([large.status, large.json.error]).toEqual([413, 'invalid_request']);
  });
});

describe('the lifetime of tokens', () => {
  it('is an hour for apps and five minutes for backend services', async () => {
    const app = await launchApp(server);
    const backend = await backendToken(server);
    server.clock.now += 299_000;
    expect((await read(server, backend.json.access_token, '/Patient/ann')).status).toBe(200);
    server.clock.now += 1_000;
    expect((await read(server, backend.json.access_token, '/Patient/ann')).status).toBe(401);
    expect((await read(server, app.json.access_token, '/Patient/ann')).status).toBe(200);
    server.clock.now += 3_300_000;
    expect((await read(server, app.json.access_token, '/Patient/ann')).status).toBe(401);
  });
});

describe('what is kept', () => {
  it('holds no code, token, launch value or session in clear', async () => {
    const launch = await server.launch();
    const scope = `launch ${usualScope.replace('launch/patient ', '')}`;
    const authorized = await authorize(server, { scope, query: { launch, nonce: 'nonce-of-the-app' } });
    const { json } = await exchange(server, authorized);
    const cookies = [...authorized.browser.cookies.values()]
      .map(({ value }) => value)
      .filter(value => value.length > 20);
    const secrets = [launch, authorized.answer.get('code') ?? '', json.access_token, json.refresh_token, ...cookies];
    expect(secrets.length).toBeGreaterThan(5);
    const collections = [
      'tokens',
      'launches',
      'launches-used',
      'once',
      'consents',
      'conversations',
      'sessions',
      'revocations',
    ];
    const oidc = [
      'Interaction',
      'AuthorizationCode',
      'RefreshToken',
      'successors',
      'AccessToken',
      'Grant',
      'Session',
      'ReplayDetection',
    ];
    let documents = 0;
    for (const collection of [...collections, ...oidc.map(model => `oidc-${model}`)]) {
      for await (const { key, value } of server.store.documents(collection).list()) {
        documents += 1;
        const text = `${key} ${JSON.stringify(value)}`;
        for (const secret of secrets) expect(text.includes(secret)).toBe(false);
      }
    }
    expect(documents).toBeGreaterThan(10);
  });
});
