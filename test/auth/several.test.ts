// What a token allows in searches of the whole system and of compartments, and the events that they leave.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readEvents } from '../../src/audit/read-events.ts';
import { auditOf } from '../support/audit-of.ts';
import { serve, type Answer, type Served } from '../support/serve.ts';
import { testTokens } from '../support/tokens.ts';

const tokens = testTokens();
const patientApp = tokens.bearer({ scope: 'patient/Patient.rs patient/Condition.rs', patient: 'p1' });
const backend = tokens.bearer({ scope: 'system/Condition.rs system/Observation.rs' });
const reader = tokens.bearer({ scope: 'patient/Condition.r', patient: 'p1' });

let server: Served;
beforeAll(async () => {
  const guarded = join(import.meta.dirname, '../fixtures/guarded');
  const about = (patient: string): object => ({ subject: { reference: `Patient/${patient}` } });
  const records = [
    { resourceType: 'Patient', id: 'p1', gender: 'female' },
    { resourceType: 'Patient', id: 'p2', gender: 'male' },
    { resourceType: 'Condition', id: 'c1', ...about('p1') },
    { resourceType: 'Condition', id: 'c2', ...about('p2') },
    { resourceType: 'Observation', id: 'o1', status: 'final', code: { text: 'x' }, ...about('p1') },
    { resourceType: 'Observation', id: 'o2', status: 'final', code: { text: 'x' }, ...about('p2') },
  ];
  server = await serve(records, ['--definitions', guarded], undefined, { verify: tokens.verify });
});
afterAll(() => server.close());

const found = ({ json }: Answer): string =>
  ((json.entry ?? []) as readonly { resource: { resourceType: string; id: string } }[])
    .map(({ resource }) => `${resource.resourceType}/${resource.id}`)
    .join(' ');

describe('a search of several types', () => {
  it.each([
    [
      'the types that the token may search, and of those its records',
      patientApp,
      '?_sort=_id',
      'Condition/c1 Patient/p1',
    ],
    ['the same in a compartment', patientApp, '/Patient/p1/*?_sort=_id', 'Condition/c1 Patient/p1'],
    ['nothing in the compartment of somebody else', patientApp, '/Patient/p2/*?_sort=_id', ''],
    ['nothing of one type there', patientApp, '/Patient/p2/Condition', ''],
    [
      'a compartment without a scope for its own type',
      backend,
      '/Patient/p2/*?_sort=_id',
      'Condition/c2 Observation/o2',
    ],
    ['all that a system may search', backend, '?_sort=_id', 'Condition/c1 Condition/c2 Observation/o1 Observation/o2'],
  ])('finds %s', async (_, token, path, finds) => {
    const answer = await server.get(path, token);
    expect([answer.status, found(answer)]).toEqual([200, finds]);
    const separator = path.includes('?') ? '&' : '?';
    const count = await server.get(`${path}${separator}_summary=count`, token);
    expect(count.json.total).toBe(finds === '' ? 0 : finds.split(' ').length);
  });

  it.each([
    ['`_type`', patientApp, '?_type=Condition,Observation', 'system/Observation.rs', '_type'],
    ['`_type` of a compartment', patientApp, '/Patient/p1/*?_type=Observation', 'system/Observation.rs', '_type'],
    ['the path', patientApp, '/Patient/p1/Observation', 'system/Observation.rs', 'Authorization'],
    ['a chain', backend, '?_type=Condition,Observation&patient.gender=male', 'patient/Patient.rs', 'patient.gender'],
    ['a chain of one type', backend, '/Observation?_id=o1&patient.name=a', 'patient/Patient.rs', 'patient.name'],
  ])('is 403 for a type without a scope in %s, and names the scope', async (_, token, path, scope, place) => {
    const { status, headers, json } = await server.get(path, token);
    expect([status, json.issue[0].code, json.issue[0].expression]).toEqual([403, 'forbidden', [`http.${place}`]]);
    expect(headers['www-authenticate']).toContain('error="insufficient_scope"');
    expect(headers['www-authenticate']).toContain(scope);
  });

  it('is 403 for a token that may search no type', async () => {
    for (const path of ['', '/Patient/p1/*', '?_type=Condition'])
      expect((await server.get(path, reader)).status).toBe(403);
    expect((await server.get('')).status).toBe(401);
  });

  it('continues only for the caller that began it', async () => {
    const { json } = await server.get('?_count=1&_sort=_id', backend);
    const next = new URL(json.link[1].url).search;
    expect((await server.get(next, patientApp)).status).toBe(400);
    expect(found(await server.get(next, backend))).toBe('Condition/c2');
  });

  it.each([
    ['?_type=Condition&_sort=_id', 'search-system', '?_type=Condition&_sort=_id', ['Patient/p1', 'Patient/p2']],
    ['/Patient/p1/*', 'search-system', 'Patient/p1/*', ['Patient/p1']],
    [
      '/Patient/p2/Observation?date:missing=true',
      'search-type',
      'Patient/p2/Observation?date:missing=true',
      ['Patient/p2'],
    ],
  ])('leaves an event that names it: %s', async (path, interaction, query, patients) => {
    const id = `several-${path}`.replaceAll(/[^\w-]/g, '-');
    await server.get(path, { ...backend, 'X-Request-Id': id });
    const event = await vi.waitFor(
      async () => {
        for await (const { text } of readEvents(auditOf(server.running.engine.store)))
          if (text.includes(id)) return JSON.parse(text) as Event;
        throw new Error('The event is not there yet');
      },
      { timeout: 20_000 },
    );
    expect(event.subtype.map(({ code }) => code)).toEqual([interaction]);
    const queries = event.entity.flatMap(one => (one.query === undefined ? [] : [one.query]));
    expect(queries.map(text => Buffer.from(text, 'base64').toString())).toEqual([query]);
    const named = event.entity.filter(({ role }) => role?.code === '1').map(({ what }) => what?.reference);
    expect(new Set(named)).toEqual(new Set(patients));
  });
});

interface Event {
  readonly subtype: readonly { readonly code: string }[];
  readonly entity: readonly {
    readonly query?: string;
    readonly role?: { readonly code: string };
    readonly what?: { readonly reference?: string };
  }[];
}
