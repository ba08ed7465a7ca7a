// https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html: who may ask for `$validate`, and what of
// it is kept.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEvents } from '../../src/audit/read-events.ts';
import type { Claims } from '../../src/auth/claims.ts';
import { list } from '../store/support/list.ts';
import { media } from '../support/media.ts';
import { patient } from '../support/resources.ts';
import { putDeleted, serve } from '../support/serve.ts';
import type { Answer, Served } from '../support/serve.ts';
import { clinician, testTokens } from '../support/tokens.ts';
import { auditOf } from '../support/audit-of.ts';

const tokens = testTokens();
let server: Served;
beforeAll(async () => {
  const flags = ['--definitions', join(import.meta.dirname, '../fixtures/validated')];
  server = await serve([patient('p1'), patient('p2')], flags, undefined, { verify: tokens.verify });
  await putDeleted(server.partition, 'gone');
});
afterAll(() => server.close());

const ask = (method: string, path: string, claims: Partial<Claims>, body?: object, id?: string): Promise<Answer> =>
  server.ask(method, path, {
    headers: {
      'Content-Type': 'application/fhir+json',
      ...tokens.bearer(claims),
      ...(id === undefined ? {} : { 'X-Request-Id': id }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

const ann = { scope: 'patient/Patient.rs', patient: 'p1', subject: 'ann' };
const system = { scope: 'system/Patient.rs' };

describe('a type', () => {
  it.each<[string, string, Partial<Claims>, object, number]>([
    ['may be read', '/Patient/$validate', { scope: 'system/Patient.r' }, patient('x'), 200],
    ['may be searched alone', '/Patient/$validate', { scope: 'system/Patient.s' }, patient('x'), 403],
    ['may be created', '/Media/$validate', { scope: 'user/Media.c', ...clinician }, media(), 200],
    ['is another one', '/Media/$validate', system, media(), 403],
  ])('that %s: %s with %j', async (...[, path, claims, body, status]) => {
    expect((await ask('POST', path, claims, body)).status).toBe(status);
  });

  it('needs a token', async () => {
    const headers = { 'Content-Type': 'application/fhir+json' };
    const answer = await server.ask('POST', '/Patient/$validate', { headers, body: '{}' });
    expect(answer.status).toBe(401);
  });

  it('says which scopes would do', async () => {
    const { headers, json } = await ask('POST', '/Patient/$validate', { scope: 'system/Observation.rs' }, patient('x'));
    expect(json.issue[0].diagnostics).toBe('The token has no scope for $validate of Patient.');
    expect(headers['www-authenticate']).toContain('system/Patient.rs');
  });
});

describe('an instance', () => {
  it.each<[string, string, Partial<Claims>, number]>([
    ['of the patient in context', 'p1', ann, 200],
    ['of another patient', 'p2', ann, 404],
    ['that never was', 'none', ann, 404],
    ['that was deleted, for who sees some', 'gone', ann, 404],
    ['that was deleted, for who sees all', 'gone', system, 410],
    ['of any, for a system', 'p2', system, 200],
    ['for who may not read', 'p1', { scope: 'system/Patient.s' }, 403],
  ])('%s', async (_, id, claims, status) => {
    for (const [method, body] of [['GET'], ['POST', patient(id)]] as const) {
      const answer = await ask(method, `/Patient/${id}/$validate`, claims, body);
      expect([answer.status, answer.json.resourceType]).toEqual([status, 'OperationOutcome']);
    }
  });

  it('of another patient is answered like one that never existed', async () => {
    const [other, none] = [
      await ask('GET', '/Patient/p2/$validate', ann),
      await ask('GET', '/Patient/px/$validate', ann),
    ];
    expect(other.text.replace('p2', 'px')).toBe(none.text);
  });
});

it('a create that the token does not allow is reported as such, without any data of the store', async () => {
  const body = media({ subject: { reference: 'Patient/none' } });
  const answer = await ask('POST', '/Media/$validate?mode=create', { scope: 'system/Media.r' }, body);
  const errors = answer.json.issue.filter(({ severity }: { severity: string }) => severity === 'error');
  expect([answer.status, errors]).toEqual([
    200,
    [{ severity: 'error', code: 'forbidden', diagnostics: 'The token has no scope for create of Media.' }],
  ]);
});

it.each<[string, string, string, string[]]>([
  ['GET', '/Patient/p1/$validate', 'validate-1', ['Patient/p1', 'Patient/p1/$validate']],
  ['POST', '/Patient/$validate', 'validate-2', ['Patient/$validate']],
])('%s %s leaves an event', async (method, path, id, entities) => {
  await ask(method, path, system, method === 'POST' ? patient('x') : undefined, id);
  await expect.poll(() => eventsOf(id)).toHaveLength(1);
  const events = await eventsOf(id);
  expect(events[0]).toMatchObject({
    action: 'E',
    outcome: '0',
    subtype: [{ system: 'http://hl7.org/fhir/restful-interaction', code: 'operation' }],
  });
  const text = JSON.stringify(events[0]);
  for (const entity of entities) expect(text + Buffer.from(queryOf(text), 'base64').toString()).toContain(entity);
});

const eventsOf = async (id: string): Promise<readonly unknown[]> =>
  (await list(readEvents(auditOf(server.running.engine.store))))
    .filter(({ text }) => text.includes(`"value":"${id}"`))
    .map(({ text }) => JSON.parse(text) as unknown);

/** The value of `entity.query`, base64. */
const queryOf = (text: string): string => /"query":"([^"]*)"/.exec(text)?.[1] ?? '';
