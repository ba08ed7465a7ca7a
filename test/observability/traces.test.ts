// https://opentelemetry.io/docs/specs/semconv/http/http-spans/
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { patient } from '../support/resources.ts';
import { testProcesses } from '../support/processes/start.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';
import { registerSdk } from './fake-sdk.ts';

let sdk: ReturnType<typeof registerSdk>;
let server: Served;
beforeAll(async () => {
  sdk = registerSdk();
  server = await serve([patient('p1')], ['--traces', 'on']);
});
beforeEach(() => void sdk.ended.splice(0));
afterAll(async () => {
  await server.close();
  sdk.remove();
});

const ofRequest = (): typeof sdk.ended => sdk.ended.filter(({ kind }) => kind === 1);

const reason = testProcesses === 1 ? '' : ' (left out: the spans of child processes are not in the memory of this one)';

describe.skipIf(testProcesses > 1)(`traces${reason}`, () => {
  it('have a span for each request, below `traceparent`, and one for each call of the store', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const { status } = await server.get('/Patient/p1', { traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
    expect(status).toBe(200);
    await expect.poll(ofRequest).toHaveLength(1);
    const [request] = ofRequest();
    expect(request).toMatchObject({
      name: 'GET /r4/:partition/:type/:id',
      traceId,
      parent: '00f067aa0ba902b7',
      failed: false,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/r4/:partition/:type/:id',
        'http.response.status_code': 200,
        'fhir.interaction': 'read',
        'fhir.resource_type': 'Patient',
      },
    });
    const calls = sdk.ended.filter(({ kind }) => kind !== 1);
    expect(calls.map(({ name }) => name)).toEqual(expect.arrayContaining(['store partition', 'store read']));
    for (const call of calls) expect([call.parent, call.traceId]).toEqual([request?.id, traceId]);
  });

  it('begin a trace without one, and never have a query, an id, or a text of the client', async () => {
    await server.get('/Patient?name=tremblay&_id=p1');
    await server.get('/Secretname/p1');
    await server.get('//nowhere/p1');
    await expect.poll(ofRequest).toHaveLength(3);
    expect(ofRequest().map(({ name, parent }) => [name, parent])).toEqual([
      ['GET /r4/:partition/:type', undefined],
      ['GET /r4/:partition/:type/:id', undefined],
      ['GET', undefined],
    ]);
    const text = JSON.stringify(sdk.ended);
    for (const secret of ['tremblay', 'p1', 'Secretname', 'demo', 'nowhere']) expect(text).not.toContain(secret);
  });

  it('mark requests and calls that fail, without the text of the error', async () => {
    const failing = await serve([], ['--traces', 'on']);
    await failing.running.engine.store.close();
    sdk.ended.splice(0);
    expect((await failing.get('/Patient/p1')).status).toBe(500);
    await expect.poll(ofRequest).toHaveLength(1);
    expect(sdk.ended.map(({ name, failed }) => [name, failed])).toEqual([
      ['store partition', true],
      ['GET /r4/:partition/:type/:id', true],
    ]);
    expect(JSON.stringify(sdk.ended)).not.toContain('closed');
    await failing.close().catch(() => {});
  });

  it('are not made unless the setting asks for them', async () => {
    const silent = await serve([patient('p1')]);
    sdk.ended.splice(0);
    expect((await silent.get('/Patient/p1')).status).toBe(200);
    expect(sdk.ended).toEqual([]);
    await silent.close();
  });

  it('do nothing without an SDK', async () => {
    sdk.remove();
    const without = await serve([patient('p1')], ['--traces', 'on']);
    sdk.ended.splice(0);
    expect((await without.get('/Patient/p1')).status).toBe(200);
    await without.close();
    expect(sdk.ended).toEqual([]);
  });
});
