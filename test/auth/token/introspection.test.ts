// Opaque tokens of an external issuer. https://www.rfc-editor.org/rfc/rfc7662
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TokenRefused } from '../../../src/auth/claims.ts';
import { tokenPrefix } from '../../../src/auth/token/own-tokens.ts';
import { readConfig } from '../../../src/config/read.ts';
import { FhirError } from '../../../src/fhir/error.ts';
import { example } from '../../support/readmes.ts';
import { startIssuer } from './support/issuer.ts';
import type { TestIssuer } from './support/issuer.ts';
import { baseOf, settingsOf, verifying } from './support/verifier.ts';
import type { Verifying } from './support/verifier.ts';

let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());

const introspection = { client: 'clinical records', secret: 's:cr%t' };
const now = (): number => Math.floor(Date.now() / 1000);
const good = {
  active: true,
  token_type: 'Bearer',
  aud: baseOf('clinic'),
  client_id: 'app',
  scope: 'patient/Patient.rs',
  patient: 'p1',
};

let verifier: Verifying;
beforeEach(() => {
  verifier = verifying([settingsOf(issuer, { introspection })]);
  issuer.asked.length = 0;
  issuer.opaque.clear();
  issuer.instead.clear();
});
const asked = (): number => issuer.asked.filter(path => path === '/introspect').length;

describe('an opaque token', () => {
  it('that its issuer knows is accepted; the credentials are those of the settings', async () => {
    issuer.opaque.set('opaque', { ...good, sub: 'u1', exp: now() + 300, iss: issuer.url });
    expect(await verifier.verify('opaque', 'clinic')).toEqual({
      issuer: issuer.url,
      client: 'app',
      subject: 'u1',
      scope: 'patient/Patient.rs',
      patient: 'p1',
      fhirUser: undefined,
      partition: 'clinic',
      expires: expect.any(Number),
    });
    const [, basic = ''] = issuer.credentials()?.split(' ') ?? [];
    expect(Buffer.from(basic, 'base64').toString()).toBe('clinical+records:s%3Acr%25t'); // RFC 6749 2.3.1
  });

  it.each<[title: string, more: object]>([
    ['', {}],
    [', also where it lives longer', { exp: now() + 3600 }],
  ])('is asked about once in ten seconds, and its revocation known after%s', async (_, more) => {
    issuer.opaque.set('opaque', { ...good, ...more });
    await Promise.all([verifier.verify('opaque', 'clinic'), verifier.verify('opaque', 'clinic')]);
    await verifier.verify('opaque', 'clinic');
    expect(asked()).toBe(1);
    issuer.opaque.clear();
    verifier.clock.now += 10_001;
    await expect(verifier.verify('opaque', 'clinic')).rejects.toThrow(TokenRefused);
    expect(asked()).toBe(2);
  });

  it.each<[title: string, change: Record<string, unknown>]>([
    ['that is not active', { active: false }],
    ['that has expired', { exp: now() - 60 }],
    ['that is not valid yet', { nbf: now() + 60 }],
    ['that expires at no time', { exp: '2020-01-01T00:00:00Z' }],
    ['that expires at a text', { exp: String(now() + 300) }],
    ['that expires at null', { exp: null }],
    ['that expires beyond time', { exp: 1e300 }],
    ['that begins at no time', { nbf: '2099-01-01T00:00:00Z' }],
    ['for another audience', { aud: 'https://other.example' }],
    ['for no audience', { aud: undefined }],
    ['for another partition', { aud: baseOf('lab') }],
    ['of another issuer', { iss: 'https://evil.example' }],
    ['that is not said to be an access token', { token_type: undefined }],
    ['that is a refresh token', { token_type: 'refresh_token' }],
    ['that is a refresh token, as Keycloak says it', { typ: 'Refresh' }],
    ['that is an ID token', { typ: 'ID', token_type: undefined }],
    ['that is bound to a key', { cnf: { jkt: 'x' } }],
    ['of no client', { client_id: undefined }],
  ])('%s is refused', async (_, change) => {
    issuer.opaque.set('opaque', { ...good, ...change });
    await expect(verifier.verify('opaque', 'clinic')).rejects.toThrow(TokenRefused);
  });

  it('is not sent to an issuer that does not serve the partition, and a token of ours to none', async () => {
    await expect(verifier.verify('opaque', 'lab')).rejects.toThrow(TokenRefused);
    await expect(verifier.verify(`${tokenPrefix}${'a'.repeat(43)}`, 'clinic')).rejects.toThrow(TokenRefused);
    expect(asked()).toBe(0);
  });

  it('is refused where no issuer is asked about such', async () => {
    const { verify } = verifying([settingsOf(issuer)]);
    await expect(verify('opaque', 'clinic')).rejects.toThrow(TokenRefused);
    expect(issuer.asked).toEqual([]);
  });

  it('is 503 while its issuer fails, and where too many are asked about at a time', async () => {
    issuer.instead.set('/introspect', (_, response) => void response.writeHead(401).end());
    await expect(verifier.verify('opaque', 'clinic')).rejects.toThrow(FhirError);
    expect(verifier.notices).toEqual([expect.stringMatching(/answered 401\.$/)]);
    issuer.instead.clear();
    const { verify } = verifying([settingsOf(issuer, { introspection })], { limits: { introspections: 3 } });
    for (const name of ['a', 'b', 'c', 'd', 'e']) issuer.opaque.set(name, good);
    const results = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map(async name => verify(name, 'clinic')));
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    expect((await verify('d', 'clinic')).client).toBe('app');
  });

  it('has settings in the README that can be read', () => {
    const json = example('src/auth/README.md', 'Opaque tokens', 'json');
    const { issuers } = readConfig(['--config', 'settings.json'], {}, path =>
      path === 'settings.json' ? json : 'secret\n',
    );
    expect(issuers.map(one => one.introspection)).toEqual([{ client: 'clinical-records', secret: 'secret' }]);
  });
});
