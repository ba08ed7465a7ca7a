// https://www.rfc-editor.org/rfc/rfc9110#section-15.5.6
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FhirError } from '../../src/fhir/error.ts';
import type { Context, Handler, RequestState } from '../../src/http/context.ts';
import { createRouter } from '../../src/http/router.ts';

const shows: Handler = async ({ state, response }) => {
  response.body = { pattern: state.pattern, params: { ...state.params } };
};

const router = createRouter([
  { path: '/document', methods: ['GET', 'HEAD'], handler: shows },
  { path: '/token', methods: ['POST'], handler: shows },
  { path: '/keys', methods: ['GET'], handler: shows },
  { path: '/keys/:id', methods: ['GET'], handler: shows },
  {
    path: '/form',
    methods: ['POST'],
    handler: shows,
    wrongMethod: async (context: Context, allowed) => {
      context.status = 418;
      context.body = allowed.join(' or ');
    },
  },
  { path: '/pages/first', handler: shows },
  { path: '/pages/*page', handler: shows },
]);

const app = new Koa<RequestState>();
app.use(async (context, next) => {
  try {
    await next();
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    context.status = error.status;
    context.set(error.headers);
    context.body = error.message;
  }
});
app.use(router.routes());
const answer = app.callback();
const server = createServer((request, response) => void answer(request, response));
let url = '';
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

describe('a route', () => {
  it.each<[string, string, string, Record<string, string>]>([
    ['GET', '/document', '/document', {}],
    ['GET', '/document?a=b', '/document', {}],
    ['POST', '/token', '/token', {}],
    ['GET', '/keys/a%2Fb', '/keys/:id', { id: 'a/b' }],
    ['DELETE', '/pages/first', '/pages/first', {}],
    ['GET', '/pages/second/part', '/pages/*page', { page: 'second/part' }],
  ])('%s %s → %s', async (method, path, pattern, params) => {
    const response = await fetch(`${url}${path}`, { method });
    expect([response.status, await response.json()]).toEqual([200, { pattern, params }]);
  });

  it('answers HEAD only if it is among the methods', async () => {
    expect((await fetch(`${url}/document`, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${url}/keys`, { method: 'HEAD' })).status).toBe(405);
  });

  it.each(['/', '/Document', '/document/', '//document', '/keys/', '/keys/1/2', '/pages', '/pages/'])(
    'none has the path %s',
    async path => expect((await fetch(`${url}${path}`)).status).toBe(404),
  );
});

describe('another method', () => {
  it.each([
    ['POST', '/document', 'GET, HEAD'],
    ['OPTIONS', '/document', 'GET, HEAD'],
    ['GET', '/token', 'POST'],
    ['PUT', '/keys/1', 'GET'],
  ])('%s %s is 405 and allows %s', async (method, path, allow) => {
    const response = await fetch(`${url}${path}`, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    expect(await response.text()).toBe(`\`${method}\` is not supported; allowed: ${allow}.`);
  });

  it('is answered by the route, if it has an answer', async () => {
    const response = await fetch(`${url}/form`, { method: 'PATCH' });
    expect([response.status, await response.text()]).toEqual([418, 'POST']);
  });
});
