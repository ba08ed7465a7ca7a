// https://hl7.org/fhir/R4/search.html
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observation, patient } from '../../support/resources.ts';
import { serve } from '../../support/serve.ts';
import type { Served } from '../../support/serve.ts';
import { testTokens } from '../../support/tokens.ts';
import { shownText } from '../support.ts';

const path = (query: string): string => `//explorer/demo/explain?${new URLSearchParams({ query }).toString()}`;

describe('the explanation of a search', () => {
  const tokens = testTokens();
  let server: Served;
  beforeAll(async () => {
    const records = [patient('p1'), observation('o1', { valueQuantity: { value: 1, unit: 'cm' } })];
    server = await serve(records, ['--interface', 'r4'], undefined, { verify: tokens.verify });
  }, 120_000);
  afterAll(() => server.close());

  const open = (query: string, scope = 'system/*.rs', inContext?: string) =>
    server.get(path(query), { Accept: 'text/html', ...tokens.bearer({ scope, patient: inContext }) });

  it('has its conditions, the indexes that answer it, and what is read', async () => {
    const { status, text } = await open('Observation?code=8302-2&_sort=-date');
    expect(status).toBe(200);
    const shown = shownText(text);
    expect(shown).toContain('Search of Observation');
    expect(shown).toMatch(/decided by the store Order: .* – an index has it; the steps show whether it is used/);
    expect(shown).toMatch(/Order: -date none what is found is sorted|Order: -date sorts date read in this order/);
    expect(shown).toMatch(/search of Observation .*: \d+ rows examined, 1 returned/);
    expect(text).toContain('value="Observation?code=8302-2&amp;_sort=-date"');
    expect(text).toMatch(/<pre class="plan"[^>]*>SELECT/);
  });

  it('takes an absolute URL of this partition', async () => {
    expect((await open(`${server.base}/Observation?code=8302-2`)).status).toBe(200);
  });

  it.each([
    ['Patient/p1', 400],
    ['https://evil.example/Patient?name=a', 400],
    ['Observation?cod=1', 400],
    ['Observation?code=1&_explain=false', 400],
    ['<script>', 404],
  ])('answers %s with %d, as the FHIR interface does', async (query, expected) => {
    const { status, text } = await open(query);
    expect(status).toBe(expected);
    expect(text).not.toContain('<script>');
  });

  it('is refused to a token without the scope for it', async () => {
    expect((await open('Observation?code=1', 'patient/*.rs', 'p1')).status).toBe(403);
    expect((await server.get(path('Observation'), { Accept: 'text/html' })).status).toBe(401);
  });
});

describe('the shipped interface', () => {
  it('explains to backends, from the results of a search, and to nobody else', async () => {
    const tokens = testTokens();
    const server = await serve([patient('p1')], [], undefined, { verify: tokens.verify });
    const open = (target: string, scope: string) =>
      server.get(target, { Accept: 'text/html', ...tokens.bearer({ scope }) });
    const link = `href="/explorer/demo/explain?query=Patient%3Fname%3Da"`;
    expect((await open('/Patient?name=a', 'system/Patient.s')).text).toContain(link);
    expect((await open('/Patient?name=a', 'user/Patient.s')).text).not.toContain('explain?query');
    const { status, text } = await open(path('Patient?name=a'), 'system/Patient.s');
    expect([status, (await open(path('Patient?name=a'), 'user/Patient.s')).status]).toEqual([200, 403]);
    await server.close();
    expect(shownText(text)).toContain('Search of Patient');
  });
});

describe('an interface without explanations', () => {
  it('says so, in place of the form', async () => {
    const server = await serve([], ['--capability', join(import.meta.dirname, '../../fixtures/validated/capability')]);
    const { status, text } = await server.get(path('Patient?name=a'), { Accept: 'text/html' });
    await server.close();
    expect(status).toBe(200);
    expect(text).toContain('search-explain');
    expect(text).not.toContain('<form method="get"');
  });
});
