// What Inferno's SMART App Launch kit (suite smart_stu2_2) checks of launches, identity and refresh, one test for each.
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import type { JSONWebKeySet, JWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { credentials, post } from './support/flow.ts';
import type { TokenAnswer } from './support/flow.ts';
import { fetchAsKit, kitLaunches, kitOrigin, kitScopes, launchAsKit } from './support/inferno.ts';
import type { Fetched, KitLaunched } from './support/inferno.ts';
import { callback, authorizing } from './support/server.ts';
import type { Authorizing } from './support/server.ts';

let server: Authorizing;
beforeAll(async () => {
  server = await authorizing();
});
afterAll(() => server.close());

const words = (scope: string): ReadonlySet<string> => new Set(scope.split(' '));

describe.each(kitLaunches)('$name', launch => {
  const { client, kind } = launch;
  const isPublic = client === 'app';
  let launched: KitLaunched;
  beforeAll(async () => {
    launched = await launchAsKit(server, launch);
  });

  it('where the EHR begins, it opens the launch URI with iss, equal to the FHIR URL, and launch', () => {
    const { started, sent } = launched;
    const opened = started && [`${started.origin}${started.pathname}`, ...started.searchParams.keys()];
    expect(opened).toEqual(kind === 'ehr' ? ['http://localhost:3000/launch', 'iss', 'launch'] : undefined);
    expect(started?.searchParams.get('iss')).toBe(kind === 'ehr' ? server.base : undefined);
    expect(sent.get('launch')).toBe(started?.searchParams.get('launch') ?? null);
  });

  it('the request has response_type, client_id, redirect_uri, scope, state, aud, code_challenge and its method', () => {
    expect(Object.fromEntries(launched.sent)).toMatchObject({
      response_type: 'code',
      client_id: client,
      redirect_uri: callback,
      scope: kitScopes[kind],
      aud: server.base,
      code_challenge_method: 'S256',
    });
    expect(launched.sent.has('launch')).toBe(kind === 'ehr');
  });

  it('the browser comes back to the redirect URI with the same state', () => {
    expect(`${launched.back.origin}${launched.back.pathname}`).toBe(callback);
    expect(launched.back.searchParams.get('state')).toBe(launched.sent.get('state'));
  });

  it('the code parameter is present, and no error parameter', () => {
    expect(launched.back.searchParams.get('code')).toMatch(/.{20,}/);
    expect(launched.back.searchParams.has('error')).toBe(false);
  });

  it('POST token is 200 and JSON', () => {
    const { status, headers, json } = launched.token;
    expect([status, headers['content-type']]).toEqual([200, expect.stringMatching(/^application\/json/)]);
    expect(json).toEqual(expect.any(Object));
  });

  it('the body has access_token, token_type, expires_in, scope; expires_in is a number, the others are strings', () => {
    expect(launched.token.json).toMatchObject({
      access_token: expect.any(String),
      token_type: expect.stringMatching(/^bearer$/i),
      expires_in: expect.any(Number),
      scope: expect.any(String),
      refresh_token: expect.any(String),
    });
  });

  it('scopes that were asked for are in the answer, the wildcard too', () => {
    expect(words(launched.token.json.scope)).toEqual(words(kitScopes[kind]));
  });

  it('fhirContext is not there, the patient is', () => {
    expect(launched.token.json).not.toHaveProperty('fhirContext');
    expect(launched.token.json.patient).toBe('ann');
  });

  it('Cache-Control contains no-store, Pragma contains no-cache', () => {
    expect(launched.token.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
  });

  it('a public client gets Access-Control-Allow-Origin with its origin', () => {
    expect(launched.token.headers['access-control-allow-origin']).toBe(isPublic ? kitOrigin : undefined);
  });

  describe('OpenID Connect', () => {
    let configuration: Fetched;
    let keys: Fetched;
    let idToken: string;
    beforeAll(async () => {
      idToken = launched.token.json.id_token;
      configuration = await fetchAsKit(server, `${decodeJwt(idToken).iss}/.well-known/openid-configuration`);
      keys = await fetchAsKit(server, configuration.json.jwks_uri);
    });

    it('id_token is a JWT that can be decoded', () => {
      expect(decodeJwt(idToken)).toEqual(expect.any(Object));
    });

    it('{iss}/.well-known/openid-configuration is 200, application/json', () => {
      const { status, headers } = configuration;
      expect([status, headers['content-type']]).toEqual([200, expect.stringMatching(/^application\/json/)]);
    });

    it('the document has what OpenID Connect requires, and RS256', () => {
      const some = expect.arrayContaining([expect.any(String)]);
      expect(configuration.json).toMatchObject({
        issuer: server.issuer,
        authorization_endpoint: expect.any(String),
        token_endpoint: expect.any(String),
        jwks_uri: expect.any(String),
        response_types_supported: some,
        subject_types_supported: some,
        id_token_signing_alg_values_supported: expect.arrayContaining(['RS256']),
      });
    });

    it('jwks_uri is 200 and JSON with keys, one of them RSA', () => {
      expect([keys.status, keys.headers['content-type']]).toEqual([200, expect.stringMatching(/^application\/json/)]);
      expect(keys.json.keys.map(({ kty }: JWK) => kty)).toContain('RSA');
      expect(keys.json.keys.flatMap((key: object) => Object.keys(key))).not.toContain('d');
    });

    it('the header of id_token has alg RS256 and a kid that names a key', () => {
      const { alg, kid } = decodeProtectedHeader(idToken);
      expect(alg).toBe('RS256');
      expect(keys.json.keys.map((key: JWK) => key.kid)).toContain(kid);
    });

    it('the payload has iss, sub, aud, exp, iat, is signed and not expired', async () => {
      const { payload } = await jwtVerify(idToken, createLocalJWKSet(keys.json as JSONWebKeySet), {
        issuer: configuration.json.issuer,
        audience: client,
        requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat'],
      });
      expect(payload.sub).toMatch(/^.{1,255}$/);
    });

    it('fhirUser names a Practitioner, Patient, RelatedPerson or Person that can be read', async () => {
      const fhirUser = String(decodeJwt(idToken)['fhirUser']);
      const [, type] = /\/(Patient|Practitioner|RelatedPerson|Person)\/[^/]+$/.exec(fhirUser) ?? [];
      const Authorization = `Bearer ${launched.token.json.access_token}`;
      const read = await fetchAsKit(server, fhirUser, { Authorization });
      expect([read.status, read.json.resourceType]).toEqual([200, type]);
    });

    it('(opt) that read with Origin has Access-Control-Allow-Origin', async () => {
      const Authorization = `Bearer ${launched.token.json.access_token}`;
      const fhirUser = String(decodeJwt(idToken)['fhirUser']);
      const read = await fetchAsKit(server, fhirUser, { Authorization, Origin: kitOrigin });
      expect(read.headers['access-control-allow-origin']).toBe(kitOrigin);
    });
  });

  describe('refresh', () => {
    let refreshToken: string;
    const refreshAsKit = async (scope?: string): Promise<TokenAnswer> => {
      const { form, headers } = await credentials(server, client);
      const grant = { grant_type: 'refresh_token', refresh_token: refreshToken, scope };
      const answer = await post(server, '/token', { ...grant, ...form }, headers);
      refreshToken = answer.json.refresh_token ?? refreshToken;
      return answer;
    };
    beforeAll(() => {
      refreshToken = launched.token.json.refresh_token;
    });

    it.each(['without scope', 'with the scopes that were granted'])('%s', async how => {
      const before = launched.token.json.scope as string;
      const { status, headers, json } = await refreshAsKit(how === 'without scope' ? undefined : before);
      // grant_type=refresh_token is 200 and JSON
      expect([status, headers['content-type']]).toEqual([200, expect.stringMatching(/^application\/json/)]);
      // access_token, token_type, expires_in, scope are there and typed; scopes are a subset of the old
      expect(json).toMatchObject({
        access_token: expect.any(String),
        token_type: expect.stringMatching(/^bearer$/i),
        expires_in: expect.any(Number),
      });
      expect(words(json.scope)).toEqual(words(before));
      // Cache-Control no-store, Pragma no-cache
      expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    });
  });
});
