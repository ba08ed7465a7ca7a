// openid-client, a certified relying party of OpenID Connect. https://openid.net/specs/openid-connect-core-1_0.html
import * as client from 'openid-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Browser } from '../smart/support/browser.ts';
import { follow } from '../smart/support/flow.ts';
import { callback } from '../smart/support/server.ts';
import type { Authorizing } from '../smart/support/server.ts';
import { digestOf } from '../../src/auth/token/digest.ts';
import { media } from '../support/media.ts';
import { scope, service } from './support/service.ts';

const conditions = 130;
const secret = 'of 100% + more'; // which openid-client encodes
let server: Authorizing;
let browser: Browser; // signed in after the first time
beforeAll(async () => {
  server = await service(conditions);
  browser = new Browser(server.running.url);
  await server.addClient({ id: 'symmetric', kind: 'symmetric', secrets: [{ digest: digestOf(secret) }] });
});
beforeEach(() => void (server.clock.now = Date.now())); // what the client signs is good from now on
afterAll(() => server.close());

const plain = { execute: [client.allowInsecureRequests] }; // http, as it is on this machine

const discover = (id = 'app', authentication?: client.ClientAuth): Promise<client.Configuration> =>
  client.discovery(new URL(server.issuer), id, undefined, authentication ?? client.None(), plain);

type Tokens = Awaited<ReturnType<typeof client.authorizationCodeGrant>>;

/** A whole launch, in which openid-client checks state, nonce, issuer, PKCE and the ID token. */
async function signIn(config: client.Configuration, more: Record<string, string> = {}): Promise<Tokens> {
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
  const expectedNonce = client.randomNonce();
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope,
    aud: server.base,
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    ...more,
  });
  const { url } = await follow(server, browser, address);
  const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
  return client.authorizationCodeGrant(config, url, checks);
}

/** What tests look into: a resource, a Bundle among them. */
interface Found {
  readonly entry?: readonly { readonly resource: { readonly id: string } }[];
  readonly link?: readonly { readonly relation: string; readonly url: string }[];
}

async function ask(config: client.Configuration, tokens: Tokens, path: string, body?: object): Promise<Found> {
  const [method, text] = body === undefined ? ['GET', undefined] : ['POST', JSON.stringify(body)];
  const headers = new Headers({ 'Content-Type': 'application/fhir+json' });
  const url = new URL(path, `${server.base}/`);
  const response = await client.fetchProtectedResource(config, tokens.access_token, url, method, text, headers);
  return (await response.json()) as Found;
}

describe('openid-client', () => {
  it('finds the endpoints, by OpenID Connect and by OAuth alone', async () => {
    const { token_endpoint } = (await discover()).serverMetadata();
    expect(token_endpoint).toBe(`${server.issuer}/token`);
    const options = { ...plain, algorithm: 'oauth2' as const };
    const again = await client.discovery(new URL(server.issuer), 'app', undefined, client.None(), options);
    expect(again.serverMetadata().token_endpoint).toBe(token_endpoint);
  });

  it('finds them by the configuration of SMART too', async () => {
    const response = await fetch(`${server.base}/.well-known/smart-configuration`);
    const config = new client.Configuration(
      (await response.json()) as client.ServerMetadata,
      'app',
      undefined,
      client.None(),
    );
    client.allowInsecureRequests(config);
    expect(await ask(config, await signIn(config), 'Patient/ann')).toMatchObject({ id: 'ann' });
  });

  it.each([
    ['public', 'app', () => client.None()],
    ['symmetric, by Basic', 'symmetric', () => client.ClientSecretBasic(secret)],
    ['symmetric, in the form', 'symmetric', () => client.ClientSecretPost(secret)],
    ['asymmetric', 'signing-app', () => client.PrivateKeyJwt({ key: server.key.privateKey, kid: server.key.kid })],
  ])('signs in, refreshes, gets the claims of the user, and signs out: %s', async (_, id, authentication) => {
    const config = await discover(id, authentication());
    const first = await signIn(config);
    expect(first).toMatchObject({ patient: 'ann', token_type: 'bearer', expires_in: 3600 });
    const fhirUser = `${server.base}/Practitioner/dr`;
    expect(first.claims()).toMatchObject({ iss: server.issuer, aud: id, fhirUser });
    const sub = first.claims()?.sub ?? '';
    expect(await client.fetchUserInfo(config, first.access_token, sub)).toMatchObject({ sub, fhirUser });
    const second = await client.refreshTokenGrant(config, first.refresh_token ?? '');
    expect(await ask(config, second, 'Patient/ann')).toMatchObject({ id: 'ann' });
    await client.tokenRevocation(config, second.refresh_token ?? '');
    await expect(client.refreshTokenGrant(config, second.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  it('is started by an EHR', async () => {
    const launch = await server.launch({ patient: 'bob' });
    const tokens = await signIn(await discover(), { scope: scope.replace('launch/patient', 'launch'), launch });
    expect(tokens).toMatchObject({ patient: 'bob', need_patient_banner: true });
  });

  it('reads every page, and creates', async () => {
    const config = await discover();
    const tokens = await signIn(config);
    const seen = new Set<string>();
    for (let path: string | undefined = 'Condition?patient=ann'; path !== undefined;) {
      const bundle = await ask(config, tokens, path);
      for (const { resource } of bundle.entry ?? []) seen.add(resource.id);
      path = bundle.link?.find(({ relation }) => relation === 'next')?.url;
    }
    expect(seen.size).toBe(conditions);
    const created = await ask(config, tokens, 'Media', media({ subject: { reference: 'Patient/ann' } }));
    expect(created).toMatchObject({ resourceType: 'Media', id: expect.any(String) });
  });

  it('gets a token for a system, and asks what it is valid for', async () => {
    const config = await discover('backend', client.PrivateKeyJwt({ key: server.key.privateKey, kid: server.key.kid }));
    const tokens = await client.clientCredentialsGrant(config, { scope: 'system/Patient.rs' });
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'system/Patient.rs', expires_in: 300 });
    const introspected = await client.tokenIntrospection(config, tokens.access_token);
    expect(introspected).toMatchObject({ active: true, client_id: 'backend', scope: 'system/Patient.rs' });
  });

  it('learns why not', async () => {
    const config = await discover();
    await expect(signIn(config, { scope: 'launch/patient openid patient/Observation.rs' })).rejects.toMatchObject({
      error: 'invalid_scope',
    });
    const wrong = await discover('secret-app', client.ClientSecretBasic('another secret'));
    await expect(client.refreshTokenGrant(wrong, 'x')).rejects.toMatchObject({
      code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
      status: 401,
    });
  });
});
