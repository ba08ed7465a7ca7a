// What an issuer, or an impostor, may not do while its documents are fetched.
import type { RequestListener } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FhirError } from '../../../src/fhir/error.ts';
import { json, startIssuer } from './support/issuer.ts';
import type { TestIssuer } from './support/issuer.ts';
import { baseOf, settingsOf, verifying } from './support/verifier.ts';
import type { Verifying } from './support/verifier.ts';

let issuer: TestIssuer;
let inside: TestIssuer;
beforeAll(async () => {
  [issuer, inside] = await Promise.all([startIssuer(), startIssuer('', { plain: true })]);
});
afterAll(() => Promise.all([issuer.close(), inside.close()]));
beforeEach(() => {
  issuer.asked.length = 0;
  inside.asked.length = 0;
});
afterEach(() => issuer.instead.clear());

const claims = { aud: baseOf('clinic'), client_id: 'app', scope: 'system/*.rs' };

/** A valid token arrives and the issuer is not available: 503, and the reason is logged. */
async function unavailable({ verify, notices }: Verifying, from: TestIssuer = issuer): Promise<string> {
  const verified = Promise.resolve(verify(await from.sign(claims), 'clinic'));
  const error = await verified.catch((error: unknown) => error);
  expect(error).toBeInstanceOf(FhirError);
  const { status, issues, headers } = error as FhirError;
  expect([status, issues.map(({ code }) => code), headers['Retry-After']]).toEqual([503, ['transient'], '5']);
  expect(notices).toHaveLength(1);
  return notices[0] ?? '';
}

const large: RequestListener = (_, response) => {
  const key = { kty: 'RSA', kid: 'x', n: 'A'.repeat(70_000), e: 'AQAB' };
  json(response, { keys: [key] });
};
const endless: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const more = (): void => {
    while (!response.destroyed && response.write(' '.repeat(16_384)));
  };
  response.on('drain', more);
  more();
};
const slow: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const drip = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(drip));
};
const silent: RequestListener = () => {};
const redirecting: RequestListener = (_, response) => {
  response.writeHead(302, { location: `${inside.url}/keys` }).end();
};
const failing: RequestListener = (_, response) => void response.writeHead(500).end();
const noJson: RequestListener = (_, response) => void response.writeHead(200).end('<html>');

describe.each(['/keys', '/.well-known/openid-configuration'])('%s', path => {
  it.each<[title: string, instead: RequestListener, notice: RegExp, time?: number]>([
    ['too large', large, /answered more than 65536 bytes\.$/],
    ['endless', endless, /answered more than 65536 bytes\.$/],
    ['slow', slow, /did not answer within 200 ms\.$/, 200],
    ['silent', silent, /did not answer within 200 ms\.$/, 200],
    ['redirecting', redirecting, /answered 302\.$/],
    ['failing', failing, /answered 500\.$/],
    ['no JSON', noJson, /content-type|is not JSON\.$/i],
  ])('that is %s is refused', async (_, instead, notice, time = 20_000) => {
    issuer.instead.set(path, instead);
    expect(await unavailable(verifying([settingsOf(issuer)], { limits: { time } }))).toMatch(notice);
    expect(inside.asked).toEqual([]);
  });
});

describe('an issuer', () => {
  it.each<[title: string, change: () => Record<string, string>, notice: RegExp]>([
    ['a host inside', () => ({ jwks_uri: 'https://10.0.0.1/keys' }), /has an address that is not allowed/],
    [
      'a host inside, spelt as a number',
      () => ({ jwks_uri: 'https://0xa000001/keys' }),
      /has an address that is not allowed/,
    ],
    [
      'the secrets of a cloud',
      () => ({ jwks_uri: 'https://169.254.169.254/latest' }),
      /has an address that is not allowed/,
    ],
    [
      'the same, spelt as IPv6',
      () => ({ jwks_uri: 'https://[::ffff:169.254.169.254]/' }),
      /has an address that is not allowed/,
    ],
    ['plain http elsewhere', () => ({ jwks_uri: 'http://issuer.example/keys' }), /over https only/],
    ['a file', () => ({ jwks_uri: 'file:///etc/passwd' }), /over https only/],
    ['no keys', () => ({ jwks_uri: '' }), /URL|keys/],
    ['another issuer', () => ({ issuer: 'https://evil.example' }), /issuer/],
  ])('whose discovery document names %s is refused', async (_, change, notice) => {
    inside.instead.set('/.well-known/openid-configuration', (_, response) =>
      json(response, { issuer: inside.url, jwks_uri: `${inside.url}/keys`, ...change() }),
    );
    const settings = settingsOf(inside, { privateAddresses: false });
    expect(await unavailable(verifying([settings], { demo: true }), inside)).toMatch(notice);
    inside.instead.clear();
  });

  it('that is private may name neither the secrets of a cloud nor plain http on this machine', async () => {
    for (const keysUrl of ['https://169.254.169.254/latest', 'https://[fe80::1]/keys', `${inside.url}/keys`]) {
      issuer.instead.set('/.well-known/openid-configuration', (_, response) =>
        json(response, { issuer: issuer.url, jwks_uri: keysUrl }),
      );
      expect(await unavailable(verifying([settingsOf(issuer)]))).toMatch(/not allowed|over https only/);
      if (keysUrl.startsWith('http:')) continue; // which settings cannot say
      expect(await unavailable(verifying([settingsOf(issuer, { keysUrl })]))).toMatch(
        /has an address that is not allowed/,
      );
    }
    expect(inside.asked).toEqual([]);
  });

  it('on a private network is not asked, unless its settings allow it', async () => {
    const notice = await unavailable(verifying([settingsOf(issuer, { privateAddresses: false })]));
    expect(notice).toMatch(/has an address that is not allowed\.$/);
    expect(issuer.asked).toEqual([]);
  });

  it('whose name leads inside is not asked: what counts is the address, not the name', async () => {
    const named = { ...issuer, url: issuer.url.replace('127.0.0.1', 'localhost') } as TestIssuer;
    const settings = settingsOf(issuer, { issuer: named.url, privateAddresses: false });
    const { verify, notices } = verifying([settings]);
    await expect(verify(await issuer.sign({ ...claims, iss: named.url }), 'clinic')).rejects.toThrow(FhirError);
    expect(notices).toEqual([expect.stringMatching(/localhost:\d+ has an address that is not allowed\.$/)]);
    expect(issuer.asked).toEqual([]);
  });

  it('whose certificate is not to be trusted is not believed', async () => {
    const notice = await unavailable(verifying([settingsOf(issuer, { authorities: undefined })]));
    expect(notice).toMatch(/certificate/);
    expect(issuer.asked).toEqual([]);
  });

  it('over plain http is for a demonstration on this machine alone', async () => {
    const settings = settingsOf(inside, { privateAddresses: false });
    expect(() => verifying([settings])).toThrow(/must have an https URL/);
    expect(() => verifying([{ ...settings, issuer: 'http://issuer.example' }], { demo: true })).toThrow(/https URL/);
    const { verify } = verifying([settings], { demo: true });
    expect((await verify(await inside.sign(claims), 'clinic')).client).toBe('app');
  });

  it('with a plain http URL for its keys prevents the start, also of a public demonstration', async () => {
    const keysUrl = `${inside.url}/keys`;
    for (const [change, demo] of [
      [{}, false],
      [{ issuer: 'https://issuer.example' }, true],
      [{ issuer: inside.url, keysUrl: 'http://issuer.example/keys' }, true],
    ] as const) {
      const settings = { ...settingsOf(issuer, { keysUrl }), ...change };
      expect(() => verifying([settings], { demo })).toThrow(/^The keys `http:[^`]+` must have an https URL/);
    }
    const { verify } = verifying([settingsOf(inside, { keysUrl })], { demo: true });
    expect((await verify(await inside.sign(claims), 'clinic')).client).toBe('app');
  });

  it('that fails is not asked again at once, and then is', async () => {
    issuer.instead.set('/keys', failing);
    const verifier = verifying([settingsOf(issuer)]);
    await unavailable(verifier);
    const asked = issuer.asked.length;
    await unavailable(verifier);
    expect(issuer.asked).toHaveLength(asked);
    verifier.clock.now += 4_000;
    await unavailable(verifier); // it is logged once
    issuer.instead.clear();
    verifier.clock.now += 5_001;
    expect((await verifier.verify(await issuer.sign(claims), 'clinic')).client).toBe('app');
  });

  it('is asked without discovery where the settings say where its keys are', async () => {
    const { verify } = verifying([settingsOf(issuer, { keysUrl: `${issuer.url}/keys` })]);
    await verify(await issuer.sign(claims), 'clinic');
    expect(issuer.asked).toEqual(['/keys']);
  });
});
