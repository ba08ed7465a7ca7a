// How `cli conformance` sends its requests: its rate, postponed requests, and tokens of a backend service.
// https://hl7.org/fhir/smart-app-launch/STU2.2/backend-services.html
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLocalJWKSet, exportJWK, jwtVerify } from 'jose';
import { afterEach, expect, it } from 'vitest';
import { signAssertion } from '../../src/cli/private-key.ts';
import { backendTokens } from '../../src/conformance/backend-token.ts';
import { createClient, curlOf, pauseOf } from '../../src/conformance/client.ts';
import { freePort } from '../support/free-port.ts';

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach(close => close()));

/** Another server. */
async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
}

const noToken = (): Promise<undefined> => Promise.resolve(undefined);

it('at most so many requests are sent in a second', async () => {
  const base = await listen((_, response) => response.end('{}'));
  const client = createClient({ base, rate: 50, token: noToken });
  const started = performance.now();
  for (let at = 0; at < 6; at += 1) await client.get('Patient');
  expect(performance.now() - started).toBeGreaterThan(90);
});

it('a postponed request is sent again after its Retry-After', async () => {
  let asked = 0;
  const base = await listen((_, response) => {
    asked += 1;
    response.writeHead(asked < 3 ? 429 : 200, { 'Retry-After': '0' }).end('{}');
  });
  const { status } = await createClient({ base, rate: 1e6, token: noToken }).get('Patient');
  expect([status, asked]).toEqual([200, 3]);
});

it.each([
  ['2', 1, 2_000],
  ['0', 1, 0],
  ['Thu, 01 Jan 1970 00:00:10 GMT', 1, 9_000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 1, 0],
  ['86400', 1, 300_000],
  [null, 1, 1_000],
  [null, 3, 4_000],
])('Retry-After: %s at try %i is a pause of %i ms', (header, tries, pause) => {
  expect(pauseOf(header, tries, 1_000)).toBe(pause);
});

it('a token goes to the tested server only, and is in no report', async () => {
  const seen: (string | undefined)[] = [];
  const record = (request: IncomingMessage, response: ServerResponse): void => {
    seen.push(request.headers.authorization);
    response.end('{}');
  };
  const [base, other] = [await listen(record), await listen(record)];
  const client = createClient({ base, rate: 1e6, token: () => Promise.resolve('secret-token') });
  const exchange = await client.get('Patient');
  await client.get(`${other}/Patient`);
  expect(seen).toEqual(['Bearer secret-token', undefined]);
  expect(JSON.stringify(exchange)).not.toContain('secret-token');
  expect(curlOf(exchange, true)).toContain('-H "Authorization: Bearer $TOKEN"');
});

it('no answer is an exchange with the reason', async () => {
  const client = createClient({ base: `http://127.0.0.1:${await freePort()}`, rate: 1e6, token: noToken });
  expect(await client.get('Patient')).toMatchObject({ status: 0, failure: expect.stringContaining('ECONNREFUSED') });
});

it('a backend service gets a token with a signed assertion, and another before it expires', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES384' }] });
  const scopes: (string | null)[] = [];
  let issued = 0;
  const base = await listen((request, response) => {
    if (request.url?.endsWith('smart-configuration') === true) {
      response.end(JSON.stringify({ token_endpoint: `${base}/token` }));
      return;
    }
    request.setEncoding('utf8').on('data', (text: string) => {
      const form = new URLSearchParams(text);
      scopes.push(form.get('scope'));
      const check = { audience: `${base}/token`, issuer: 'me', subject: 'me' };
      void jwtVerify(form.get('client_assertion') ?? '', keys, check).then(
        () => response.end(JSON.stringify({ access_token: `t${(issued += 1)}`, expires_in: issued === 1 ? 0 : 300 })),
        (error: unknown) => response.writeHead(400).end(JSON.stringify({ error: String(error) })),
      );
    });
  });
  const assertion = (audience: string): string => signAssertion('me', audience, privateKey, 'k1');
  const token = backendTokens({ base, scope: 'system/*.rs', assertion });
  expect([await token(), await token(), await token()]).toEqual(['t1', 't2', 't2']);
  expect(scopes).toEqual(['system/*.rs', 'system/*.rs']);
});

it('a refused token is an error with the reason of the server', async () => {
  const base = await listen((request, response) => {
    const isMetadata = request.url?.endsWith('smart-configuration') === true;
    if (isMetadata) response.end(JSON.stringify({ token_endpoint: `${base}/token` }));
    else response.writeHead(401).end('{"error":"invalid_client"}');
  });
  await expect(backendTokens({ base, scope: 'system/*.rs', assertion: () => 'x' })()).rejects.toThrow(
    /answered 401: invalid_client/,
  );
});
