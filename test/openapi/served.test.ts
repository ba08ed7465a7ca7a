// What the description says of calls, compared with the server. https://hl7.org/fhir/R4/http.html
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asObject, isObject, objectsOf } from '../../src/fhir/json-object.ts';
import type { JsonObject } from '../../src/fhir/json-object.ts';
import { serve } from '../support/serve.ts';
import type { Answer, Served } from '../support/serve.ts';
import { callsIn, interfaces, resolved } from './support.ts';
import type { Described } from './support.ts';

/** Of all types of R4 one in this many; with `CRS_TEST_LONG` each. */
const step = process.env['CRS_TEST_LONG'] === undefined ? 16 : 1;

describe.each(interfaces)('the calls of %s', (_, capability) => {
  let server: Served;
  let document: JsonObject;
  let calls: readonly Described[];
  beforeAll(async () => {
    server = await serve([], capability === undefined ? [] : ['--capability', capability]);
    document = (await server.get('/openapi.json')).json;
    const types = Object.keys(asObject(document['paths'])).flatMap(path => /^\/([A-Z]\w+)$/.exec(path)?.[1] ?? []);
    const some = new Set(types.filter((_, at) => capability === undefined || at % step === 0));
    calls = callsIn(document).filter(({ path }) => {
      const type = /^\/([A-Z]\w+)/.exec(path)?.[1];
      return type === undefined || some.has(type) || !types.includes(type);
    });
  }, 300_000);
  afterAll(() => server.close());

  it('are those that metadata declares', async () => {
    const { rest } = (await server.get('/metadata')).json;
    const declared: readonly Declared[] = rest[0].resource;
    const verbs: Readonly<Record<string, string>> = {
      'search-type': 'search',
      'history-instance': 'history',
    };
    const ids = new Set(callsIn(document).map(({ call }) => String(call['operationId'])));
    for (const { type, interaction } of declared)
      for (const { code } of interaction) {
        expect(ids).toContain(code === 'history-type' ? `history${type}OfType` : `${verbs[code] ?? code}${type}`);
      }
    const operations = declared.flatMap(({ operation = [] }) => operation);
    expect([...ids].some(id => id.startsWith('operation'))).toBe(operations.length > 0);
  });

  it('are all served, and other methods of their paths are not', async () => {
    const paths = new Map<string, Set<string>>();
    for (const { path, method } of calls) paths.set(path, (paths.get(path) ?? new Set<string>()).add(method));
    expect(paths.size).toBeGreaterThan(20);
    const wrong: string[] = [];
    for (const [path, documented] of paths)
      for (const method of ['get', 'post', 'put', 'patch', 'delete']) {
        // A search by GET is served there too; it is described by its shorter path.
        if (method === 'get' && path.endsWith('/_search')) continue;
        const answer = await server.ask(method.toUpperCase(), concrete(path, calls));
        if (isServed(answer) !== documented.has(method)) wrong.push(`${method} ${path} ${answer.status}`);
      }
    expect(wrong).toEqual([]);
  }, 300_000);

  it('have the headers that are described', async () => {
    const names = ['etag', 'last-modified', 'location', 'content-location', 'retry-after', 'www-authenticate'];
    let answered = 0;
    for (const { path, method, call } of calls) {
      if (method !== 'get') continue;
      const { status, headers } = await server.get(concrete(path, calls));
      const responses = asObject(call['responses']);
      const described = asObject(resolved(asObject(responses[status] ?? responses['default']), document)['headers']);
      const sent = names.filter(name => headers[name] !== undefined);
      const known = new Set(Object.keys(described).map(name => name.toLowerCase()));
      expect([path, status, sent.filter(name => !known.has(name))]).toEqual([path, status, []]);
      answered += 1;
    }
    expect(answered).toBeGreaterThan(10);
  });

  it('accept the examples of all parameters', async () => {
    const wrong: string[] = [];
    let tried = 0;
    for (const { path, method, parameters, call } of calls) {
      if (
        method !== 'get' ||
        !/^(?:search|capabilities|history\w*(?:OfType|System)$)/.test(String(call['operationId']))
      )
        continue;
      for (const { name, example, description, in: place } of parameters) {
        // A named query needs all of its parameters, and these need the query.
        const isOfQuery = name === '_query' || String(description).startsWith('Parameter of the query');
        if (example === undefined || place === 'path' || isOfQuery) continue;
        const url = concrete(path, calls);
        const query = place === 'query' ? `?${new URLSearchParams(pairsOf(String(name), example)).toString()}` : '';
        const headers = place === 'header' ? Object.fromEntries(pairsOf(String(name), example)) : {};
        const { status, json } = await server.get(`${url}${query}`, headers);
        tried += 1;
        if (status !== 200) wrong.push(`${url}${query} ${status} ${json.issue?.[0].diagnostics}`);
      }
    }
    expect(tried).toBeGreaterThan(100);
    expect(wrong).toEqual([]);
  }, 300_000);
});

/** A type of the CapabilityStatement. */
interface Declared {
  readonly type: string;
  readonly interaction: readonly { readonly code: string }[];
  readonly operation?: readonly object[];
}

/** A path with an id, a version and the first member. */
function concrete(path: string, calls: readonly Described[]): string {
  const member = calls.find(call => call.path === path)?.parameters.find(({ name }) => name === 'member');
  const [first = ''] = (asObject(member?.['schema'])['enum'] as readonly string[] | undefined) ?? [];
  return path.replace('{member}', first).replace('{version}', '1').replace('{id}', '123');
}

/** An array is repeated, and the properties of an object are parameters of their own. */
function pairsOf(name: string, example: unknown): [string, string][] {
  if (Array.isArray(example)) return example.map(value => [name, String(value)]);
  if (isObject(example)) return Object.entries(example).map(([key, value]) => [key, String(value)]);
  return [[name, typeof example === 'string' ? example : JSON.stringify(example)]];
}

/** Neither 405 nor an unknown path; a record that does not exist is 404 too, and so is an update that creates none. */
function isServed({ status, text }: Answer): boolean {
  const [issue = {}] = objectsOf(asObject(text === '' ? {} : JSON.parse(text))['issue']);
  if (status === 405) return issue['code'] === 'not-found';
  return (
    status !== 404 || !/not-supported|Nothing exists/.test(`${String(issue['code'])} ${String(issue['diagnostics'])}`)
  );
}
