// https://hl7.org/fhir/R4/http.html#custom and https://www.rfc-editor.org/rfc/rfc9110
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../src/observability/log.ts';
import { inXml } from '../support/in-xml.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

let server: Served;
const lines: string[] = [];
beforeAll(async () => {
  server = await serve(
    Array.from({ length: 30 }, (_, at) => patient(`p${at}`)),
    [],
    createLog('info', { write: (text: string) => lines.push(text) }),
  );
});
afterAll(() => server.close());

describe('X-Request-Id', () => {
  it.each(['abc', '7d3e2c8a-1111-4222-8333-444455556666', 'a.b_c:d-1'])('%s is given back', async id => {
    const { headers } = await server.get('/Patient/p1', { 'X-Request-Id': id });
    expect(headers['x-request-id']).toBe(id);
    expect(headers).not.toHaveProperty('x-correlation-id');
  });

  it.each(['a b', 'a"b', 'é', '<script>', 'x'.repeat(65)])(
    '%s is replaced, and goes back in X-Correlation-Id',
    async id => {
      const { headers } = await server.get('/Patient/p1', { 'X-Request-Id': id });
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers['x-correlation-id']).toBe(/^[\x20-\x7e]+$/.test(id) ? id : undefined);
    },
  );

  it('is there on failures as well', async () => {
    expect((await server.get('/None', { 'X-Request-Id': 'abc' })).headers['x-request-id']).toBe('abc');
  });
});

describe('compression', () => {
  it.skipIf(inXml).each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const)('%s is used above the threshold', async (encoding, decompress) => {
    const plain = await server.get('/Patient?_count=30');
    const small = await server.get('/Patient?_count=30', { 'Accept-Encoding': encoding });
    expect(small.headers['content-encoding']).toBe(encoding);
    expect(small.bytes.length).toBeLessThan(plain.bytes.length / 4);
    expect(Number(small.headers['content-length'])).toBe(small.bytes.length);
    expect(decompress(small.bytes).toString()).toBe(plain.text);
  });

  it('is not used below it, nor without being asked for', async () => {
    expect((await server.get('/Patient/p1', { 'Accept-Encoding': 'gzip' })).headers).not.toHaveProperty(
      'content-encoding',
    );
    expect((await server.get('/Patient?_count=30')).headers).not.toHaveProperty('content-encoding');
  });

  it('HEAD has the same Content-Length', async () => {
    const headers = { 'Accept-Encoding': 'gzip' };
    const get = await server.get('/Patient?_count=30', headers);
    const head = await server.ask('HEAD', '/Patient?_count=30', { headers });
    expect([head.text, head.headers['content-length']]).toEqual(['', get.headers['content-length']]);
  });

  it.each([
    [['--trusted-proxies', '127.0.0.1'], undefined, 'Accept, Origin, Prefer'],
    [['--trusted-proxies', '127.0.0.1', '--compression', 'on'], 'gzip', 'Accept, Accept-Encoding, Origin, Prefer'],
    [['--compression', 'off'], undefined, 'Accept, Origin, Prefer'],
  ])('with %s the encoding is %s', async (flags, encoding, vary) => {
    const other = await serve([], flags);
    const { headers } = await other.get('/metadata', { 'Accept-Encoding': 'gzip' });
    expect([headers['content-encoding'], headers.vary]).toEqual([encoding, vary]);
    await other.close();
  });
});

describe('a fault', () => {
  it('is answered 500 with the request id and nothing from inside, and logged', async () => {
    const log = createLog('error', { write: (text: string) => lines.push(text) });
    const other = await serve([], [], log, { isOneProcess: true });
    await other.running.engine.store.close();
    lines.length = 0;
    const { status, json, headers, text } = await other.get('/Patient/p1', { 'X-Request-Id': 'broken-1' });
    expect(status).toBe(500);
    expect(json.issue[0]).toMatchObject({ severity: 'fatal', code: 'exception' });
    expect(json.issue[0].diagnostics).toContain('`broken-1`');
    expect(text).not.toMatch(/at |\.ts|sqlite/i);
    expect(headers['x-request-id']).toBe('broken-1');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'error', requestId: 'broken-1' });
    await other.close().catch(() => {});
  });
});

describe('the log', () => {
  it('writes a line per request, without query, id or name', async () => {
    lines.length = 0;
    await server.get('/Patient/p1?_pretty=true', { 'X-Request-Id': 'r-1' });
    await server.get('/Patient?family=tremblay');
    await server.get('//elsewhere');
    await server.ask('PUT', '/Patient/p1');
    await expect.poll(() => lines.length).toBe(4);
    const [read, search, nowhere, refused] = lines.map(line => JSON.parse(line));
    expect(read).toMatchObject({
      method: 'GET',
      route: '/r4/:partition/:type/:id',
      interaction: 'read',
      status: 200,
      requestId: 'r-1',
      client: '127.0.0.1',
    });
    expect(search).toMatchObject({ route: '/r4/:partition/:type', interaction: 'search-type', status: 200 });
    expect(nowhere).toMatchObject({ route: 'none', status: 404 });
    expect(refused).toMatchObject({ method: 'PUT', status: 405 });
    expect(lines.join('')).not.toMatch(/p1|tremblay|elsewhere|pretty/i);
  });
});
