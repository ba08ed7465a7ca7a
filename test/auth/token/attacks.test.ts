// Tokens that must not be accepted. https://www.rfc-editor.org/rfc/rfc8725,
// https://www.rfc-editor.org/rfc/rfc9068#section-4
import { createHmac, createPublicKey } from 'node:crypto';
import { exportSPKI, importJWK } from 'jose';
import type { JWTHeaderParameters, JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TokenRefused } from '../../../src/auth/claims.ts';
import { json, makeKey, sign, startIssuer } from './support/issuer.ts';
import type { Key, TestIssuer } from './support/issuer.ts';
import { baseOf, settingsOf, verifying } from './support/verifier.ts';
import type { Verifying } from './support/verifier.ts';

let issuer: TestIssuer;
let other: TestIssuer;
let foreign: TestIssuer;
let verifier: Verifying;
let claims: JWTPayload;
beforeAll(async () => {
  [issuer, other, foreign] = await Promise.all([startIssuer(), startIssuer('/other'), startIssuer('/foreign')]);
  issuer.keys.push(await makeKey('ES256'), await makeKey('RS384'), await makeKey('PS256'), await makeKey('ES384'));
  verifier = verifying([settingsOf(issuer), settingsOf(other, { partitions: ['clinic', 'lab'] })]);
  claims = {
    aud: baseOf('clinic'),
    sub: 'user-1',
    client_id: 'app',
    scope: 'user/Patient.rs openid',
    fhirUser: 'Practitioner/1',
  };
});
afterAll(() => Promise.all([issuer, other, foreign].map(one => one.close())));

const key = (alg: string): Key => issuer.keys.find(key => key.alg === alg) as Key;
const now = (): number => Math.floor(Date.now() / 1000);
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

async function refused(token: string, partition = 'clinic'): Promise<string> {
  const error = await Promise.resolve(verifier.verify(token, partition)).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(TokenRefused);
  const { message } = error as TokenRefused;
  expect(message).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+\.$/); // what error_description may hold
  return message;
}

describe('a JWT of an external issuer', () => {
  it.each(['RS256', 'RS384', 'PS256', 'ES256', 'ES384'])('signed with %s is accepted', async alg => {
    const token = await issuer.sign(claims, {}, key(alg));
    expect(await verifier.verify(token, 'clinic')).toEqual({
      issuer: issuer.url,
      client: 'app',
      subject: 'user-1',
      scope: 'user/Patient.rs openid',
      patient: undefined,
      fhirUser: 'Practitioner/1',
      partition: 'clinic',
      expires: expect.any(Number),
    });
  });

  it.each<[title: string, message: RegExp, claims: () => JWTPayload, header?: Partial<JWTHeaderParameters>]>([
    ['expired', /has expired/, () => ({ exp: now() - 31 })],
    ['without an expiry', /claim .* missing/, () => ({ exp: undefined as never })],
    ['not valid yet', /not valid yet/, () => ({ nbf: now() + 60 })],
    ['issued in the future', /not valid yet/, () => ({ iat: now() + 60 })],
    ['for another audience', /another audience/, () => ({ aud: 'https://other.example/r4/clinic' })],
    ['for no audience', /another audience/, () => ({ aud: undefined as never })],
    ['for a partition that the issuer does not serve', /another audience/, () => ({ aud: baseOf('lab') })],
    ['for the address with a slash', /another audience/, () => ({ aud: `${baseOf('clinic')}/` })],
    ['of an unknown issuer', /is not configured/, () => ({ iss: 'https://evil.example' })],
    ['of no issuer', /is not configured/, () => ({ iss: undefined as never })],
    ['of an issuer that differs by a slash', /is not configured/, () => ({ iss: `${issuer.url}/` })],
    ['of no client', /names no client/, () => ({ client_id: undefined })],
    ['with a typ that is not accepted', /typ/, () => ({}), { typ: 'JWT' }],
    ['without typ', /typ/, () => ({}), { typ: undefined as never }],
    ['that is an ID token by its hash', /not an access token/, () => ({ at_hash: 'x' })],
    ['that is an ID token by its audience', /its own client/, () => ({ client_id: baseOf('clinic') })],
    ['that is a refresh token', /not an access token/, () => ({ typ: 'Refresh' })],
    ['that is a logout token', /not an access token/, () => ({ events: {} })],
    ['bound to a key', /bound to a key/, () => ({ cnf: { jkt: 'x' } })],
    ['whose patient is no id', /patient .* not an id/, () => ({ patient: 'Patient/p1' })],
    ['with two patients', /claim patient/, () => ({ patient: ['p1', 'p2'] })],
    ['whose scope is no text', /cannot be read/, () => ({ scope: { a: 1 } })],
    ['with a critical extension', /algorithm/, () => ({}), { crit: ['x'], x: 1 }],
  ])('%s is refused', async (_, message, change, header) => {
    const token = await issuer.sign({ ...claims, ...change() }, header?.['crit'] === undefined ? header : {});
    const [, ...rest] = token.split('.');
    const crit = header?.['crit'] === undefined ? token : [encode({ alg: 'RS256', ...header }), ...rest].join('.');
    expect(await refused(crit)).toMatch(message);
  });

  it('without a `typ` is rejected if its client is among its audiences, as in an ID token', async () => {
    const { verify } = verifying([settingsOf(issuer, { types: ['jwt', 'none', 'at+jwt'] })]);
    const of = async (typ: string | undefined, more: JWTPayload): Promise<string> => {
      const token = await issuer.sign({ ...claims, aud: [baseOf('clinic'), 'app'], ...more }, { typ: typ as never });
      return Promise.resolve(verify(token, 'clinic')).then(
        ({ client }) => client,
        (error: unknown) => (error as Error).message,
      );
    };
    for (const typ of ['JWT', undefined]) {
      expect(await of(typ, {})).toMatch(/its own client/);
      expect(await of(typ, { typ: 'Bearer' })).toBe('app');
    }
    expect(await of('at+jwt', {})).toBe('app');
  });

  it('counts as expired or valid within the clock skew', async () => {
    for (const change of [{ exp: now() - 20 }, { nbf: now() + 20 }, { iat: now() + 20 }]) {
      const { expires } = await verifier.verify(await issuer.sign({ ...claims, ...change }), 'clinic');
      expect(expires).toBeGreaterThan(Date.now()); // by which the guard goes
    }
  });

  it('is refused once it expires, also where it was accepted before', async () => {
    const { verify, clock } = verifying([settingsOf(issuer)]);
    const token = await issuer.sign({ ...claims, exp: now() + 60 });
    await verify(token, 'clinic');
    clock.now += 89_000;
    await verify(token, 'clinic');
    clock.now += 3_000;
    await expect(verify(token, 'clinic')).rejects.toThrow('has expired');
  });

  it('for one partition is refused in another, also where it was accepted before', async () => {
    const token = await other.sign({ ...claims, aud: baseOf('lab') });
    await verifier.verify(token, 'lab');
    expect(await refused(token, 'clinic')).toMatch(/another partition/);
    expect(await refused(token, 'LAB')).toMatch(/another partition/);
  });

  it('for two partitions is refused in both', async () => {
    const token = await other.sign({ ...claims, aud: [baseOf('lab'), baseOf('clinic')] });
    expect(await refused(token, 'lab')).toMatch(/no partition, or several/);
    expect(await refused(token, 'clinic')).toMatch(/no partition, or several/);
  });

  it('that was altered, or signed by another key, is refused', async () => {
    const token = await issuer.sign(claims);
    const [header = '', payload = '', signature = ''] = token.split('.');
    const wider = encode({ ...claims, iss: issuer.url, exp: now() + 300, scope: 'system/*.rs' });
    expect(await refused(`${header}.${wider}.${signature}`)).toMatch(/not signed by a key/);
    expect(await refused(`${header}.${payload}.`)).toMatch(/not signed|cannot be read/);
    const stranger = await makeKey('RS256', key('RS256').kid); // says to be the issuer's key
    expect(await refused(await issuer.sign(claims, {}, stranger))).toMatch(/not signed by a key/);
    expect(await refused(await issuer.sign(claims, {}, await makeKey('RS256')))).toMatch(/not signed by a key/);
  });

  it('signed by another issuer that is trusted too is refused', async () => {
    const [theirs] = other.keys as [Key];
    expect(await refused(await issuer.sign(claims, {}, theirs))).toMatch(/not signed by a key/); // kid of the other
    expect(await refused(await issuer.sign(claims, {}, { ...theirs, kid: key('RS256').kid }))).toMatch(/not signed/);
  });

  it('that contains or names its own key is refused, and the key is not fetched', async () => {
    const [theirs] = foreign.keys as [Key];
    const spki = createPublicKey({ key: theirs.open, format: 'jwk' });
    const x5c = [spki.export({ type: 'spki', format: 'der' }).toString('base64')];
    const before = foreign.asked.length;
    for (const header of [
      { jwk: theirs.open },
      { jku: `${foreign.url}/keys` },
      { x5u: `${foreign.url}/keys` },
      { x5c },
      { kid: `${foreign.url}/keys` },
    ]) {
      for (const kid of [theirs.kid, key('RS256').kid]) {
        const message = await refused(await issuer.sign(claims, { kid, ...header }, theirs));
        expect(message).toMatch(/not signed by a key/);
      }
    }
    expect(foreign.asked).toHaveLength(before);
  });

  it('without signature is refused, however it is written', async () => {
    for (const alg of ['none', 'None', 'NONE', 'nOnE', '']) {
      const payload = encode({ ...claims, iss: issuer.url, exp: now() + 300 });
      const token = `${encode({ alg, typ: 'at+jwt', kid: key('RS256').kid })}.${payload}.`;
      expect(await refused(token)).toMatch(/algorithm|cannot be read/);
    }
  });

  it('signed by HMAC with what is public of a key is refused', async () => {
    const { open, kid } = key('RS256');
    const spki = await exportSPKI((await importJWK(open, 'RS256')) as CryptoKey);
    for (const secret of [spki, spki.trim(), JSON.stringify(open), String(open.n), kid]) {
      for (const [alg, hash] of [
        ['HS256', 'sha256'],
        ['HS384', 'sha384'],
        ['HS512', 'sha512'],
      ] as const) {
        const head = encode({ alg, typ: 'at+jwt', kid });
        const body = encode({ ...claims, iss: issuer.url, exp: now() + 300 });
        const signature = createHmac(hash, secret).update(`${head}.${body}`).digest('base64url');
        expect(await refused(`${head}.${body}.${signature}`)).toMatch(/algorithm/);
      }
    }
  });

  it('signed by an algorithm that is not accepted is refused, though the key is there', async () => {
    for (const alg of ['RS512', 'PS512', 'ES512', 'EdDSA']) {
      const theirs = await makeKey(alg);
      issuer.keys.push(theirs);
      expect(await refused(await issuer.sign(claims, {}, theirs))).toMatch(/algorithm/);
    }
    // The key of one algorithm under the name of another.
    const swapped = await sign({ ...claims, iss: issuer.url }, { kid: key('ES256').kid }, key('RS256'));
    expect(await refused(swapped)).toMatch(/not signed by a key/);
  });

  it.each([
    ['nothing', ''],
    ['two parts', 'a.b'],
    ['five parts', 'a.b.c.d.e'],
    ['parts that are no JSON', 'a.b.c'],
    [
      'parts that are null',
      `${Buffer.from('null').toString('base64url')}.${Buffer.from('null').toString('base64url')}.c`,
    ],
    ['spaces', 'a b'],
    ['a line break', 'a\r\nX-Y: z'],
    ['quotes', '"a"'],
    ['100 KB', 'a'.repeat(100_000)],
  ])('that is %s is refused', async (_, token) => {
    expect(await refused(token)).toMatch(/cannot be read|is unknown|not known here/);
  });

  it('that says to be another issuer in a claim that is given twice is refused', async () => {
    const [header] = (await issuer.sign(claims)).split('.');
    const body = Buffer.from(`{"iss":"${issuer.url}","iss":"${other.url}","aud":"${baseOf('clinic')}"}`);
    expect(await refused(`${header}.${body.toString('base64url')}.x`)).toMatch(/not signed by a key/);
  });
});

describe('keys', () => {
  it('are fetched once for many tokens, and again where one is not known', async () => {
    const rotating = await startIssuer('/rotating');
    const { verify } = verifying([settingsOf(rotating)], { limits: { betweenKeys: 0 } });
    const old = await rotating.sign(claims);
    await Promise.all([old, await rotating.sign({ ...claims, jti: '2' })].map(async token => verify(token, 'clinic')));
    expect(rotating.asked).toEqual(['/rotating/.well-known/openid-configuration', '/rotating/keys']);
    const left = await rotating.sign({ ...claims, jti: '3' });
    rotating.keys = [await makeKey('ES384')];
    expect((await verify(await rotating.sign(claims), 'clinic')).client).toBe('app');
    expect(rotating.asked).toHaveLength(3);
    await expect(verify(left, 'clinic')).rejects.toThrow('not signed by a key'); // its key is no more
    await rotating.close();
  });

  it('that are not known do not make them be fetched again and again', async () => {
    const calm = await startIssuer('/calm');
    const { verify } = verifying([settingsOf(calm)]);
    await verify(await calm.sign(claims), 'clinic');
    for (let n = 0; n < 20; n++) {
      const token = await calm.sign(claims, { kid: `random-${n}` }, await makeKey('ES256'));
      await expect(verify(token, 'clinic')).rejects.toThrow('not signed by a key');
    }
    expect(calm.asked).toHaveLength(2);
    await calm.close();
  });

  it('that are symmetric count for nothing', async () => {
    const secret = Buffer.alloc(32, 7);
    issuer.instead.set('/keys', (_, response) =>
      json(response, { keys: [{ kty: 'oct', kid: 'o', alg: 'HS256', k: secret.toString('base64url') }] }),
    );
    const { verify } = verifying([settingsOf(issuer)]);
    const head = encode({ alg: 'HS256', typ: 'at+jwt', kid: 'o' });
    const body = encode({ ...claims, iss: issuer.url, exp: now() + 300 });
    const signature = createHmac('sha256', secret).update(`${head}.${body}`).digest('base64url');
    await expect(verify(`${head}.${body}.${signature}`, 'clinic')).rejects.toThrow('algorithm');
    issuer.instead.delete('/keys');
  });
});
