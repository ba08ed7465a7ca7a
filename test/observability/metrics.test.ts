// https://prometheus.io/docs/instrumenting/exposition_formats/
import { request } from 'node:http';
import { connect } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { indexBacklog } from '../../src/engine/parts/observe.ts';
import { openMetricsPort } from '../../src/http/metrics-port.ts';
import { createMetrics } from '../../src/observability/prometheus.ts';
import { backendToken, post, read } from '../smart/support/flow.ts';
import { authorizing } from '../smart/support/server.ts';
import type { Authorizing } from '../smart/support/server.ts';
import { openStore } from '../../src/store/open.ts';
import { createExtract } from '../../src/indexing/extract.ts';
import { requireModel } from '../support/loaded-once.ts';
import { patient } from '../support/resources.ts';
import { put, serve } from '../support/serve.ts';
import { newStorePlace } from '../support/store-place.ts';
import { rowsOf } from '../support/readmes.ts';
import { evaluate, namesIn, parseScrape } from './dashboard/promql.ts';
import type { Scrape } from './dashboard/promql.ts';
import { panels } from './dashboard/dashboard.ts';
import { launch } from '../cli/process.ts';

let server: Authorizing;
/** An address of this machine on a network. */
const network = Object.values(networkInterfaces())
  .flat()
  .find(one => one?.family === 'IPv4' && !one.internal)?.address;

/** The status of `/metrics` at an address for a `Host`. */
const statusAt = (address: string, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { Host: host };
    const asked = request({ host: address, port, path: '/metrics', headers, agent: false }, response =>
      resolve(response.resume().statusCode ?? 0),
    );
    asked.on('error', reject).end();
  });

beforeAll(async () => {
  server = await authorizing({ flags: ['--metrics-port', '0'] });
});
afterAll(() => server.close());

const textAt = async (port: number | undefined): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
const scrape = async (): Promise<Scrape> => parseScrape(await textAt(server.running.metricsPort), Date.now());

/** The value of a series; 0 if there is none. */
const valueOf = ({ samples }: Scrape, name: string, labels: Readonly<Record<string, string>>): number =>
  samples.find(
    sample => sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value ?? 0;

/** How much a counter grows during the work; a request is counted when its connection has been answered. */
async function growth(name: string, labels: Readonly<Record<string, string>>, work: () => Promise<unknown>) {
  const before = valueOf(await scrape(), name, labels);
  await work();
  return async () => valueOf(await scrape(), name, labels) - before;
}

/** What is answered to a text. */
const rawly = (port: number, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(text));
    socket.setEncoding('utf8').on('data', chunk => (answer += String(chunk)));
    socket.on('error', reject).on('close', () => resolve(answer));
  });

const token = async (): Promise<string> => (await backendToken(server)).json.access_token;

describe('metrics', () => {
  it.each([
    ['a read', 'read', 'Patient', '200', '/Patient/ann'],
    ['a read of nothing', 'read', 'Patient', '404', '/Patient/nobody'],
    ['a search', 'search-type', 'Patient', '200', '/Patient?name=tremblay'],
    ['an undeclared type', 'none', 'undeclared', '404', '/Secretname/ann'],
    ['another path', 'none', 'none', '404', '/Patient/ann/a/b/c/d'],
    ['the capabilities', 'capabilities', 'none', '200', '/metadata'],
  ])('count %s by interaction, type and status', async (_what, interaction, type, status, path) => {
    const bearer = await token();
    const labels = { interaction, type, status };
    const counted = await growth('crs_requests_total', labels, () => read(server, bearer, path));
    await expect.poll(counted).toBe(1);
    const seconds = valueOf(await scrape(), 'crs_request_duration_seconds_sum', { interaction });
    expect(seconds).toBeGreaterThan(0);
  });

  it.each([
    ['that are no HTTP', '400', 'HELO\r\n\r\n'],
    ['whose headers are too long', '431', `GET /healthz HTTP/1.1\r\nX-Long: ${'a'.repeat(200_000)}\r\n\r\n`],
    ['with an unknown Expect', '417', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nExpect: more\r\n\r\n'],
  ])('count requests %s', async (_, status, text) => {
    const labels = { interaction: 'none', type: 'none', status };
    const counted = await growth('crs_requests_total', labels, () => rawly(server.running.port, text));
    await expect.poll(counted).toBe(1);
  });

  it('count requests without a valid token, health checks and token requests', async () => {
    const { samples } = await scrape();
    expect(samples.length).toBeGreaterThan(0);
    const at = `http://127.0.0.1:${server.running.port}`;
    for (const [path, labels] of [
      ['/r4/demo/Patient/ann', { interaction: 'none', type: 'Patient', status: '401' }],
      ['/healthz', { interaction: 'health', type: 'none', status: '200' }],
      ['/auth/jwks', { interaction: 'authorization', type: 'none', status: '200' }],
      ['/r4/demo/.well-known/smart-configuration', { interaction: 'discovery', type: 'none', status: '200' }],
    ] as const)
      await expect.poll(await growth('crs_requests_total', labels, () => fetch(at + path))).toBe(1);
    const issued = { result: 'issued', grant_type: 'client_credentials' };
    await expect.poll(await growth('crs_tokens_total', issued, token)).toBe(1);
    const unsupported = { result: 'refused', grant_type: 'none' };
    const ask = (): Promise<unknown> => post(server, '/token', { grant_type: 'secret-grant', client_id: 'app' });
    await expect.poll(await growth('crs_tokens_total', unsupported, ask)).toBe(1);
  });

  it('count a request whose client has disconnected as aborted', async () => {
    const aborted = { interaction: 'search-type', type: 'Patient', status: 'aborted' };
    const bearer = await token();
    const ended = new AbortController();
    const counted = await growth('crs_requests_total', aborted, async () => {
      // The body never ends; the server has read its head when it asks to continue.
      const { request } = await import('node:http');
      const headers = {
        Authorization: `Bearer ${bearer}`,
        'Content-Type': 'application/x-www-form-urlencoded',
        'Content-Length': 10,
        Expect: '100-continue',
      };
      const path = '/r4/demo/Patient/_search';
      const to = { port: server.running.port, host: '127.0.0.1', path, method: 'POST', headers };
      const begun = request({ ...to, signal: ended.signal });
      begun.on('error', () => {});
      await new Promise(resolve => begun.on('continue', resolve).flushHeaders());
      ended.abort();
    });
    await expect.poll(counted).toBe(1);
  });

  it('have neither text of requests nor ids, and no more series however many a client makes up', async () => {
    const bearer = await token();
    const ask = async (word: string): Promise<void> => {
      for (const path of [`/${word}`, `/Patient/${word}`, `/Patient?name=${word}`, `/Patient/${word}/$${word}`])
        await read(server, bearer, path);
      await fetch(`http://127.0.0.1:${server.running.port}/${word}/${word}`, { method: 'PUT' });
      await post(server, '/token', { grant_type: word, client_id: word });
    };
    await ask('Madeup0');
    // Those of the store are left out: the first checkpoint and the first chore come whenever they come.
    const series = async (): Promise<number> =>
      (await scrape()).samples.filter(({ name }) => /^crs_(?!store_)/.test(name)).length;
    const unknown = { interaction: 'none', type: 'none', status: '404' };
    const counted = await growth('crs_requests_total', unknown, async () => {});
    await expect.poll(counted).toBeGreaterThanOrEqual(0);
    const before = await series();
    for (let round = 1; round <= 20; round++) await ask(`Madeup${round}`);
    expect(await series()).toBe(before);
    const text = await textAt(server.running.metricsPort);
    const labels = parseScrape(text, 0).samples.map(sample => JSON.stringify(sample.labels));
    for (const secret of ['Madeup', 'ann', 'tremblay', 'backend', 'demo', bearer])
      expect(labels.filter(one => one.includes(secret))).toEqual([]);
    expect(text).not.toContain('Madeup');
  });

  it('measure calls of the store, commits, checkpoints, and queues', async () => {
    const bearer = await token();
    await read(server, bearer, '/Patient/ann');
    await read(server, bearer, '/Patient?name=tremblay');
    const found = async (name: string, labels: Readonly<Record<string, string>>): Promise<number> =>
      valueOf(await scrape(), name, labels);
    for (const operation of ['partition', 'read', 'search', 'document get', 'document put'])
      expect(await found('crs_store_call_duration_seconds_count', { operation, outcome: 'ok' })).toBeGreaterThan(0);
    for (const step of ['commit', 'checkpoint'])
      await expect.poll(() => found('crs_store_write_duration_seconds_count', { step })).toBeGreaterThan(0);
    const queues = (await scrape()).samples.filter(({ name }) => name === 'crs_queue_length');
    expect(new Set(queues.map(({ labels }) => labels['queue']))).toEqual(
      new Set(['requests', 'uploads', 'writes', 'searches', 'audit']),
    );
    expect(await found('process_resident_memory_bytes', {})).toBeGreaterThan(1_000_000);
    expect((await scrape()).samples.map(({ name }) => name)).toContain('nodejs_eventloop_lag_p99_seconds');
  });

  it('count failed calls of the store', async () => {
    const failing = await serve([], ['--metrics-port', '0'], undefined, { isOneProcess: true });
    const { store } = failing.running.engine;
    await store.close();
    expect((await failing.get('/Patient/p1')).status).toBe(500);
    const samples = parseScrape(await textAt(failing.running.metricsPort), 0);
    await failing.close().catch(() => {});
    expect(valueOf(samples, 'crs_store_call_duration_seconds_count', { outcome: 'failed' })).toBeGreaterThan(0);
  });

  it('show the progress of indexes that are being built', async () => {
    const { model } = await requireModel({ definitions: [] });
    const place = await newStorePlace();
    const options = { model, extract: createExtract(model, () => {}), now: Date.now, deadline: 5_000 };
    const store = await openStore(place.url, { ...options, mode: 'command' });
    await store.partitions.add('demo', { zone: 'UTC' });
    const partition = await store.partition('demo');
    if (partition === undefined) throw new Error('no partition');
    await put(
      partition,
      Array.from({ length: 250 }, (_, n) => patient(`p${n}`)),
    );
    expect(await indexBacklog(store)).toEqual([]);
    const rebuild = store.indexes.rebuild('demo', 'Patient', 'name')[Symbol.asyncIterator]();
    await rebuild.next(); // of three slices the first is filled
    const backlog = await indexBacklog(store);
    expect(backlog).toEqual([{ type: 'Patient', parameters: 1, done: 100, of: 250 }]);

    const metrics = createMetrics('1.0.0');
    metrics.indexes(async () => [...backlog, { type: 'Observation', parameters: 2, done: 5, of: 10 }]);
    const samples = parseScrape(await metrics.scrape(), 0);
    expect(valueOf(samples, 'crs_index_pending_parameters', { type: 'Patient' })).toBe(1);
    expect(valueOf(samples, 'crs_index_entries', { type: 'Observation', state: 'done' })).toBe(5);
    expect(valueOf(samples, 'crs_index_entries', { type: 'Observation', state: 'needed' })).toBe(10);
    for (let step = await rebuild.next(); step.done !== true;) step = await rebuild.next();
    await store.close();
    await place.remove();
  });
});

describe('the port of metrics', () => {
  it('serves nothing else, and only reads', async () => {
    const at = `http://127.0.0.1:${server.running.metricsPort}`;
    expect((await fetch(`${at}/r4/demo/metadata`)).status).toBe(404);
    expect((await fetch(`${at}/metrics`, { method: 'POST' })).status).toBe(405);
    const { status, headers } = await fetch(`${at}/metrics`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const main = `http://127.0.0.1:${server.running.port}`;
    expect((await fetch(`${main}/metrics`)).status).toBe(404);
  });

  it('answers a request from this machine under the names of this machine alone', async () => {
    const port = server.running.metricsPort ?? 0;
    const status = (host: string): Promise<number> => statusAt('127.0.0.1', port, host);
    // Debian lets the name of a machine lead to 127.0.1.1.
    for (const host of ['localhost', `127.0.0.1:${port}`, '[::1]', 'metrics.localhost', `${hostname()}:${port}`])
      expect([host, await status(host)]).toEqual([host, 200]);
    for (const host of ['evil.example', `evil.example:${port}`, 'localhost.evil.example'])
      expect([host, await status(host)]).toEqual([host, 421]);
  });

  it.skipIf(network === undefined)('answers under every name on a network (left out without one)', async () => {
    const place = { host: '0.0.0.0', port: 0 };
    const opened = await openMetricsPort(createMetrics('1'), place, () => {});
    onTestFinished(() => opened.close());
    for (const host of ['records.monitoring.svc:9464', network ?? ''])
      expect([host, await statusAt(network ?? '', opened.port, host)]).toEqual([host, 200]);
    expect(await statusAt('127.0.0.1', opened.port, 'evil.example')).toBe(421);
  });

  it('that is in use stops the start, and leaves nothing open', async () => {
    const flags = ['--metrics-port', String(server.running.metricsPort)];
    await expect(serve([], flags)).rejects.toThrow(
      `The port ${server.running.metricsPort} of the metrics is in use by another program; choose one with ` +
        '`--metrics-port`, or 0 for any free one.',
    );
  });
});

describe('without a port of metrics', () => {
  it('neither the library of metrics nor that of traces is loaded', async () => {
    const place = await newStorePlace();
    const preload = `
      import { registerHooks } from 'node:module';
      const loaded = new Set();
      registerHooks({ resolve(specifier, context, next) { loaded.add(specifier); return next(specifier, context); } });
      const shown = () => [...loaded].filter(name => /prom-client|opentelemetry|koa/.test(name));
      process.on('exit', () => console.log(shown().join()));
    `;
    const execArgv = ['--import', `data:text/javascript,${encodeURIComponent(preload)}`];
    const child = launch(['serve', '--port', '0', '--access', 'open'], { execArgv, env: { CRS_STORE: place.url } });
    await child.until(/Serves/);
    child.process.kill('SIGTERM');
    expect(await child.ended).toBe(0);
    expect(child.stdout().trim().split('\n').at(-1)).toBe('koa,koa-compose,@koa/router');
    await place.remove();
  });
});

describe('the documents of metrics', () => {
  it('list every metric of the service with its labels', () => {
    const rows = rowsOf('src/observability/README.md', 'Metric');
    const listed = rows.map(([name = '', labels = '']) => [name, labels]);
    const all = createMetrics('1.0.0').all.filter(({ name }) => name.startsWith('crs_'));
    const code = (text: string): string => `\`${text}\``;
    expect(listed).toEqual(all.map(({ name, labels }) => [code(name), labels.map(code).join(', ')]));
  });

  it('have a dashboard whose queries name metrics and labels that exist', () => {
    const known = new Map(createMetrics('1.0.0').all.map(({ name, labels }) => [name, labels]));
    const queries = panels.flatMap(({ targets }) => targets.map(({ query }) => query));
    expect(queries.length).toBeGreaterThan(panels.length);
    for (const [name, labels] of queries.flatMap(query => namesIn(query))) {
      const metric = name.replace(/_(bucket|sum|count)$/, '');
      const found = known.get(name) ?? [...(known.get(metric) ?? []), 'le'];
      expect([...known.keys()]).toContain(known.has(name) ? name : metric);
      expect(found).toEqual(expect.arrayContaining(labels));
    }
    const crs = [...known.keys()].filter(name => name.startsWith('crs_') && !/build_info|pending/.test(name));
    const used = new Set(
      queries.flatMap(query => namesIn(query)).map(([name]) => name.replace(/_(bucket|sum|count)$/, '')),
    );
    expect(crs.filter(name => !used.has(name))).toEqual([]);
  });

  it('have a dashboard whose queries find what a server measures', async () => {
    const before = await scrape();
    const bearer = await token();
    for (const path of ['/Patient/ann', '/Patient?name=tremblay', '/Nothing']) await read(server, bearer, path);
    await expect
      .poll(async () => valueOf(await scrape(), 'crs_requests_total', { type: 'undeclared' }))
      .toBeGreaterThan(0);
    const after = { ...(await scrape()), at: before.at + 10_000 };
    const empty = panels.filter(({ targets }) =>
      targets.some(({ query }) => evaluate(query, [before, after]).length === 0),
    );
    expect(empty.map(({ title }) => title)).toEqual(['Failed calls of the store', 'Indexes that are being built']);
    const byInteraction = panels.find(({ title }) => title === 'Requests by interaction')?.targets[0]?.query;
    const rates = byInteraction === undefined ? [] : evaluate(byInteraction, [before, after]);
    expect(rates.find(({ labels }) => labels['interaction'] === 'search-type')?.value).toBeCloseTo(0.1);
  });
});
