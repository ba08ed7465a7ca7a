// Each example of a record is valid, and is accepted by the calls that have it.
// https://spec.openapis.org/oas/v3.1.1.html#example-object
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storedTypes } from '../../src/definitions/definition.ts';
import { asObject, objectsOf } from '../../src/fhir/json-object.ts';
import type { JsonObject } from '../../src/fhir/json-object.ts';
import { createValidator } from '../../src/validation/profile/validator.ts';
import { requireModel } from '../support/loaded-once.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';
import { callsIn, interfaces, resolved } from './support.ts';
import type { Described } from './support.ts';

let urls = 0;
/** The example with a url of its own, if it is a definition: two records cannot define one url. */
function withOwnUrl(example: unknown): unknown {
  const resource = asObject(example);
  if (!storedTypes.has(String(resource['resourceType']))) return example;
  urls += 1;
  return { ...resource, url: `http://example.org/${urls}` };
}

const problemsIn = (text: string): string =>
  objectsOf(asObject(text === '' ? {} : JSON.parse(text))['issue'])
    .filter(({ severity }) => severity === 'error')
    .map(({ diagnostics }) => String(diagnostics))
    .join(' ');

describe.each(interfaces)('the examples of %s', (_, capability) => {
  const places = capability === undefined ? {} : { capability };
  let server: Served;
  let document: JsonObject;
  let calls: readonly Described[];
  beforeAll(async () => {
    const flags = capability === undefined ? [] : ['--capability', capability];
    server = await serve([patient('123'), patient('456')], flags);
    document = (await server.get('/openapi.json')).json;
    calls = callsIn(document);
  }, 300_000);
  afterAll(() => server.close());

  /** The examples of the bodies of a call, with their media types. */
  const bodiesOf = ({ call }: Described): readonly (readonly [mediaType: string, example: unknown])[] =>
    Object.entries(asObject(resolved(asObject(call['requestBody']), document)['content'])).flatMap(
      ([type, content]) => {
        const { example, examples } = asObject(content);
        const shared = Object.values(asObject(examples)).map(one => resolved(asObject(one), document)['value']);
        return [...(example === undefined ? [] : [example]), ...shared].map(one => [type, one] as const);
      },
    );

  const refused = async (name: RegExp, method: string, expected: readonly number[]): Promise<readonly string[]> => {
    const wrong: string[] = [];
    for (const one of calls.filter(({ call }) => name.test(String(call['operationId']))))
      for (const [type, example] of bodiesOf(one)) {
        const query = one.path.includes('{id}') || method === 'POST' ? '' : '?_id=123';
        const path = `${one.path.replace('{id}', '123')}${query}`;
        const { status, text } = await server.ask(method, path, {
          body: JSON.stringify(withOwnUrl(example)),
          headers: { 'content-type': type },
        });
        if (!expected.includes(status)) wrong.push(`${method} ${path} ${type} ${status} ${problemsIn(text)}`);
      }
    return wrong;
  };

  it('of records are valid by the rules of their types', async () => {
    const { model, definitions } = await requireModel({ definitions: [], ...places });
    const validator = createValidator(definitions, model.definitions);
    const examples = Object.entries(asObject(asObject(document['components'])['examples']));
    expect(examples.length).toBeGreaterThanOrEqual(model.types.size - 1);
    const wrong = examples.map(([name, example]) => {
      const issues = validator.validate(asObject(example)['value'], {});
      return [name, ...issues.filter(({ severity }) => severity === 'error').map(issue => issue.text)];
    });
    expect(wrong.filter(({ length }) => length > 1)).toEqual([]);
  });

  it('are accepted by creates', async () => {
    expect(calls.some(one => String(one.call['operationId']).startsWith('create') && bodiesOf(one).length > 0)).toBe(
      true,
    );
    expect(await refused(/^create/, 'POST', [201])).toEqual([]);
  }, 300_000);

  it('are accepted by updates', async () => {
    expect(await refused(/^update[A-Z]\w*$/, 'PUT', [200, 201])).toEqual([]);
  }, 300_000);
});

describe('the patterns of parameters', () => {
  it.each([
    ['/Observation', 'date', ['2024', 'ge2024-02', '2024-02-01T10:15:30.5-05:00', 'eq2024-01,lt2020']],
    ['/Observation', 'date', ['24', '2024-13', 'xx2024', '2024-02-01T25:00', 'yesterday', '']],
    ['/Patient', '_elements', ['name', 'id,meta,birthDate', 'deceased']],
    ['/Patient', '_elements', ['nmae', 'name,', 'a b', 'name;id']],
    ['/Patient', '_sort', ['birthdate', '-birthdate,_id']],
    ['/Patient', '_sort', ['birth date', '--birthdate', 'a,,b']],
  ])('of %s %s accept what the server accepts: %j', async (path, name, values) => {
    const server = await serve([]);
    try {
      const document = (await server.get('/openapi.json')).json;
      const call = callsIn(document).find(one => one.path === path && one.method === 'get');
      const schema = asObject(call?.parameters.find(one => one['name'] === name)?.['schema']);
      const of = resolved(schema, document);
      const pattern = asObject(of['items'] ?? of)['pattern'];
      expect(pattern).toEqual(expect.any(String));
      for (const value of values) {
        const { status } = await server.get(`${path}?${new URLSearchParams({ [name]: value }).toString()}`);
        expect([value, new RegExp(String(pattern), 'u').test(value)]).toEqual([value, status === 200]);
      }
    } finally {
      await server.close();
    }
  });
});

describe('a search that is explained', () => {
  it('has a Parameters resource among its answers, where the interface offers that', async () => {
    const server = await serve([]);
    try {
      const document = (await server.get('/openapi.json')).json;
      const searches = callsIn(document).filter(({ call }) => String(call['operationId']).startsWith('search'));
      expect(searches.length).toBeGreaterThan(5);
      for (const { call } of searches) {
        const answer = resolved(asObject(asObject(call['responses'])['200']), document);
        const { schema } = asObject(Object.values(asObject(answer['content']))[0]);
        const names = objectsOf(asObject(schema)['anyOf']).map(one => String(one['$ref']).replace(/.*\//, ''));
        expect(names).toEqual([expect.stringMatching(/^Bundle-of-/), 'Parameters']);
      }
      expect((await server.get('/Patient?_explain=true')).json.resourceType).toBe('Parameters');
    } finally {
      await server.close();
    }
  });
});
