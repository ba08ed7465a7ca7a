// Who may write definitions that are records: a wildcard scope does not, a scope that names the type does.
// https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storedParameters } from './support/stored-parameters.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';
import { testTokens } from '../support/tokens.ts';

const tokens = testTokens();
let server: Served;
beforeAll(async () => {
  const folder = join(import.meta.dirname, '../fixtures/defining');
  server = await serve([patient('p1')], ['--definitions', folder], undefined, { verify: tokens.verify });
});
afterAll(() => server.close());

const [one = { resourceType: '', id: '' }] = storedParameters;
const path = `/SearchParameter/${one.id}`;
const ask = (scope: string, method: string, to: string, body?: object, headers: Record<string, string> = {}) =>
  server.ask(method, to, {
    headers: {
      authorization: `Bearer ${tokens.token({ scope, patient: 'p1', partition: 'demo' })}`,
      ...(body === undefined ? {} : { 'content-type': 'application/fhir+json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const bundle = (type: string) => ({
  resourceType: 'Bundle',
  type,
  entry: [{ resource: one, request: { method: 'PUT', url: path.slice(1) } }],
});

describe('a definition is written', () => {
  it.each([
    ['a wildcard', 'system/*.cruds'],
    ['a scope of a patient, also one that names the type', 'patient/SearchParameter.cruds'],
    ['a scope that only reads', 'system/SearchParameter.rs'],
  ])('not by %s', async (_, scope) => {
    const patched = { 'content-type': 'application/json-patch+json' };
    const refused = [
      await ask(scope, 'PUT', path, one),
      await ask(scope, 'POST', '/SearchParameter', one),
      await ask(scope, 'PUT', '/SearchParameter?url=http://example.org/about', one),
      await ask(scope, 'PATCH', path, [], patched),
      await ask(scope, 'DELETE', path),
      await ask(scope, 'DELETE', '/SearchParameter?url=http://example.org/about'),
      await ask(scope, 'POST', '', bundle('transaction')),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
    expect(refused[0]?.headers['www-authenticate']).toContain('system/SearchParameter.cruds');
    const batch = await ask(scope, 'POST', '', bundle('batch'));
    expect(batch.json.entry[0].response.status).toMatch(/^403/u);
  });

  it('by a scope that names the type', async () => {
    expect((await ask('system/SearchParameter.cud', 'PUT', path, one)).status).toBe(201);
    expect((await ask('system/SearchParameter.cud', 'POST', '', bundle('transaction'))).status).toBe(200);
  });

  it('and read with any valid token, and no other', async () => {
    expect((await ask('patient/Patient.rs', 'GET', path)).status).toBe(200);
    expect(
      (await ask('patient/Patient.rs', 'GET', '/SearchParameter?url=http://example.org/about')).json.entry,
    ).toHaveLength(1);
    expect((await server.get(path)).status).toBe(401);
  });
});

it('a Questionnaire follows ordinary scopes', async () => {
  const form = { resourceType: 'Questionnaire', id: 'form', status: 'draft' };
  expect((await ask('patient/Patient.rs', 'GET', '/Questionnaire/form')).status).toBe(403);
  expect((await ask('system/*.cruds', 'PUT', '/Questionnaire/form', form)).status).toBe(201);
});
