// https://hl7.org/fhir/R4/search.html
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { indexTable, sizeTable, summaryTable } from '../../../src/explorer/indexes/index-table.ts';
import type { IndexRow } from '../../../src/explorer/indexes/index-rows.ts';
import { observation, patient } from '../../support/resources.ts';
import { serve } from '../../support/serve.ts';
import type { Served } from '../../support/serve.ts';
import { testTokens } from '../../support/tokens.ts';
import { shownText } from '../support.ts';

describe('the tables of indexes', () => {
  const state = { partition: 'demo', type: 'Patient', param: 'name', of: 4000 } as const;
  const rows: readonly IndexRow[] = [
    {
      type: 'Patient',
      code: 'name',
      state: { ...state, state: 'pending', done: 1000 },
      searches: 12,
      sorts: 3,
      last: '2026-11-22',
    },
    {
      type: 'Patient',
      code: 'gender',
      state: { ...state, state: 'ready', done: 4000 },
      searches: 0,
      sorts: undefined,
      last: undefined,
    },
    { type: 'Observation', code: 'patient+code', state: undefined, searches: 5, sorts: undefined, last: '2026-11-23' },
  ];

  it('have state, progress and use of each index', () => {
    const table = indexTable(rows, 'en').text;
    expect(shownText(table)).toBe(
      'Index State Searches Orders Last use ' +
        'Patient?name being built 1,000 of 4,000 records 12 3 2026-11-22 ' +
        'Patient?gender ready 0 – never ' +
        'Observation?patient+code pair 5 – 2026-11-23',
    );
    expect(table).toContain('<progress max="4000" value="1000" aria-label="Patient?name">');
  });

  it('have the records of each type and what is not ready', () => {
    const table = summaryTable(rows, { language: 'en', link: type => `/i?type=${type}` }).text;
    expect(shownText(table)).toBe(
      'Type Records State Searches ' +
        'Patient 4,000 1 ready, 1 being built: searches by these are answered 503 until then. 12 ' +
        'Observation 0 ready 5',
    );
    expect(table).toContain('<a href="/i?type=Patient">');
  });

  it('have sizes by type if the store has collections by type, and by database index', () => {
    const sizes = [
      { collection: 'Patient', name: 't', state: 'ready', bytes: 1_200_000 },
      { collection: 'Patient.history', name: '_id_', state: 'ready', bytes: 2_000_000 },
      { collection: 'Patient', name: 's', state: 'missing' },
    ] as const;
    const shown = shownText(summaryTable(rows, { language: 'en', link: type => type, sizes }).text);
    expect(shown).toMatch(/^Type Records State Searches Size Patient 4,000 .* 12 3.2 MB Observation 0 ready 5 –$/);
    const shared = [{ collection: 'terms', name: 'terms', state: 'ready', bytes: 1500 }] as const;
    expect(shownText(summaryTable(rows, { language: 'en', link: type => type, sizes: shared }).text)).not.toMatch(
      /Size/,
    );
    expect(shownText(sizeTable([...sizes, ...shared], 'en').text)).toBe(
      'Index Size Patient.history._id_ 2 MB Patient.t 1.2 MB terms 1.5 kB Patient.s –',
    );
  });
});

describe('the page of indexes', () => {
  const tokens = testTokens();
  let server: Served;
  beforeAll(async () => {
    server = await serve([patient('p1'), patient('p2'), observation('o1')], [], undefined, { verify: tokens.verify });
  }, 60_000);
  afterAll(() => server.close());

  const open = (scope: string, inContext?: string, query = '') =>
    server.get(`//explorer/demo/indexes${query}`, {
      Accept: 'text/html',
      ...tokens.bearer({ scope, patient: inContext }),
    });

  it('has the types whose records the token covers without exception', async () => {
    const { status, text } = await open('system/Patient.rs', undefined, '?type=Patient');
    expect(status).toBe(200);
    const shown = shownText(text);
    expect(shown).toContain('Patient?identifier ready');
    expect(shown).toMatch(/Patient 2 ready/);
    expect(text).not.toContain('type=Observation');
    expect(shown).toMatch(/Not shown, since your access does not cover all records of the type: .*Observation/);
    expect(shown).toMatch(/The \d+ indexes of the types below are ready\./);
  });

  it('has the size of the indexes, measured in the background', async () => {
    expect((await open('system/Patient.rs')).text).toContain('<h1>Indexes</h1>');
    await expect.poll(async () => shownText((await open('system/Patient.rs')).text)).toMatch(/take [\d.]+ kB together/);
    expect(shownText((await open('system/Patient.rs')).text)).toMatch(/ terms [\d.]+ kB/);
  });

  it('has no numbers for a token that covers the records of one patient', async () => {
    const { status, text } = await open('patient/Patient.rs patient/Condition.rs', 'p1', '?type=Patient');
    expect(status).toBe(200);
    expect(text).not.toMatch(/Patient\?|<table/);
    expect(shownText(text)).toContain('there are none');
    expect(shownText(text)).not.toMatch(/\d (?:byte|kB)/);
  });

  it('is refused without a token', async () => {
    expect((await server.get('//explorer/demo/indexes', { Accept: 'text/html' })).status).toBe(401);
  });
});
