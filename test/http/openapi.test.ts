// https://spec.openapis.org/oas/v3.1.1.html
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';
import { testTokens } from '../support/tokens.ts';

let server: Served;
beforeAll(async () => {
  server = await serve([], [], undefined, { verify: testTokens().verify });
});
afterAll(() => server.close());

const document = '/openapi.json';

describe('openapi.json', () => {
  it('describes the interface under its own base URL, to every client and any origin, as plain JSON', async () => {
    const { status, json, headers } = await server.get(document, { Origin: 'https://elsewhere.example' });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      openapi: '3.1.1',
      info: { title: 'Clinical Records Service' },
      servers: [{ url: server.base }],
      paths: { '/Patient/{id}': { get: { operationId: 'readPatient' } } },
    });
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'content-type': 'application/json; charset=utf-8',
      etag: expect.stringMatching(/^W\/"[\w-]+"$/),
    });
  });

  it('is linked from metadata, by an extension whose definition is loaded', async () => {
    const { implementation } = (await server.get('/metadata')).json;
    const url = 'https://clinical-records.example/fhir/StructureDefinition/openapi';
    expect(implementation.extension).toEqual([{ url, valueUrl: `${server.base}${document}` }]);
    expect(server.running.engine.model.snapshot(url)?.type).toBe('Extension');
  });

  it('answers 304 to its own tag, also for HEAD', async () => {
    const first = await server.get(document);
    const headers = { 'If-None-Match': first.headers.etag ?? '' };
    for (const method of ['GET', 'HEAD']) {
      const again = await server.ask(method, document, { headers });
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', first.headers.etag]);
    }
    expect((await server.get(document, { 'If-None-Match': 'W/"other"' })).status).toBe(200);
    expect((await server.ask('HEAD', document)).headers['content-length']).toBe(first.headers['content-length']);
  });

  it('each partition has its own, with a tag of its own', async () => {
    await server.running.engine.store.partitions.add('second', { zone: 'UTC' });
    const [first, second] = [await server.get(document), await server.get(`//r4/second${document}`)];
    expect(second.json.servers).toEqual([{ url: `${server.running.url}/r4/second` }]);
    expect(second.headers.etag).not.toBe(first.headers.etag);
    expect((await server.get(`//r4/third${document}`)).status).toBe(404);
  });

  it.each([
    ['POST', document, 405],
    ['DELETE', document, 405],
    ['GET', `${document}/`, 401],
    ['GET', '/openapi', 401],
    ['GET', '/openapi.yaml', 401],
  ])('%s %s → %i', async (method, path, status) => {
    const answer = await server.ask(method, path);
    const allowed = status === 405 ? 'GET, HEAD' : undefined;
    expect([answer.status, answer.json.resourceType, answer.headers.allow]).toEqual([
      status,
      'OperationOutcome',
      allowed,
    ]);
  });

  it('is compressed for clients that accept it', async () => {
    const { headers } = await server.get(document, { 'Accept-Encoding': 'gzip' });
    expect(headers['content-encoding']).toBe('gzip');
    expect(Number(headers['content-length'])).toBeLessThan(30_000);
  });
});
