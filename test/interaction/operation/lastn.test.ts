// https://hl7.org/fhir/R4/observation-operation-lastn.html
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observation, patient } from '../../support/resources.ts';
import { serve } from '../../support/serve.ts';
import type { Answer, Served } from '../../support/serve.ts';
import { testTokens } from '../../support/tokens.ts';
import { eventsOf, flags, parameters, post } from './support.ts';

const loinc = (code: string) => ({ system: 'http://loinc.org', code });
const local = (code: string) => ({ system: 'http://example.org/local', code });
const on = (day: string, codes: object, fields: object = {}): object =>
  observation(day, { effectiveDateTime: `2024-01-${day.slice(0, 2)}`, code: codes, ...fields });
const coding = (...list: object[]): object => ({ coding: list });

const records = [
  patient('p1'),
  patient('p2'),
  on('01-weight', coding(loinc('29463-7'))),
  on('02-weight', coding(loinc('29463-7'))),
  on('03-weight', coding(loinc('29463-7'))),
  on('04-height', coding(loinc('8302-2'))),
  on('05-height', coding(loinc('8302-2'))),
  // The second has both codes, so that all three are of one group.
  on('06-local', coding(local('g'))),
  on('07-both', coding(local('g'), loinc('2339-0'))),
  on('08-loinc', coding(loinc('2339-0'))),
  on('09-text', { text: 'Mood' }),
  on('10-text', { text: ' mood' }),
  on('11-text', { text: 'Sleep' }),
  on('12-other-patient', coding(loinc('29463-7')), { subject: { reference: 'Patient/p2' } }),
  on('13-lab', coding(loinc('29463-7')), { status: 'preliminary' }),
];

let server: Served;
beforeAll(async () => {
  server = await serve(records, flags);
});
afterAll(() => server.close());

const idsOf = ({ json }: Answer): string =>
  ((json.entry ?? []) as { resource: { id: string } }[]).map(({ resource }) => resource.id).join(' ');

describe('$lastn', () => {
  it.each<[string, string, string]>([
    ['the last of each code', 'patient=p1', '13-lab 11-text 10-text 08-loinc 05-height'],
    [
      'the last two of each',
      'patient=p1&max=2',
      '13-lab 03-weight 11-text 10-text 09-text 08-loinc 07-both 05-height 04-height',
    ],
    [
      'more than there are',
      'patient=p1&max=9&code=8302-2,http://example.org/local|g,http://loinc.org|2339-0',
      '08-loinc 07-both 06-local 05-height 04-height',
    ],
    ['by any search parameter', 'patient=Patient/p1&code=29463-7&date=lt2024-01-13', '03-weight'],
    ['by a status', 'patient=p1&status=final&code=29463-7', '03-weight'],
    ['of all patients', 'code=29463-7&max=2', '13-lab 12-other-patient'],
    ['of none', 'patient=p3', ''],
  ])('%s', async (_what, query, expected) => {
    const answer = await server.get(`/Observation/$lastn?${query}`);
    expect([answer.status, answer.json.type, idsOf(answer)]).toEqual([200, 'searchset', expected]);
  });

  it('takes Parameters by POST', async () => {
    const body = parameters({ name: 'max', valuePositiveInt: 1 }, { name: 'patient', valueString: 'p1' });
    const answer = await post(server, '/Observation/$lastn', body);
    expect(idsOf(answer)).toBe('13-lab 11-text 10-text 08-loinc 05-height');
    expect(answer.json.link[0].url).toBe(`${server.base}/Observation/$lastn?max=1&patient=p1`);
  });

  it('returns the requested part of each record', async () => {
    const { json } = await server.get('/Observation/$lastn?patient=p2&_elements=code');
    expect(Object.keys(json.entry[0].resource)).toEqual(['resourceType', 'id', 'meta', 'status', 'code']);
  });

  it.each<[string, string, string]>([
    ['an unknown parameter', 'patinet=p1', 'Did you mean `patient`?'],
    ['none of each', 'max=0', '`max` must be'],
    ['half of each', 'max=1.5', '`max` must be'],
    ['a repeated number', 'max=1&max=2', 'send it once'],
    ['an order', '_sort=date', '`_sort`'],
    ['a size of pages', '_count=1', '`_count`'],
    ['a wrong date', 'date=2024-13', '`2024-13`'],
  ])('refuses %s', async (_what, query, text) => {
    const { status, json } = await server.get(`/Observation/$lastn?${query}`);
    expect(status).toBe(400);
    expect(json.issue[0].diagnostics).toContain(text);
  });

  it('is no operation on an instance', async () => {
    expect((await server.get('/Observation/01-weight/$lastn')).status).toBe(404);
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
    const { status } = await guarded.get('/Observation/$lastn', tokens.bearer({ scope: 'system/Observation.r' }));
    expect(status).toBe(403);
  });

  it('sees the last of the records within its scopes, and is audited', async () => {
    const scope = 'system/Observation.rs?code=8302-2';
    const headers = { ...tokens.bearer({ scope }), 'X-Request-Id': 'last' };
    expect(idsOf(await guarded.get('/Observation/$lastn', headers))).toBe('05-height');
    expect(JSON.stringify(await eventsOf(guarded, 'last'))).toContain('"Observation/05-height/_history/1"');
  });
});

describe('more than can be read', () => {
  it('is refused with what to do', async () => {
    const many = await serve(
      Array.from({ length: 1_001 }, (_, at) => observation(`m${at}`, { code: { text: `code ${at}` } })),
      flags,
    );
    const { status, json } = await many.get('/Observation/$lastn');
    await many.close();
    expect([status, json.issue[0].code]).toEqual([403, 'too-costly']);
    expect(json.issue[0].diagnostics).toContain('Narrow the search');
  });
});
