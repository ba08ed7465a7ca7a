// What Inferno's SMART App Launch kit (suite smart_stu2_2) checks of Backend Services and introspection, one test for
// each.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backendToken, post } from './support/flow.ts';
import type { TokenAnswer } from './support/flow.ts';
import { kitLaunches, launchAsKit } from './support/inferno.ts';
import { assertion, keyPair } from './support/keys.ts';
import { authorizing } from './support/server.ts';
import type { Authorizing } from './support/server.ts';

let server: Authorizing;
beforeAll(async () => {
  server = await authorizing();
});
afterAll(() => server.close());

describe('backend services', () => {
  it('grant_type=not_a_grant_type is 400', async () => {
    const { status, json } = await backendToken(server, { grant_type: 'not_a_grant_type' });
    expect([status, json.error]).toEqual([400, 'unsupported_grant_type']);
  });

  it('client_assertion_type=not_an_assertion_type is 400 or 401', async () => {
    const { status } = await backendToken(server, { client_assertion_type: 'not_an_assertion_type' });
    expect([400, 401]).toContain(status);
  });

  it('an invalid JWT is 400 or 401', async () => {
    const { status, json } = await backendToken(server, { client_assertion: 'not.a.jwt' });
    expect([400, 401]).toContain(status);
    expect(json.error).toBe('invalid_client');
  });

  it.each(['RS384', 'ES384'] as const)(
    'a valid request (five minutes ahead, random jti, kid, %s) is 200, with all that a body must have',
    async alg => {
      const key = await keyPair(alg);
      const id = `backend-${alg}`;
      const keys = { kind: 'asymmetric', jwks: { keys: [key.publicJwk] } } as const;
      await server.addClient({ id, flows: ['backend'], redirectUris: [], scopes: ['system/*.rs'], ...keys });
      const client_assertion = await assertion(key, id, `${server.issuer}/token`, server.clock.now);
      const { status, json } = await backendToken(server, { client_assertion, scope: 'system/*.rs' });
      expect(status).toBe(200);
      expect(json).toMatchObject({
        access_token: expect.any(String),
        token_type: 'bearer',
        expires_in: expect.any(Number),
        scope: 'system/*.rs',
      });
    },
  );
});

describe('token introspection', () => {
  let launched: TokenAnswer;
  let active: TokenAnswer;
  const form = { client_id: 'app' }; // typed into "Additional Introspection Request Parameters"
  const headers = { Accept: 'application/json' };
  beforeAll(async () => {
    const [standalone] = kitLaunches;
    if (standalone === undefined) throw new Error('no launch');
    launched = (await launchAsKit(server, standalone)).token;
    active = await post(server, '/introspect', { token: launched.json.access_token, ...form }, headers);
  });

  it('a new standalone launch gives a fresh token', () => {
    expect(launched.json.access_token).toEqual(expect.any(String));
  });

  it('POST token=… is 200 for an active token', () => {
    expect([active.status, active.headers['content-type']]).toEqual([200, expect.stringMatching(/^application\/json/)]);
  });

  it('POST token=invalid_token_value is 200, active is false, and there is nothing else', async () => {
    const { status, json } = await post(server, '/introspect', { token: 'invalid_token_value', ...form }, headers);
    expect([status, json]).toEqual([200, { active: false }]);
  });

  it('an active answer: active is true, client_id equal', () => {
    expect(active.json).toMatchObject({ active: true, client_id: 'app' });
  });

  it('the same set and number of scopes', () => {
    expect(active.json.scope.split(' ').toSorted()).toEqual(launched.json.scope.split(' ').toSorted());
  });

  it('exp is there, in the future', () => {
    expect(active.json.exp).toBeGreaterThan(server.clock.now / 1000);
  });

  it('patient is equal to that of the token answer; there is no encounter in either', () => {
    expect(active.json.patient).toBe(launched.json.patient);
    expect([active.json.encounter, launched.json.encounter]).toEqual([undefined, undefined]);
  });

  it('iss, sub and fhirUser are equal to those of the id_token', () => {
    const { iss, sub, ...claims } = decodeJwt(launched.json.id_token);
    expect(active.json).toMatchObject({ iss, sub, fhirUser: claims['fhirUser'] });
  });

  it.each(['secret', 'bearer'])('a custom header shows who asks: %s', async how => {
    const basic = `Basic ${Buffer.from('secret-app:app-secret').toString('base64')}`;
    const bearer = `Bearer ${(await backendToken(server)).json.access_token}`;
    const Authorization = how === 'secret' ? basic : bearer;
    const { status, json } = await post(
      server,
      '/introspect',
      { token: launched.json.access_token },
      { Authorization },
    );
    expect([status, json.active]).toEqual([200, how === 'bearer']); // an app sees its own tokens only
  });
});
