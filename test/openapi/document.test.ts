// https://spec.openapis.org/oas/v3.1.1.html
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import { asObject, objectsOf, stringsOf } from '../../src/fhir/json-object.ts';
import type { JsonObject } from '../../src/fhir/json-object.ts';
import { base, callsIn, interfaces, openApi, openApiText, resolved } from './support.ts';
import type { Described } from './support.ts';

describe.each(interfaces)('the description of %s', (_, capability) => {
  let text: string;
  let document: JsonObject;
  let calls: readonly Described[];
  beforeAll(async () => {
    text = await openApiText(capability);
    document = JSON.parse(text) as JsonObject;
    calls = callsIn(document);
  }, 120_000);

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate({ ...document })).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  }, 120_000);

  it('is the same text each time, and small', async () => {
    expect(await openApiText(capability)).toBe(text);
    expect(text.length).toBeLessThan(capability === undefined ? 200_000 : 4_700_000);
  }, 120_000);

  it('says that a Binary is read and sent in any media type, and nothing else is', () => {
    const open = calls
      .filter(({ call }) => '*/*' in asObject(asObject(call['requestBody'])['content']))
      .map(({ method, path }) => `${method} ${path}`);
    const isDeclared = calls.some(({ path }) => path === '/Binary');
    expect(open.sort()).toEqual(isDeclared ? ['post /Binary', 'put /Binary', 'put /Binary/{id}'] : []);
  });

  // Postman and Insomnia import a document with these properties.
  it('has one server, and operations with unique names, a declared tag and a summary', () => {
    expect(document['servers']).toEqual([{ url: base }]);
    const tags = objectsOf(document['tags']).map(({ name }) => name);
    expect(new Set(tags).size).toBe(tags.length);
    const ids = calls.map(({ call }) => String(call['operationId']));
    expect(ids.length).toBeGreaterThan(20);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at || !/^[a-z][A-Za-z0-9]*$/.test(id))).toEqual([]);
    for (const { call } of calls) {
      expect(tags).toContain(stringsOf(call['tags'])[0]);
      expect(call['tags']).toHaveLength(1);
      expect(call['summary']).toMatch(/\w/);
    }
  });

  it('has distinct paths, and each variable of a path is one required parameter', () => {
    const shapes = Object.keys(asObject(document['paths'])).map(path => path.replaceAll(/\{\w+\}/g, '{}'));
    expect(new Set(shapes).size).toBe(shapes.length);
    for (const { path, parameters } of calls) {
      const inPath = parameters.filter(one => one['in'] === 'path');
      expect(inPath.map(({ name }) => `{${String(name)}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      expect(inPath.every(({ required }) => required === true)).toBe(true);
      const names = parameters.map(one => `${String(one['in'])} ${String(one['name'])}`);
      expect([path, names.filter((name, at) => names.indexOf(name) !== at)]).toEqual([path, []]);
    }
  });

  it('has examples of all parameters except page tokens and members of compartments', () => {
    const without = calls.flatMap(({ parameters }) =>
      parameters.filter(({ example }) => example === undefined).map(({ name }) => String(name)),
    );
    const isOfOperation = ({ call }: Described): boolean => String(call['operationId']).startsWith('operation');
    const ofOperations = calls.filter(isOfOperation).flatMap(({ parameters }) => parameters.map(({ name }) => name));
    expect([...new Set(without)].filter(name => !ofOperations.includes(name)).toSorted()).toEqual(
      capability === undefined ? ['_page_token'] : ['_page_token', 'member'],
    );
  });

  it('has references that lead somewhere, alone in their objects except for `writeOnly`', () => {
    let count = 0;
    walk(document, part => {
      if (part['$ref'] === undefined) return;
      count += 1;
      expect(resolved(part, document)).not.toEqual({});
      expect(Object.keys(part).filter(name => name !== '$ref' && name !== 'writeOnly')).toEqual([]);
    });
    expect(count).toBeGreaterThan(500);
    for (const section of Object.values(asObject(document['components'])))
      for (const key of Object.keys(asObject(section))) expect(key).toMatch(/^[\w.-]+$/);
  });

  it('has bodies in their places, where importers look for them that do not resolve cycles', () => {
    let count = 0;
    walk(document, ({ requestBody }) => {
      if (requestBody === undefined) return;
      count += 1;
      expect(asObject(requestBody)['content']).toBeDefined();
    });
    expect(count).toBeGreaterThan(5);
  });

  it('names only scopes that exist, each alone, and none for the public statement', () => {
    const flows = Object.values(asObject(asObject(securitySchemes(document)['smart'])['flows']));
    const known = new Set(flows.flatMap(flow => Object.keys(asObject(asObject(flow)['scopes']))));
    expect(known.size).toBeGreaterThan(10);
    for (const { path, call } of calls) {
      const alternatives = objectsOf(call['security']).map(one => stringsOf(one['smart']));
      expect([path, alternatives.length > 0]).toEqual([path, path !== '/metadata']);
      for (const scopes of alternatives) {
        expect(scopes.length).toBeLessThan(2);
        expect(scopes.filter(scope => !known.has(scope))).toEqual([]);
      }
    }
  });

  it('describes errors as an OperationOutcome', () => {
    for (const { call } of calls) {
      const responses = asObject(call['responses']);
      expect(Object.keys(responses)).toContain('default');
      for (const [status, response] of Object.entries(responses)) {
        if (status !== 'default' && Number(status) < 400) continue;
        const content = asObject(resolved(asObject(response), document)['content']);
        const { schema } = asObject(content['application/fhir+json']);
        expect(schema).toEqual({ $ref: '#/components/schemas/OperationOutcome' });
        if (status !== 'default') continue;
        const { description, headers } = resolved(asObject(response), document);
        for (const code of ['401', '403', '429', '503']) expect(description).toContain(code);
        expect(Object.keys(asObject(headers))).toEqual(['WWW-Authenticate', 'Retry-After']);
      }
    }
  });
});

describe('the security of a description', () => {
  it('is that of the scopes of each interaction', async () => {
    const calls = callsIn(await openApi());
    const of = (id: string) => calls.find(({ call }) => call['operationId'] === id)?.call['security'];
    expect(of('readPatient')).toEqual([
      { smart: ['patient/Patient.r'] },
      { smart: ['patient/Patient.rs'] },
      { smart: ['user/Patient.rs'] },
      { smart: ['system/Patient.rs'] },
    ]);
    expect(of('searchObservation')).toEqual([{ smart: ['system/Observation.rs'] }]);
  });

  it('names the endpoints, and scopes of apps and of backend services apart', async () => {
    const { smart } = securitySchemes(await openApi());
    expect(smart).toMatchObject({
      type: 'oauth2',
      flows: {
        authorizationCode: {
          authorizationUrl: 'https://records.example/auth/authorize',
          tokenUrl: 'https://records.example/auth/token',
          scopes: { 'patient/Patient.rs': 'read, search: Patient, of the patient in context' },
        },
        clientCredentials: { tokenUrl: 'https://records.example/auth/token' },
      },
    });
    const scopes = (name: string) =>
      Object.keys(asObject(asObject(asObject(asObject(smart)['flows'])[name])['scopes']));
    expect(scopes('clientCredentials').every(scope => scope.startsWith('system/'))).toBe(true);
    expect(scopes('authorizationCode').some(scope => scope.startsWith('system/'))).toBe(false);
  });

  it('is a bearer token if other servers issue tokens, and nothing with open access', async () => {
    const issuedElsewhere = await openApi(undefined, true, false);
    expect(securitySchemes(issuedElsewhere)).toMatchObject({ bearer: { type: 'http', scheme: 'bearer' } });
    const open = await openApi(undefined, false, false);
    expect(securitySchemes(open)).toEqual({});
    expect(callsIn(open).filter(({ call }) => call['security'] !== undefined)).toEqual([]);
  });
});

const securitySchemes = (document: JsonObject): JsonObject =>
  asObject(asObject(document['components'])['securitySchemes']);

function walk(value: unknown, visit: (part: JsonObject) => void): void {
  if (Array.isArray(value)) for (const one of value) walk(one, visit);
  else if (typeof value === 'object' && value !== null) {
    visit(value as JsonObject);
    for (const one of Object.values(value)) walk(one, visit);
  }
}
