// https://hl7.org/fhir/R4/search.html#reference, #date and #uri: values as records write them, through the served
// interface.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

const url = 'https://example.org/fhir/CapabilityStatement/clinic';
const answers = (id: string, questionnaire?: string) => ({
  resourceType: 'QuestionnaireResponse',
  id,
  status: 'completed',
  ...(questionnaire === undefined ? {} : { questionnaire }),
});
const basic = (id: string, extension: readonly object[]) => ({
  resourceType: 'Basic',
  id,
  code: { text: id },
  subject: { reference: 'Patient/p1' },
  extension,
});
const seen = (value: object): object => ({ url: 'urn:seen', ...value });
const visit = (kind: string, on: object): object => ({
  url: 'urn:visit',
  extension: [
    { url: 'kind', valueCode: kind },
    { url: 'on', ...on },
  ],
});
const statement = (id: string, version?: string) => ({
  resourceType: 'CapabilityStatement',
  id,
  url,
  ...(version === undefined ? {} : { version }),
});

const flags = ['--definitions', join(import.meta.dirname, '../fixtures/searched')];
let server: Served;
beforeAll(async () => {
  server = await serve(
    [
      answers('relative', 'Questionnaire/gcs'),
      answers('versioned', 'Questionnaire/gcs|2'),
      answers('fragment', '#gcs'),
      answers('none'),
      statement('v4', '4.0.1'),
      statement('v5', '5.0.0'),
      statement('plain'),
      basic('day', [seen({ valueDate: '2018-10-29' }), visit('a', { valueDate: '2018-10-29' })]),
      basic('next', [seen({ valueDate: '2018-10-30' }), visit('a', { valueDate: '2018-10-30' })]),
      basic('time', [seen({ valueDateTime: '2018-10-29T23:30:00-04:00' })]),
      basic('half', [seen({ valueInstant: '2020-02-29T10:00:15.500Z' })]),
      basic('finer', [seen({ valueDateTime: '2020-02-29T10:00:15.500002Z' })]),
    ],
    flags,
  );
});
afterAll(() => server.close());

const ids = async (query: string): Promise<string> => {
  const { status, json } = await server.get(query);
  expect([status, json.issue]).toEqual([200, undefined]);
  const found: { resource: { id: string } }[] = json.entry ?? [];
  return found
    .map(({ resource }) => resource.id)
    .toSorted()
    .join(' ');
};

describe('search finds', () => {
  it.each([
    ['a relative canonical', '/QuestionnaireResponse?questionnaire=Questionnaire/gcs', 'relative versioned'],
    ['it by its id, where there is one target', '/QuestionnaireResponse?questionnaire=gcs', 'relative versioned'],
    ['one version of it', '/QuestionnaireResponse?questionnaire=Questionnaire/gcs|2', 'versioned'],
    ['a fragment as present', '/QuestionnaireResponse?questionnaire:missing=true', 'none'],
    ['a definition by its URL', `/CapabilityStatement?url=${url}`, 'plain v4 v5'],
    ['one version of a definition', `/CapabilityStatement?url=${url}|4.0.1`, 'v4'],
    ['no version that there is not', `/CapabilityStatement?url=${url}|3.0.2`, ''],
    ['a date beside other types by its day', '/Basic?seen=2018-10-29', 'day time'],
    ['it in a composite', '/Basic?kind-on=a$2018-10-29', 'day'],
    ['what is before it', '/Basic?seen=lt2018-10-30', 'day time'],
    ['what is from it on, below a bound', '/Basic?seen=ge2018-10-30&seen=lt2020', 'next'],
    ['what is before a time with finer digits', '/Basic?seen=lt2020-02-29T10:00:15.5000001Z&seen=ge2020', 'half'],
    ['what is after it', '/Basic?seen=gt2020-02-29T10:00:15.5000001Z', 'finer'],
    ['a time by its finer digits', '/Basic?seen=2020-02-29T10:00:15.500002Z', 'finer'],
    ['a time without them', '/Basic?seen=2020-02-29T10:00:15.5Z', 'half'],
  ])('%s: %s', async (_, query, expected) => {
    expect(await ids(query)).toBe(expected);
  });

  it('a relative canonical by our own absolute URL', async () => {
    expect(await ids(`/QuestionnaireResponse?questionnaire=${server.base}/Questionnaire/gcs`)).toBe(
      'relative versioned',
    );
  });

  it('times in the order of their finer digits', async () => {
    const query = '/Basic?seen=ge2020&_count=1&_elements=id&_sort=';
    for (const [sort, first, second] of [
      ['seen', 'half', 'finer'],
      ['-seen', 'finer', 'half'],
    ] as const) {
      const { json } = await server.get(`${query}${sort}`);
      expect(json.entry[0].resource.id).toBe(first);
      const next: string = json.link.find(({ relation }: { relation: string }) => relation === 'next').url;
      expect(await ids(next.slice(server.base.length))).toBe(second);
    }
  });
});

it.each([{}, { Prefer: 'handling=lenient' }])(
  'answers 400 for a version of a referenced record, with %o',
  async headers => {
    const { status, json } = await server.get('/Basic?subject=Patient/p1/_history/3', headers);
    expect(status).toBe(400);
    expect(json.issue[0]).toMatchObject({ code: 'value', expression: ['http.subject'] });
    expect(json.issue[0].diagnostics).toContain('write `Patient/p1`');
  },
);

it.each(['subject.name=ann', 'subject:Patient.name=ann', '_has:Observation:patient:code=1234-5'])(
  'answers 400 for %s under lenient handling too',
  async query => {
    const { status, json } = await server.get(`/Basic?${query}`, { Prefer: 'handling=lenient' });
    expect([status, json.issue[0].code]).toEqual([400, 'not-supported']);
  },
);
