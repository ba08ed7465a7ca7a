// So many requests are worked on at a time; https://www.rfc-editor.org/rfc/rfc9110#section-15.6.4
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { post } from '../smart/support/flow.ts';
import { assertion } from '../smart/support/keys.ts';
import { authorizing } from '../smart/support/server.ts';
import { createLog } from '../../src/observability/log.ts';
import { media } from '../support/media.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Answer, Served } from '../support/serve.ts';
import { clinician, testTokens } from '../support/tokens.ts';

const tokens = testTokens();
const quick = tokens.bearer({ scope: 'system/*.rs' });
const held = tokens.bearer({ scope: 'system/*.rs' });

let gate = Promise.withResolvers<void>();
let waiting = 0;
afterEach(() => gate.resolve());

/** A server whose requests with the header `held` are worked on until the gate opens. */
async function serveHere(...flags: string[]): Promise<{ server: Served; notices: string[] }> {
  gate = Promise.withResolvers();
  waiting = 0;
  const notices: string[] = [];
  const log = { ...createLog('off'), notice: (text: string) => void notices.push(text) };
  const verify = async (token: string, partition: string) => {
    if (held.Authorization.endsWith(token)) {
      waiting += 1;
      await gate.promise;
      waiting -= 1;
    }
    return tokens.verify(token, partition);
  };
  const server = await serve([patient('p1')], flags, log, { verify, isOneProcess: true });
  onTestFinished(() => server.close());
  return { server, notices };
}

/** Requests that are being worked on, all of them, when it resolves. */
async function hold(server: Served, count: number, more = {}): Promise<readonly Promise<Answer>[]> {
  const before = waiting;
  const answers = Array.from({ length: count }, () => server.get('/Patient/p1', { ...held, ...more }));
  await expect.poll(() => waiting - before).toBe(count);
  return answers;
}

const statuses = async (answers: Iterable<Promise<Answer>>): Promise<readonly number[]> =>
  (await Promise.all(answers)).map(({ status }) => status);

const from = (address: string) => ({ 'X-Forwarded-For': address });

describe('a server with as many requests as it works on', () => {
  it('answers further ones with 503 at once, probes as ever, and all others when they are done', async () => {
    const { server, notices } = await serveHere('--max-requests', '3');
    const answers = await hold(server, 3);
    for (const path of ['/Patient/p1', '/Patient?_id=p1', '/metadata', '/.well-known/smart-configuration']) {
      const { status, headers, json } = await server.get(path, quick);
      expect([status, headers['retry-after'], json.issue[0].code]).toEqual([503, '1', 'throttled']);
    }
    for (const path of ['/Patient/p1', '//', '//explorer/none', '//nothing']) {
      const { status, headers, text } = await server.get(path, { Accept: 'text/html' });
      expect([path, status, headers['retry-after'], headers['content-type']]).toEqual([
        path,
        503,
        '1',
        'text/html; charset=utf-8',
      ]);
      expect(text).toContain('<h1>');
    }
    for (const path of ['//healthz', '//readyz']) expect((await server.get(path)).status).toBe(200);
    expect((await server.get('//nothing')).status).toBe(404);
    gate.resolve();
    expect(await statuses(answers)).toEqual([200, 200, 200]);
    expect((await server.get('/Patient/p1', quick)).status).toBe(200);
    const full = notices.filter(text => text.includes('max-requests'));
    expect(full).toEqual(['Too many requests are running (3 by `max-requests`): further ones are answered 503.']);
  });

  it('stores what it answers with 201, and nothing of what it answers with 503', async () => {
    const { server } = await serveHere('--max-requests', '8');
    const writer = tokens.bearer({ ...clinician, scope: 'user/Media.c user/Patient.rs' });
    const headers = { ...writer, 'Content-Type': 'application/fhir+json' };
    const body = JSON.stringify(media({ subject: { reference: 'Patient/p1' } }));
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => server.ask('POST', '/Media', { headers, body })),
    );
    const created = answers.filter(({ status }) => status === 201);
    const refused = answers.filter(({ status }) => status === 503);
    expect(created.length).toBeGreaterThan(0);
    expect(created.length + refused.length).toBe(100);
    expect(refused.map(answer => answer.headers['retry-after'])).toEqual(refused.map(() => '1'));
    expect(await server.partition.count('Media')).toBe(created.length);
  });

  it('counts neither what it refused, nor what failed, nor what the client gave up', async () => {
    const { server } = await serveHere('--max-requests', '2');
    for (const path of ['/Patient/none', '/Patient?nothing=1', '/Unknown/1', '//nothing'])
      for (let round = 0; round < 3; round++) expect((await server.get(path, quick)).status).not.toBe(503);
    const [gone] = await hold(server, 1);
    const socket = connect({ port: server.running.port, host: '127.0.0.1' });
    socket.write(`GET /r4/demo/Patient/p1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${held.Authorization}\r\n\r\n`);
    await expect.poll(() => waiting).toBe(2);
    socket.destroy();
    expect((await server.get('/Patient/p1', quick)).status).toBe(503); // it is still worked on
    gate.resolve();
    await gone;
    await expect.poll(() => waiting).toBe(0);
    // Other processes of a server get to know a moment later that places are free.
    const two = () => statuses([server.get('/Patient/p1', quick), server.get('/Patient/p1', quick)]);
    await expect.poll(two).toEqual([200, 200]);
  });

  it('keeps the last quarter for clients that have less than a quarter of it', async () => {
    const { server } = await serveHere('--max-requests', '8', '--trusted-proxies', '127.0.0.1');
    const [one, other] = [from('203.0.113.1'), from('203.0.113.2')];
    const answers = [...(await hold(server, 6, one))];
    expect((await server.get('/Patient/p1', { ...quick, ...one })).status).toBe(503);
    expect((await server.get('/Patient/p1', { ...quick, ...other })).status).toBe(200);
    answers.push(...(await hold(server, 2, other)));
    expect((await server.get('/Patient/p1', { ...quick, ...from('203.0.113.3') })).status).toBe(503);
    gate.resolve();
    expect(await statuses(answers)).toEqual(Array(8).fill(200));
  });
});

describe('a body that comes slowly', () => {
  /** Has sent the head of a search, and got 100 Continue. */
  async function begin(server: Served): Promise<{ socket: Socket; answer: Promise<string> }> {
    const socket = connect({ port: server.running.port, host: '127.0.0.1' });
    onTestFinished(() => void socket.destroy());
    let text = '';
    socket.setEncoding('utf8').on('data', chunk => (text += String(chunk)));
    const answer = new Promise<string>(resolve => socket.on('close', () => resolve(text)));
    const head = [
      'POST /r4/demo/Patient/_search HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: 100-continue',
      `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 6\r\nAuthorization: ${quick.Authorization}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    await expect.poll(() => text).toContain('100 Continue');
    return { socket, answer };
  }

  it('blocks no other request, and takes its place when it has arrived', async () => {
    const { server } = await serveHere('--max-requests', '2');
    const slow = [await begin(server), await begin(server), await begin(server)];
    expect((await server.get('/Patient/p1', quick)).status).toBe(200);
    for (const { socket, answer } of slow) {
      socket.write('_id=p1');
      expect(await answer).toContain('HTTP/1.1 200 OK');
    }
  });

  it('is answered 503 where there is no place when it is there', async () => {
    const { server } = await serveHere('--max-requests', '2');
    const { socket, answer } = await begin(server);
    const others = await hold(server, 2);
    socket.write('_id=p1');
    expect(await answer).toMatch(/HTTP\/1\.1 503 [^]*"throttled"/);
    gate.resolve();
    expect(await statuses(others)).toEqual([200, 200]);
  });
});

describe('the authorization server', () => {
  it('answers clients and browsers in their own formats when there is no place', async () => {
    const asked = Promise.withResolvers<void>();
    const keys = createServer((_request, response) => {
      asked.resolve();
      void gate.promise.then(() => response.end('{"keys":[]}'));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void keys.close());
    await new Promise(resolve => keys.once('listening', resolve));
    const server = await authorizing({ demo: true, flags: ['--max-requests', '1'] });
    onTestFinished(() => server.close());
    const jwksUrl = `http://127.0.0.1:${(keys.address() as AddressInfo).port}/keys`;
    const client = { id: 'slow-keys', kind: 'asymmetric', flows: ['backend'], redirectUris: [] } as const;
    await server.addClient({ ...client, scopes: ['system/*.cruds'], jwksUrl });
    gate = Promise.withResolvers();
    const form = {
      grant_type: 'client_credentials',
      scope: 'system/Patient.rs',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await assertion(server.key, client.id, `${server.issuer}/token`, server.clock.now),
    };
    const first = post(server, '/token', form);
    await asked.promise; // it is being worked on

    const second = await post(server, '/token', form);
    expect([second.status, second.json.error, second.headers['retry-after']]).toEqual([
      503,
      'temporarily_unavailable',
      '1',
    ]);
    const page = await fetch(`${server.issuer}/launcher`);
    expect([page.status, page.headers.get('content-type')]).toEqual([503, expect.stringContaining('text/html')]);
    expect(page.headers.get('retry-after')).toBe('1');

    gate.resolve();
    expect((await first).status).toBe(401); // none of the keys is its own
    const launcher = async () => (await fetch(`${server.issuer}/launcher`)).status;
    await expect.poll(launcher).toBe(200); // other processes get to know a moment later
  });
});
