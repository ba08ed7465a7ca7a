// `_explain`: how a search is understood and answered, for those who may know.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccessContext } from '../../src/auth/access.ts';
import { createAccess } from '../../src/auth/access.ts';
import { restrict } from '../../src/auth/restrict.ts';
import { explainSearch, type Explanation } from '../../src/interaction/search/explain/explanation.ts';
import { parseSearch } from '../../src/search/parse/search.ts';
import { r4Of } from '../support/r4-of.ts';
import { onMongodb } from '../support/store-place.ts';
import { type Answer, put, serve, type Served } from '../support/serve.ts';
import { testTokens } from '../support/tokens.ts';

const tokens = testTokens();
const fixture = (name: string): string => join(import.meta.dirname, '../fixtures', name);
const about = (patient: string): object => ({ subject: { reference: `Patient/${patient}` } });
const observation = (id: string, patient: string, code: string): object => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { coding: [{ system: 'http://codes.example', code }] },
  effectiveDateTime: '2024-05-01',
  ...about(patient),
});
const records = [
  { resourceType: 'Patient', id: 'p1', gender: 'female', name: [{ family: 'Roy' }] },
  { resourceType: 'Patient', id: 'p2', gender: 'male', name: [{ family: 'Secretson' }] },
  { resourceType: 'Condition', id: 'c1', ...about('p1') },
  { resourceType: 'Condition', id: 'c2', ...about('p2') },
  observation('o1', 'p1', 'a'),
  observation('o2', 'p2', 'a'),
  observation('o3', 'p2', 'b'),
];

/** A part of a Parameters resource. */
interface Part {
  readonly name: string;
  readonly part?: readonly Part[];
  readonly valueString?: string;
  readonly valueCode?: string;
  readonly valueBoolean?: boolean;
  readonly valueInteger?: number;
}
const partsOf = ({ json }: Answer): readonly Part[] => json.parameter as readonly Part[];
const named = (parts: readonly Part[] | undefined, name: string): readonly Part[] =>
  (parts ?? []).filter(part => part.name === name);
/** The values of parts with a name. */
const values = (parts: readonly Part[] | undefined, name: string): readonly unknown[] =>
  named(parts, name).map(one => one.valueString ?? one.valueCode ?? one.valueBoolean ?? one.valueInteger);

const like = (pattern: RegExp): unknown => expect.stringMatching(pattern);
/** A join looks into contained resources too. */
const insideOfThem = '(terms _contained 2)';

describe('a search with `_explain=true`', () => {
  let server: Served;
  beforeAll(async () => {
    server = await serve([], ['--capability', r4Of(['Patient', 'Observation', 'Condition'])]);
    await put(server.partition, records);
  }, 120_000);
  afterAll(() => server.close());

  it.each([
    [
      'a plain one',
      '/Observation?code=a&_sort=-date',
      [['Observation', '(param code (token any "a"))', '-date', true]],
      [['search', 'Observation', '(terms code 2)']],
    ],
    [
      'a sort without an index',
      '/Observation?code=a&_sort=category',
      [['Observation', '(param code (token any "a"))', 'category', false]],
      [['search', 'Observation', '(terms code 2)']],
    ],
    [
      'words',
      '/Patient?_text="chest pain" che*',
      [['Patient', '(param _text (words "chest pain" "che"*))', '(default)', true]],
      [['search', 'Patient', '(words _text 2)']],
    ],
    [
      'a chain',
      '/Observation?patient.name=roy',
      [['Observation', '(chain patient Patient (param name (starts "roy")))', '(default)', true]],
      [
        ['search', 'Patient', '(starts name)'],
        ['search', 'Observation', '(or (terms _contained 1) (prefix _contained))'],
        ['search', 'Observation', like(/^\(terms patient [12]\)$/)],
      ],
    ],
    [
      '`_has`',
      '/Patient?_has:Observation:patient:code=b',
      [['Patient', '(has Observation patient (param code (token any "b")))', '(default)', true]],
      [
        ['search', 'Observation', '(terms code 2)'],
        // Of few types all are asked, of many those with records.
        ...['Condition', ...(onMongodb ? ['List'] : []), 'Observation', 'Patient'].map(type => [
          'search',
          type,
          insideOfThem,
        ]),
        ['search', 'Patient', '(ids 1)'],
      ],
    ],
    [
      'a filter',
      '/Patient?_filter=family ne roy',
      [['Patient', like(/^\(entry family \(unequal/), '(default)', true]],
      [['search', 'Patient', onMongodb ? like(/^\(starts family\)/) : '(not (terms family 1))']],
    ],
    [
      'sorts by what people sort by',
      '/Observation?_sort=code,-subject,value-quantity&_count=1',
      [['Observation', '(all)', 'code,-subject,value-quantity', true]],
      [['search', 'Observation', '']],
    ],
    [
      'a filter for another code',
      '/Observation?_filter=status ne final',
      [['Observation', '(param status (other (token any "final")))', '(default)', true]],
      [['search', 'Observation', like(/^\(or( \(prefix status\)){4}\)$/)]],
    ],
    [
      'a complement',
      '/Observation?status:not=final',
      [['Observation', '(not (param status (token any "final")))', '(default)', true]],
      [['search', 'Observation', '(not (terms status 2))']],
    ],
    [
      'an include and a total',
      '/Observation?code=b&_include=Observation:subject&_total=accurate',
      [['Observation', '(param code (token any "b"))', '(default)', true]],
      [
        ['search', 'Observation', '(terms code 2)'],
        ['read', 'Patient', ''],
        ['count', 'Observation', '(terms code 2)'],
      ],
    ],
    [
      'a compartment',
      '/Patient/p1/Condition',
      [['Condition', like(/^\(or/), '(default)', true]],
      [['search', 'Condition', like(/^\(or \(terms/)]],
    ],
    [
      'several types',
      '?_type=Condition,Patient&_sort=_id',
      [
        ['Condition', '(all)', '_id', true],
        ['Patient', '(all)', '_id', true],
      ],
      [
        ['search', 'Condition', ''],
        ['search', 'Patient', ''],
      ],
    ],
  ])('says how it is understood and which indexes answer it: %s', async (_, path, searches, steps) => {
    const answer = await server.get(`${encodeURI(path)}&_explain=true`.replace(/^([^?]*)&/, '$1?'));
    expect([answer.status, answer.json.resourceType]).toEqual([200, 'Parameters']);
    const parts = partsOf(answer);
    const read = named(parts, 'search').map(({ part }) =>
      ['type', 'query', 'sort', 'sortIndex'].flatMap(name => values(part, name)),
    );
    expect(read).toEqual(searches);
    const done = named(parts, 'step').map(({ part }) => [
      ...values(part, 'operation'),
      ...values(part, 'type'),
      named(part, 'clause')
        .flatMap(clause => values(clause.part, 'clause'))
        .join(' '),
    ]);
    expect(done).toEqual(steps);
  });

  it('counts rows, and shows statements with their plans and without values', async () => {
    const answer = await server.get('/Observation?code=http://codes.example|a&date=2024-05-01&_explain=true');
    const [step] = named(partsOf(answer), 'step');
    const statements = named(step?.part, 'statement');
    expect(statements.length).toBeGreaterThan(0);
    const last = statements.at(-1)?.part;
    expect(String(values(last, 'text'))).toContain(onMongodb ? '"find":"Observation"' : 'SELECT');
    // MongoDB plans for all partitions together, which its plans could reveal: `cli explain` alone shows them.
    expect(values(last, 'plan').join(' ')).toMatch(onMongodb ? /^$/ : /SEARCH/);
    expect(values(step?.part, 'returned')).toEqual([2]);
    expect(values(step?.part, 'examined').filter(examined => Number(examined) >= 2)).toHaveLength(onMongodb ? 0 : 1);
    expect(values(partsOf(answer), 'returned')).toEqual([2]);
    const shown = JSON.stringify(named(partsOf(answer), 'step'));
    for (const value of ['codes.example', '|a"', '2024', 'demo', 'p1']) expect(shown).not.toContain(value);
  });

  it('names the index of each clause, and which is read', async () => {
    const answer = await server.get('/Observation?patient=p2&code:not=a&_sort=_id&_explain=true');
    const clauses = named(named(partsOf(answer), 'step')[0]?.part, 'clause').map(({ part }) => [
      ...values(part, 'clause'),
      values(part, 'index')[0],
    ]);
    const by = onMongodb ? 't' : 'terms patient';
    expect(clauses).toContainEqual([onMongodb ? '(terms patient 2)' : '(terms patient 1)', by]);
    expect(clauses).toContainEqual([expect.stringMatching(/^\(not \(terms code/), undefined]);
    const [order] = named(named(partsOf(answer), 'step')[0]?.part, 'order');
    expect(values(order?.part, 'key')).toEqual(['_id']);
  });

  it.each([
    ['a page token', async () => new URL((await server.get('/Observation?code=a&_count=1')).json.link[1].url).search],
    ['a form', async () => undefined],
  ])('explains %s', async (_, query) => {
    const search = await query();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const answer =
      search === undefined
        ? await server.ask('POST', '/Observation/_search', { headers, body: 'code=a&_explain=true' })
        : await server.get(`/Observation${search}&_explain=true`);
    expect(values(named(partsOf(answer), 'search')[0]?.part, 'query')).toEqual(['(param code (token any "a"))']);
  });

  it.each([
    ['a value that is none', '_explain=maybe', '`maybe` is not a value for `_explain`'],
    ['a repetition', '_explain=true&_explain=true', '`_explain` is repeated'],
    ['a modifier', '_explain:not=true', '_explain'],
  ])('is 400 for %s', async (_, query, text) => {
    const { status, json } = await server.get(`/Observation?${query}`);
    expect([status, json.issue[0].diagnostics]).toEqual([400, expect.stringContaining(text)]);
  });

  it('answers the searchset for `_explain=false`, and is listed in `/metadata`', async () => {
    const { json } = await server.get('/Observation?code=b&_explain=false');
    expect([json.resourceType, json.entry.length, json.link[0].url]).toEqual([
      'Bundle',
      1,
      expect.not.stringContaining('_explain'),
    ]);
    const [rest] = (await server.get('/metadata')).json.rest;
    expect(rest.searchParam.map(({ name }: { name: string }) => name)).toContain('_explain');
    expect(rest.extension).toContainEqual({ url: expect.stringMatching(/search-explain$/), valueString: 'system/*.s' });
  });
});

it('is an unknown parameter where no capability file declares it', async () => {
  const server = await serve(
    [],
    ['--capability', fixture('two-more-types/capability'), '--definitions', fixture('two-more-types')],
  );
  try {
    const { status, json } = await server.get('/Practitioner?_explain=true');
    expect([status, json.issue[0].diagnostics]).toEqual([400, expect.stringContaining('_explain')]);
    const [rest] = (await server.get('/metadata')).json.rest;
    expect(JSON.stringify(rest.searchParam)).not.toContain('_explain');
  } finally {
    await server.close();
  }
}, 60_000);

describe('with access control', () => {
  let server: Served;
  beforeAll(async () => {
    server = await serve(records, ['--definitions', fixture('guarded')], undefined, { verify: tokens.verify });
  }, 60_000);
  afterAll(() => server.close());
  const system = tokens.bearer({ scope: 'system/Condition.rs system/Observation.rs' });
  const patient = tokens.bearer({ scope: 'patient/Patient.rs patient/Condition.rs', patient: 'p1' });

  it('shows statements and rows to a caller who may see every record of the types', async () => {
    const parts = partsOf(await server.get('/Observation?code=a&_explain=true', system));
    expect(named(parts, 'step').length).toBeGreaterThan(0);
    expect(values(parts, 'omitted')).toEqual([]);
    expect(values(named(parts, 'search')[0]?.part, 'restricted')).toEqual([false]);
  });

  it.each([
    ['of a patient', '/Condition?code=a', patient],
    ['of a patient, with a chain', '/Condition?patient.name=roy', patient],
  ])('shows neither to the app %s', async (_, path, token) => {
    const parts = partsOf(await server.get(`${path}&_explain=true`, token));
    expect(new Set(parts.map(({ name }) => name))).toEqual(new Set(['search', 'omitted']));
    expect(values(named(parts, 'search')[0]?.part, 'restricted')).toEqual([true]);
  });

  it('is 403 without the scope, which it names', async () => {
    const { status, headers, json } = await server.get('/Observation?_explain=true', tokens.bearer({ scope: '' }));
    expect([status, json.issue[0].code, headers['www-authenticate']]).toEqual([
      403,
      'forbidden',
      expect.stringContaining('system/Observation'),
    ]);
  });

  // What the answer of a restricted caller would show if the rows were not left out.
  it('would otherwise tell of records of others', async () => {
    const rows = async (): Promise<string> => {
      const { model, extract } = server.running.engine;
      const type = model.types.get('Condition');
      if (type === undefined) throw new Error('The type is not there');
      const { base, partition } = server;
      const context = { model, base, zone: 'UTC', handling: 'strict', now: 0 } as const;
      const claims = { issuer: '', client: 'app', subject: undefined, scope: 'patient/Condition.rs', patient: 'p1' };
      const access: AccessContext = createAccess(
        { ...claims, fhirUser: undefined, partition: 'demo', expires: Number.MAX_SAFE_INTEGER },
        { model, base, zone: 'UTC', now: 0 },
      );
      const given = parseSearch(type, [['_id', 'c1,h0,h1,h2']], context);
      const asked = { ...given, query: restrict(access, type, 's', given.query) };
      const place = { partition, extract, base, model, access, deadline: 60_000 };
      const options = { steps: true, isRestricted: () => true };
      const explanation: Explanation = await explainSearch([{ given, asked }], place, options);
      return JSON.stringify(explanation);
    };
    const before = await rows();
    await put(
      server.partition,
      Array.from({ length: 60 }, (_, at) => ({ resourceType: 'Condition', id: `h${at}`, ...about('p2') })),
    );
    expect(await rows()).not.toBe(before);
  });
});
