// https://hl7.org/fhir/R4/search.html#revinclude: how many records a page includes, and what it says where that cuts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { r4Of } from '../support/r4-of.ts';
import { observation, patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

let server: Served;
beforeAll(async () => {
  const of = (owner: string, count: number): object[] =>
    Array.from({ length: count }, (_, at) => ({
      ...observation(`${owner}-${at}`),
      subject: { reference: `Patient/${owner}` },
    }));
  const records = [patient('few'), patient('many'), ...of('few', 700), ...of('many', 1_001)];
  server = await serve(records, ['--capability', r4Of(['Observation', 'Patient'])]);
}, 60_000);
afterAll(() => server.close());

interface Entry {
  readonly search: { readonly mode: string };
  readonly resource: { readonly issue?: readonly { readonly diagnostics: string }[] };
}

describe('a page of one patient', () => {
  it.each<[string, string, number, readonly string[]]>([
    ['has all of 700 observations by two parameters', '_id=few&_revinclude=*', 700, []],
    [
      'has all by one parameter that the other one has found',
      '_id=few&_revinclude=Observation:subject&_revinclude=Observation:patient',
      700,
      [],
    ],
    [
      'has 1,000 of 1,001 observations, and names what is missing',
      '_id=many&_revinclude=Observation:subject',
      1_000,
      ['`_revinclude=Observation:subject` finds more: a page includes at most 1000 records. Request smaller pages.'],
    ],
    [
      'the same with `:iterate`, which reads no further',
      '_id=many&_revinclude:iterate=*',
      1_000,
      ['`_revinclude:iterate=*` finds more: a page includes at most 1000 records. Request smaller pages.'],
    ],
  ])('%s', async (_, query, included, texts) => {
    const { json } = await server.get(`/Patient?${query}&_elements=id&_total=accurate`);
    const entries: readonly Entry[] = json.entry;
    const outcomes = entries.filter(({ search }) => search.mode === 'outcome');
    expect(json.total).toBe(1);
    expect(entries.filter(({ search }) => search.mode === 'include')).toHaveLength(included);
    expect(outcomes.flatMap(({ resource }) => resource.issue?.map(issue => issue.diagnostics))).toEqual(texts);
  });
});
