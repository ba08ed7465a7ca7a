// Tokens are remembered by the verifier, not by connection: each request is decided by the token that it sends itself.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TokenVerifier } from '../../src/auth/claims.ts';
import { digestOf } from '../../src/auth/token/digest.ts';
import { issueToken, tokenCollection } from '../../src/auth/token/own-tokens.ts';
import { revocationCollection } from '../../src/auth/token/revocations.ts';
import { createTokenVerifier } from '../../src/auth/token/verifier.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

let real: TokenVerifier;
const verify: TokenVerifier = (token, partition) => real(token, partition);
const clock = { ahead: 0 };
let server: Served;
const bearer: Record<string, string> = {};
beforeAll(async () => {
  server = await serve([patient('p1'), patient('p2')], [], undefined, { verify });
  const { store } = server.running.engine;
  const publicUrl = server.running.url;
  const own = { tokens: store.documents(tokenCollection), revocations: store.documents(revocationCollection) };
  const now = () => Date.now() + clock.ahead;
  real = createTokenVerifier({ ...own, issuers: [], publicUrl, now, demo: false, notice: () => {} });
  const issued = Date.now();
  const shared = { client: 'app', audience: server.base, scope: 'patient/Patient.rs', issued };
  for (const id of ['p1', 'p2']) {
    const token = await issueToken(own.tokens, { ...shared, patient: id, expires: issued + 3_600_000 });
    bearer[id] = `Authorization: Bearer ${token}`;
  }
});
afterAll(() => server.close());

/** The statuses of reads of p1 that come over one connection, each with its own header. */
async function statuses(headers: readonly string[]): Promise<number[]> {
  const requests = headers.map((header, at) => {
    const last = at === headers.length - 1 ? 'Connection: close\r\n' : '';
    return `GET /r4/demo/Patient/p1 HTTP/1.1\r\nHost: localhost\r\n${header === '' ? '' : `${header}\r\n`}${last}\r\n`;
  });
  const answer = await server.raw(requests.join(''));
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

it('each request over one connection is decided by its own token', async () => {
  const { p1 = '', p2 = '' } = bearer;
  const wrong = 'Authorization: Bearer crs_unknown';
  expect(await statuses([p1, p1, p2, p1, '', p1, wrong, wrong, p1])).toEqual([
    200, 200, 404, 200, 401, 200, 401, 401, 200,
  ]);
  expect(await statuses([p2, p2, p1, `${p1}x`, p1.slice(0, -1), p1])).toEqual([404, 404, 200, 401, 401, 200]);
});

it('a token in two headers is refused over it too', async () => {
  const { p1 = '', p2 = '' } = bearer;
  expect(await statuses([p1, `${p1}\r\n${p2}`, p1])).toEqual([200, 400, 200]);
});

it('a token that is taken back is refused over it too, once it is asked for again', async () => {
  const { p2 = '' } = bearer;
  expect(await statuses([p2, p2])).toEqual([404, 404]);
  await server.running.engine.store.documents(tokenCollection).delete(digestOf(p2.slice(22)));
  clock.ahead = 11_000;
  expect(await statuses([p2, p2])).toEqual([401, 401]);
});
