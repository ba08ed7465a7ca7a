// An operation that is a search, by the criteria of its OperationDefinition: `$docref` of US Core.
// https://hl7.org/fhir/us/core/STU6.1/OperationDefinition-docref.html
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patient } from '../../support/resources.ts';
import { serve } from '../../support/serve.ts';
import type { Answer, Served } from '../../support/serve.ts';
import { testTokens } from '../../support/tokens.ts';
import { eventsOf, parameters, post } from './support.ts';

const flags = ['--definitions', join(import.meta.dirname, '../../fixtures/documents')];

const loinc = 'http://loinc.org';
const profile = 'http://example.org/StructureDefinition/letter';
/** A document of p1 with a LOINC code; `care` is the first and the last day of its period of care. */
const document = (id: string, code: string, date: string, care: readonly string[] = [], fields: object = {}) => ({
  resourceType: 'DocumentReference',
  id,
  status: 'current',
  type: { coding: [{ system: loinc, code }] },
  subject: { reference: 'Patient/p1' },
  date: `${date}T12:00:00Z`,
  content: [{ attachment: { url: 'http://example.org/document' } }],
  ...(care.length === 0 ? {} : { context: { period: { start: care[0], end: care[1] } } }),
  ...fields,
});
const [summary, discharge, letter] = ['34133-9', '18842-5', '51852-2'];
const records = [
  patient('p1'),
  patient('p2'),
  document('old-summary', summary, '2024-01-31', ['2024-01-01', '2024-01-31']),
  document('summary', summary, '2024-03-31', ['2024-03-01', '2024-03-31']),
  document('replaced', summary, '2024-05-01', [], { status: 'superseded' }),
  document('discharge', discharge, '2024-06-30', ['2024-02-10', '2024-02-20']),
  document('replaced-discharge', discharge, '2024-02-21', ['2024-02-10', '2024-02-20'], { status: 'superseded' }),
  document('mistaken', discharge, '2024-02-22', ['2024-02-10', '2024-02-20'], { status: 'entered-in-error' }),
  document('letter', letter, '2024-04-01', [], { meta: { profile: [profile] } }),
  document('of-other', summary, '2024-06-01', ['2024-01-01', '2024-12-31'], { subject: { reference: 'Patient/p2' } }),
];

let server: Served;
beforeAll(async () => {
  server = await serve(records, flags);
});
afterAll(() => server.close());

interface Entry {
  readonly resource: { readonly id: string; readonly issue?: readonly { readonly diagnostics: string }[] };
  readonly search: { readonly mode: string };
}
const entriesOf = ({ json }: Answer): readonly Entry[] => json.entry ?? [];
const idsOf = (answer: Answer): string =>
  entriesOf(answer)
    .filter(({ search }) => search.mode === 'match')
    .map(({ resource }) => resource.id)
    .toSorted()
    .join(' ');

describe('$docref', () => {
  it.each<[string, string, string]>([
    ['the latest current summary, by the patient alone', 'patient=p1', 'summary'],
    ['the same, if both kinds of documents are wanted', 'patient=p1&on-demand=false', 'summary'],
    ['the same, whatever the size and the order of pages', 'patient=p1&_count=20&_sort=date', 'summary'],
    ['current documents of a type', `patient=p1&type=${loinc}|${discharge}`, 'discharge'],
    ['current documents of two types', `patient=p1&type=${loinc}|${discharge}&type=${letter}`, 'discharge letter'],
    ['the same as a list', `patient=p1&type=${discharge},${letter}`, 'discharge letter'],
    ['current documents that claim a profile', `patient=p1&profile=${profile}`, 'letter'],
    ['documents of care from a day', 'patient=p1&start=2024-03-31', 'summary'],
    ['documents of care until a day', 'patient=p1&end=2024-01-01', 'old-summary'],
    [
      'documents of care between days, also replaced ones',
      'patient=p1&start=2024-02-20&end=2024-03-01',
      'discharge replaced-discharge summary',
    ],
    ['the same of a type', `patient=p1&start=2024-02-20&end=2024-03-01&type=${summary}`, 'summary'],
    ['dates of care, not of the document', 'patient=p1&start=2024-06-01', ''],
    ['instants of care', 'patient=p1&start=2024-03-31T23:00:00Z&end=2024-04-01T00:00:00%2B01:00', 'summary'],
    ['narrowed by search parameters', 'patient=p1&start=2024-01-01&date=lt2024-02-01', 'old-summary'],
    ['no document of an unknown patient', 'patient=p3', ''],
  ])('returns %s', async (_what, query, expected) => {
    const answer = await server.get(`/DocumentReference/$docref?${query}`);
    expect([answer.status, answer.json.type, idsOf(answer)]).toEqual([200, 'searchset', expected]);
  });

  it('counts the one summary that it returns, and has no further page', async () => {
    const { json } = await server.get('/DocumentReference/$docref?patient=p1&_total=accurate');
    expect(json.total).toBe(1);
    expect(json.link.map(({ relation }: { relation: string }) => relation)).toEqual(['self']);
    expect((await server.get('/DocumentReference/$docref?patient=p1&_summary=count')).json.total).toBe(1);
  });

  it('finds nothing on demand, and says why', async () => {
    const answer = await server.get('/DocumentReference/$docref?patient=p1&on-demand=true&start=2024-01-01');
    expect([answer.status, answer.json.type, idsOf(answer)]).toEqual([200, 'searchset', '']);
    expect(entriesOf(answer).map(({ search }) => search.mode)).toEqual(['outcome']);
    expect(entriesOf(answer)[0]?.resource.issue?.[0]?.diagnostics).toContain('No document is generated on demand here');
  });

  it('takes Parameters by POST', async () => {
    const body = parameters(
      { name: 'patient', valueId: 'p1' },
      { name: 'type', valueCoding: { system: loinc, code: discharge } },
      { name: 'type', valueCoding: { system: loinc, code: letter } },
      { name: 'on-demand', valueBoolean: false },
    );
    const answer = await post(server, '/DocumentReference/$docref', body);
    expect([answer.status, idsOf(answer)]).toEqual([200, 'discharge letter']);
    const dated = parameters({ name: 'patient', valueId: 'p1' }, { name: 'start', valueDateTime: '2024-03-01' });
    expect(idsOf(await post(server, '/DocumentReference/$docref', dated))).toBe('summary');
  });

  it('has pages', async () => {
    const path = '/DocumentReference/$docref?patient=p1&start=2024-01-01&_count=2';
    const found: string[] = [];
    for (let next: string | undefined = path; next !== undefined;) {
      const answer: Answer = await server.get(next);
      expect(answer.status).toBe(200);
      found.push(...idsOf(answer).split(' '));
      const links = answer.json.link as { relation: string; url: string }[];
      next = links.find(({ relation }) => relation === 'next')?.url.slice(server.base.length);
    }
    expect(found.toSorted().join(' ')).toBe('discharge old-summary replaced-discharge summary');
  });

  it('does not change what a search by the same names means', async () => {
    await server.get(`/DocumentReference/$docref?patient=p1&type=${summary}`);
    expect(idsOf(await server.get(`/DocumentReference?patient=p1&type=${summary}`))).toBe(
      'old-summary replaced summary',
    );
    expect(idsOf(await server.get(`/DocumentReference/$docref?patient=p1&type=${summary}`))).toBe(
      'old-summary summary',
    );
  });

  it.each<[string, string, string]>([
    ['no patient', 'start=2024-01-01', 'The operation `$docref` needs the parameter `patient`: send it.'],
    ['two patients', 'patient=p1&patient=p2', '`patient` is repeated: send it once.'],
    ['a list of patients', 'patient=p1,p2', '`patient` has several values'],
    ['a reference to the patient', 'patient=Patient/p1', '`patient` must be an id'],
    ['a wrong date', 'patient=p1&start=2024-13', '`2024-13`'],
    ['a date with a prefix', 'patient=p1&start=gt2024', '`start` must be a date that exists'],
    ['a flag that is none', 'patient=p1&on-demand=yes', '`on-demand` must be `true` or `false`, not `yes`.'],
    ['a modifier', 'patient=p1&type:not=x', '`:not`'],
    ['an unknown parameter', 'patient=p1&strat=2024', '`strat`'],
    ['a named query', 'patient=p1&_query=x', '`_query`'],
  ])('refuses %s', async (_what, query, text) => {
    const { status, json } = await server.get(`/DocumentReference/$docref?${query}`);
    expect(status).toBe(400);
    expect(json.issue[0].diagnostics).toContain(text);
  });

  it('refuses Parameters of other types', async () => {
    const body = parameters({ name: 'patient', valueId: 'p1' }, { name: 'type', valueString: summary });
    const { status, json } = await post(server, '/DocumentReference/$docref', body);
    expect([status, json.issue[0].diagnostics]).toEqual([
      400,
      'The parameter `type` must be of the type Coding, not `valueString`.',
    ]);
    const empty = parameters({ name: 'patient', valueId: 'p1' }, { name: 'type', valueCoding: { display: 'Letter' } });
    expect((await post(server, '/DocumentReference/$docref', empty)).status).toBe(400);
  });

  it('is no operation on an instance', async () => {
    expect((await server.get('/DocumentReference/summary/$docref?patient=p1')).status).toBe(404);
  });

  it('is an entry of a batch', async () => {
    const request = { method: 'GET', url: 'DocumentReference/$docref?patient=p1' };
    const { json } = await post(server, '/', { resourceType: 'Bundle', type: 'batch', entry: [{ request }] });
    expect(json.entry[0].resource.entry[0].resource.id).toBe('summary');
  });

  it('is in /metadata and in the OpenAPI description with its parameters', async () => {
    const { json } = await server.get('/metadata');
    const type = json.rest[0].resource.find((one: { type: string }) => one.type === 'DocumentReference');
    expect(type.operation).toEqual([
      { name: 'docref', definition: 'https://clinical-records.example/fhir/OperationDefinition/us-core-docref' },
    ]);
    const { json: described } = await server.get('/openapi.json');
    const path = Object.keys(described.paths).find(one => one.endsWith('/DocumentReference/$docref')) ?? '';
    const all = described.components.parameters;
    const names = described.paths[path].get.parameters.map(
      ({ $ref }: { $ref: string }) => all[$ref.slice($ref.lastIndexOf('/') + 1)].name,
    );
    expect(names).toEqual(expect.arrayContaining(['patient', 'start', 'end', 'type', 'on-demand', 'profile']));
  });
});

describe('a caller', () => {
  const tokens = testTokens();
  let guarded: Served;
  beforeAll(async () => {
    guarded = await serve(records, flags, undefined, { verify: tokens.verify });
  });
  afterAll(() => guarded.close());

  it('needs a scope to search', async () => {
    const headers = tokens.bearer({ scope: 'system/DocumentReference.r' });
    expect((await guarded.get('/DocumentReference/$docref?patient=p1', headers)).status).toBe(403);
  });

  it('with a patient in context does not see the documents of another, and is audited', async () => {
    const claims = { scope: 'patient/DocumentReference.rs', patient: 'p1' };
    const headers = { ...tokens.bearer(claims), 'X-Request-Id': 'own' };
    const own = await guarded.get('/DocumentReference/$docref?patient=p1', headers);
    expect(idsOf(own)).toBe('summary');
    expect(JSON.stringify(await eventsOf(guarded, 'own'))).toContain('"DocumentReference/summary/_history/1"');
    for (const query of ['patient=p2', 'patient=p2&start=2024-01-01', `patient=p2&type=${summary}`]) {
      const other = await guarded.get(`/DocumentReference/$docref?${query}`, tokens.bearer(claims));
      expect([other.status, idsOf(other)]).toEqual([200, '']);
    }
    const body = parameters({ name: 'patient', valueId: 'p2' });
    expect(idsOf(await post(guarded, '/DocumentReference/$docref', body, tokens.bearer(claims)))).toBe('');
  });

  it('sees the latest summary within its scopes', async () => {
    const scope = 'system/DocumentReference.rs?date=lt2024-02-01';
    const answer = await guarded.get('/DocumentReference/$docref?patient=p1', tokens.bearer({ scope }));
    expect(idsOf(answer)).toBe('old-summary');
  });
});
