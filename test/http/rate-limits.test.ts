// https://www.rfc-editor.org/rfc/rfc6585#section-4
// https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { authorizing } from '../smart/support/server.ts';
import { sharedClock } from '../support/processes/start.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';
import { testTokens } from '../support/tokens.ts';

const tokens = testTokens();
const scope = 'system/*.rs';

/** A server whose clock the test moves. */
async function serveHere(...flags: string[]): Promise<{ server: Served; clock: { now: number } }> {
  const clock = sharedClock(Date.now());
  const parts = { verify: tokens.verify, now: () => clock.now, clock: clock.file, isOneProcess: true };
  const server = await serve([patient('p1')], ['--trusted-proxies', '127.0.0.1', ...flags], undefined, parts);
  onTestFinished(() => server.close());
  return { server, clock };
}

/** The statuses of so many reads. */
async function reads(server: Served, count: number, headers: Record<string, string>): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < count; n++) statuses.push((await server.get('/Patient/p1', headers)).status);
  return statuses;
}

describe('the rate limit of an address', () => {
  it('is a page for a browser', async () => {
    const { server } = await serveHere('--rate-limit-address', '2');
    const browser = { Accept: 'text/html', 'X-Forwarded-For': '198.51.100.7' };
    const answers = [];
    for (let n = 0; n < 4; n++) answers.push(await server.get('//', browser));
    const [first, last] = [answers[0], answers.at(-1)];
    expect([first?.status, last?.status]).toEqual([200, 429]);
    expect(last?.headers).toMatchObject({ 'retry-after': '30', 'content-type': 'text/html; charset=utf-8' });
    expect(last?.text).toMatch(/<p lang="en">Too many requests of this address/);
  });
});

describe('the rate limit of a client', () => {
  it('answers 429 with an outcome and headers while its tokens are used up', async () => {
    const { server, clock } = await serveHere('--rate-limit-client', '20');
    const bearer = tokens.bearer({ scope, client: 'busy' });
    expect(new Set(await reads(server, 10, bearer))).toEqual(new Set([200]));
    const { status, headers, json } = await server.get('/Patient/p1', bearer);
    expect(status).toBe(429);
    expect(headers).toMatchObject({
      'retry-after': '3',
      'ratelimit-policy': '"client";q=10;w=30',
      ratelimit: '"client";r=0;t=3',
      'content-type': 'application/fhir+json; charset=utf-8',
    });
    expect(json.issue).toEqual([
      {
        severity: 'error',
        code: 'throttled',
        diagnostics: 'Too many requests of this client: wait 3 seconds, then send fewer, or cheaper searches.',
      },
    ]);
    clock.now += 2_999;
    expect(await reads(server, 1, bearer)).toEqual([429]);
    clock.now += 1;
    expect(await reads(server, 2, bearer)).toEqual([200, 429]);
  });

  it('says with a refusal what cheaper requests may still use', async () => {
    const { server } = await serveHere('--rate-limit-client', '20');
    const bearer = tokens.bearer({ scope, client: 'busy' });
    await reads(server, 5, bearer);
    const { status, headers } = await server.get('/Observation?patient.name=a', bearer);
    expect([status, headers.ratelimit]).toEqual([429, '"client";r=5;t=6']);
    expect(new Set(await reads(server, 5, bearer))).toEqual(new Set([200]));
  });

  it('is that of each client and user, whatever the token and the address', async () => {
    const { server } = await serveHere('--rate-limit-client', '4');
    const of = (claims: object) => tokens.bearer({ scope, ...claims });
    expect(await reads(server, 2, of({ client: 'a' }))).toEqual([200, 200]);
    const elsewhere = { ...of({ client: 'a' }), 'X-Forwarded-For': '203.0.113.9' };
    expect(await reads(server, 1, elsewhere)).toEqual([429]);
    expect(await reads(server, 1, of({ client: 'b' }))).toEqual([200]);
    expect(await reads(server, 1, of({ client: 'a', issuer: 'https://other.example' }))).toEqual([200]);
    expect(await reads(server, 1, of({ client: 'a', subject: 'user' }))).toEqual([200]);
  });

  it('charges searches more, and the entries of a batch what they cost alone', async () => {
    const created = join(import.meta.dirname, '../fixtures/created-types'); // which declares batches
    const { server } = await serveHere('--rate-limit-client', '40', '--definitions', created);
    const bearer = tokens.bearer({ scope, client: 'searching' });
    const left = async (): Promise<number> => (await reads(server, 25, bearer)).filter(status => status === 200).length;
    expect((await server.get('/Patient?name=a', bearer)).status).toBe(200);
    expect((await server.get('/Observation?patient.name=a', bearer)).status).toBeLessThan(500);
    expect(await left()).toBe(20 - 2 - 7);

    const other = tokens.bearer({ scope, client: 'batching' });
    const entry = (url: string): object => ({ request: { method: 'GET', url } });
    const urls = [...Array.from({ length: 10 }, () => 'Patient?name=a'), 'Patient/p1'];
    const body = JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry: urls.map(entry) });
    const headers = { ...other, 'Content-Type': 'application/fhir+json' };
    const { status, json } = await server.ask('POST', '', { headers, body });
    expect(status).toBe(200);
    const statuses = json.entry.map(({ response }: { response: { status: string } }) => response.status.slice(0, 3));
    expect(statuses.filter((one: string) => one === '200')).toHaveLength(10); // 1 for the batch, 9 searches, the read
    expect(statuses.filter((one: string) => one === '429')).toHaveLength(1);
  });

  it('does not exist with 0, and is never met by default', async () => {
    const { server } = await serveHere('--rate-limit-client', '0', '--rate-limit-address', '0');
    expect(new Set(await reads(server, 50, tokens.bearer({ scope, client: 'free' })))).toEqual(new Set([200]));
    const usual = await serveHere();
    const from = { ...tokens.bearer({ scope, client: 'usual' }), 'X-Forwarded-For': '203.0.113.7' };
    expect(new Set(await reads(usual.server, 50, from))).toEqual(new Set([200]));
  });
});

describe('the rate limit of an address', () => {
  it('comes before the token is verified, and is that of one address, or of a network of IPv6', async () => {
    const { server, clock } = await serveHere('--rate-limit-address', '20');
    const from = (address: string) => ({ 'X-Forwarded-For': address, Authorization: 'Bearer made-up' });
    expect(new Set(await reads(server, 10, from('203.0.113.1')))).toEqual(new Set([401]));
    const refused = await server.get('/Patient/p1', from('203.0.113.1'));
    expect(refused.status).toBe(429);
    expect(refused.headers).toMatchObject({ 'retry-after': '3', 'ratelimit-policy': '"address";q=10;w=30' });
    expect(await reads(server, 1, from('203.0.113.2'))).toEqual([401]);
    expect(new Set(await reads(server, 10, from('2001:db8::1')))).toEqual(new Set([401]));
    expect(await reads(server, 1, from('2001:db8::2'))).toEqual([429]);
    expect(await reads(server, 1, from('2001:db8:0:1::1'))).toEqual([401]);
    clock.now += 3_000;
    expect(await reads(server, 1, from('203.0.113.1'))).toEqual([401]);
  });

  it('leaves health checks, and connections of this machine, alone', async () => {
    const { server } = await serveHere('--rate-limit-address', '2');
    const from = { 'X-Forwarded-For': '203.0.113.1' };
    await reads(server, 1, from);
    expect(await reads(server, 1, from)).toEqual([429]);
    for (const path of ['//healthz', '//readyz']) expect((await server.get(path, from)).status).toBe(200);
    expect(new Set(await reads(server, 5, tokens.bearer({ scope })))).toEqual(new Set([200]));
  });

  it('holds for the authorization server, whose answer is that of OAuth', async () => {
    const server = await authorizing({ flags: ['--rate-limit-address', '2', '--trusted-proxies', '127.0.0.1'] });
    const ask = () =>
      fetch(`http://127.0.0.1:${server.running.port}/auth/jwks`, { headers: { 'X-Forwarded-For': '203.0.113.1' } });
    expect((await ask()).status).toBe(200);
    const refused = await ask();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
    expect(await refused.json()).toMatchObject({ error: 'temporarily_unavailable' });
    await server.close();
  });
});
