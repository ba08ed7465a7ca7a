// `_list`, functional lists and named queries. https://hl7.org/fhir/R4/search.html#list
// https://hl7.org/fhir/R4/search.html#query
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { objectsOf } from '../../src/fhir/json-object.ts';
import { print } from '../../src/search/print.ts';
import { r4Of } from '../support/r4-of.ts';
import { put, serve, type Served } from '../support/serve.ts';
import { testTokens } from '../support/tokens.ts';
import { idsIn, queryOf } from './support/search-of.ts';

const capability = r4Of([
  'Condition',
  'MedicationRequest',
  'MedicationStatement',
  'Observation',
  'Patient',
  'Practitioner',
  'AllergyIntolerance',
  'Encounter',
]);
const clinical = 'http://terminology.hl7.org/CodeSystem/condition-clinical';

const condition = (id: string, status: string, category: string, patient = 'p1'): object => ({
  resourceType: 'Condition',
  id,
  clinicalStatus: { coding: [{ system: clinical, code: status }] },
  category: [{ coding: [{ code: category }] }],
  subject: { reference: `Patient/${patient}` },
});
const result = (id: string, code: string, day: string, value: number, patient = 'p1'): object => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  category: [{ coding: [{ code: 'laboratory' }] }],
  code: { coding: [{ system: 'http://loinc.org', code }] },
  subject: { reference: `Patient/${patient}` },
  effectiveDateTime: day,
  valueQuantity: { value, unit: 'g', system: 'http://unitsofmeasure.org', code: 'g' },
});
const list = (id: string, patient: string, entry: readonly object[]): object => ({
  resourceType: 'List',
  id,
  status: 'current',
  mode: 'changes',
  subject: { reference: `Patient/${patient}` },
  entry,
});
const item = (reference: string, more: object = {}): object => ({ item: { reference }, ...more });

const records = (base: string): readonly object[] => [
  {
    resourceType: 'Patient',
    id: 'p1',
    active: true,
    gender: 'female',
    generalPractitioner: [{ reference: 'Practitioner/d' }],
  },
  { resourceType: 'Patient', id: 'p2', active: false, generalPractitioner: [{ reference: 'Practitioner/d' }] },
  { resourceType: 'Practitioner', id: 'd', name: [{ family: 'Roy' }] },
  condition('c1', 'active', 'problem-list-item'),
  condition('c2', 'resolved', 'problem-list-item'),
  condition('c3', 'active', 'encounter-diagnosis'),
  condition('c4', 'relapse', 'problem-list-item', 'p2'),
  {
    resourceType: 'MedicationRequest',
    id: 'm1',
    status: 'active',
    intent: 'order',
    subject: { reference: 'Patient/p1' },
  },
  {
    resourceType: 'MedicationRequest',
    id: 'm2',
    status: 'stopped',
    intent: 'order',
    subject: { reference: 'Patient/p1' },
  },
  { resourceType: 'MedicationStatement', id: 'm3', status: 'intended', subject: { reference: 'Patient/p1' } },
  result('o1', '718-7', '2024-01-10', 5),
  result('o2', '718-7', '2024-03-10', 9),
  result('o3', '2093-3', '2024-03-10', 9),
  result('o4', '718-7', '2024-03-10', 9, 'p2'),
  list('l1', 'p1', [
    item('Condition/c1'),
    item(`${base}/Condition/c2`),
    item('Condition/c3', { deleted: true }),
    item('Condition/c4', { deleted: false }),
    item('Patient/p1'),
    item('Condition/nothing'),
    item('https://elsewhere.example/Condition/c3'),
    item('MedicationRequest/m1', { flag: { text: 'removed' } }),
  ]),
  list('l2', 'p2', [item('Condition/c3'), item('Patient/p2')]),
  list('l3', 'p2', []),
];

const tokens = testTokens();
let server: Served;
let guarded: Served;
beforeAll(async () => {
  server = await serve([], ['--capability', capability]);
  guarded = await serve(records('http://x'), ['--capability', capability], undefined, { verify: tokens.verify });
  await put(server.partition, records(server.base));
}, 120_000);
afterAll(async () => {
  await server.close();
  await guarded.close();
});

describe('_list', () => {
  it.each([
    [
      'finds the items of the type, without deleted ones and those elsewhere',
      'Condition?_list=l1',
      '(has List member (id "l1"))',
      'c1 c2 c4',
    ],
    ['finds a flagged item', 'MedicationRequest?_list=l1', '(has List member (id "l1"))', 'm1'],
    [
      'of one of several lists',
      'Patient?_list=l1,l2',
      '(or (has List member (id "l1")) (has List member (id "l2")))',
      'p1 p2',
    ],
    [
      'beside another parameter',
      'Condition?_list=l1&clinical-status=active',
      '(and (has List member (id "l1")) (param clinical-status (token any "active")))',
      'c1',
    ],
    ['of an empty list', 'Condition?_list=l3', '(has List member (id "l3"))', ''],
    ['of a list that does not exist', 'Condition?_list=none', '(has List member (id "none"))', ''],
    ['behind a chain', 'Condition?patient._list=l2', '(chain patient Patient (has List member (id "l2")))', 'c4'],
    [
      'in `_has`',
      'Patient?_has:Condition:patient:_list=l2',
      '(has Condition patient (has List member (id "l2")))',
      'p1',
    ],
    [
      'a functional list',
      'Condition?_list=$current-problems',
      '(and (or (param clinical-status (token any "active")) (param clinical-status (token any "recurrence")) ' +
        '(param clinical-status (token any "relapse"))) (param category (token any "problem-list-item")))',
      'c1 c4',
    ],
    [
      'a functional list of a patient',
      'Condition?patient=p1&_list=$current-problems',
      '(and (param patient (reference Patient "p1")) ' +
        '(or (param clinical-status (token any "active")) (param clinical-status (token any "recurrence")) ' +
        '(param clinical-status (token any "relapse"))) (param category (token any "problem-list-item")))',
      'c1',
    ],
    [
      'a functional list with the criteria of the type',
      'MedicationStatement?_list=$current-medications',
      '(or (param status (token any "active")) (param status (token any "intended")) ' +
        '(param status (token any "on-hold")))',
      'm3',
    ],
  ])('%s', async (_, path, ast, ids) => {
    expect(print(queryOf(server, path))).toBe(ast);
    const { status, json } = await server.get(`/${path}&_sort=_id&_total=accurate`);
    expect([status, idsIn(json), json.total]).toEqual([200, ids, ids === '' ? 0 : ids.split(' ').length]);
  });

  it('is a search of several types, and of a compartment', async () => {
    const both = (await server.get('/?_type=Condition,Patient&_list=l1&_sort=_id')).json;
    expect(idsIn(both)).toBe('c1 c2 c4 p1');
    expect(
      idsIn(
        (await server.get('/?_type=MedicationRequest,MedicationStatement&_list=$current-medications&_sort=-_id')).json,
      ),
    ).toBe('m3 m1');
    expect(idsIn((await server.get('/Patient/p2/Condition?_list=l1')).json)).toBe('c4');
  });

  it.each([
    ['Condition?_list=$nothing', '_list', '`$nothing` is no functional list. Condition has `$current-problems`.'],
    ['Condition?_list=$current-problem', '_list', 'Did you mean `$current-problems`?'],
    ['Patient?_list=$roster', '_list', '`$roster` is no functional list. Patient has none.'],
    [
      'Condition?_list=List/l1',
      '_list',
      '`List/l1` is not a value for `_list`: write the id of a List, or `$current-problems`.',
    ],
    ['Condition?_list=', '_list', '`_list` has no value'],
    ['Condition?_list=l1,', '_list', '`_list` has an empty value in its list'],
    ['Condition?_list:not=l1', '_list:not', 'The modifier `:not` is not supported on `_list`. It has none.'],
  ])('refuses %s', async (path, name, text) => {
    const { status, json } = await server.get(`/${path}`);
    expect([status, json.issue[0].expression]).toEqual([400, [`http.${name}`]]);
    expect(json.issue[0].diagnostics).toContain(text);
  });

  it('is 403 without a scope to search lists, which it names', async () => {
    const claims = { scope: 'system/Condition.rs' };
    const { status, json } = await guarded.get('/Condition?_list=l1', tokens.bearer(claims));
    expect([status, json.issue[0].code]).toEqual([403, 'forbidden']);
    expect(json.issue[0].diagnostics).toContain('List');
    const both = { scope: 'system/Condition.rs system/List.rs' };
    expect(idsIn((await guarded.get('/Condition?_list=l1&_sort=_id', tokens.bearer(both))).json)).toBe('c1 c4');
    expect((await guarded.get('/Condition?_list=$current-problems', tokens.bearer(claims))).status).toBe(200);
  });
  it('finds nothing by a list that the scope does not cover', async () => {
    const claims = { scope: 'system/Condition.rs system/List.rs?patient=Patient/p2' };
    const found = async (id: string): Promise<string> =>
      idsIn((await guarded.get(`/Condition?_list=${id}`, tokens.bearer(claims))).json);
    expect([await found('l1'), await found('l2')]).toEqual(['', 'c3']);
  });
});

describe('_query', () => {
  const since = 'Observation?_query=results-since';
  const fixed = '(param category (token any "laboratory"))';
  it.each([
    [
      'with its required parameters',
      `${since}&patient=p1&since=2024-02`,
      `(and ${fixed} (param date (high > 2024-02-01)) (param patient (reference Patient "p1")))`,
      'o2 o3',
    ],
    [
      'with optional ones, one of them a list',
      `${since}&patient=p1&since=2024&code=718-7,9-9&above=6||g`,
      `(and ${fixed} (or (param code (token any "718-7")) (param code (token any "9-9"))) ` +
        '(param date (high > 2024-01-01)) (param patient (reference Patient "p1")) ' +
        '(param value-quantity (quantity (high > 6) any "g")))',
      'o2',
    ],
    [
      'beside other parameters of the type',
      `${since}&patient=p1&since=2024&status=final&_id=o1`,
      `(and ${fixed} (param date (high > 2024-01-01)) (param patient (reference Patient "p1")) ` +
        '(param status (token any "final")) (id "o1"))',
      'o1',
    ],
    [
      'without parameters',
      'Condition?_query=current-problems&patient=p1',
      '(and (or (param clinical-status (token any "active")) (param clinical-status (token any "recurrence")) ' +
        '(param clinical-status (token any "relapse"))) (param category (token any "problem-list-item")) ' +
        '(param patient (reference Patient "p1")))',
      'c1',
    ],
    [
      'with a chain and a modifier',
      'Patient?_query=roster&doctor=Roy',
      '(and (chain general-practitioner Practitioner (param family (exact "Roy"))) (param active (token any "true")))',
      'p1',
    ],
  ])('%s', async (_, path, ast, ids) => {
    expect(print(queryOf(server, path))).toBe(ast);
    const { status, json } = await server.get(`/${path}&_sort=_id`);
    expect([status, idsIn(json)]).toEqual([200, ids]);
  });

  it('is in the self link, in pages and in POST', async () => {
    const first = (await server.get(`/${since}&patient=p1&since=2024&_count=1&_sort=_id`)).json;
    expect([first.link[0].url, idsIn(first)]).toEqual([
      `${server.base}/${since}&patient=p1&since=2024&_count=1&_sort=_id`,
      'o1',
    ]);
    const next = new URL(first.link[1].url);
    expect(idsIn((await server.get(`/Observation${next.search}`)).json)).toBe('o2');
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const body = '_query=results-since&patient=p2&since=2024';
    expect(idsIn((await server.ask('POST', '/Observation/_search', { headers, body })).json)).toBe('o4');
  });

  it.each([
    ['Observation?_query=results', '_query', '`results` is no named query of Observation. Use `results-since`.'],
    ['Observation?_query=results-sinse', '_query', 'Did you mean `results-since`?'],
    ['Encounter?_query=results-since', '_query', '`_query` is not supported'],
    [`${since}&_query=results-since`, '_query', '`_query` is repeated'],
    ['Observation?_query:a=results-since', '_query:a', 'The modifier `:a` is not supported on `_query`'],
    [`${since}&patient=p1`, 'since', 'The query `results-since` needs the parameter `since`: send it.'],
    [`${since}&patient=p1&since=2024&nothing=1`, 'nothing', 'no search parameter `nothing`'],
    [`${since}&patient=p1&since=soon`, 'since', '`soon` is not a value for `since`: a date is written'],
    [`${since}&patient=p1&since=2024,2025`, 'since', '`since` has several values'],
    [`${since}&patient=p1&since=2024&since=2025`, 'since', '`since` is repeated'],
    [`${since}&patient=p1&since:missing=true`, 'since:missing', 'The modifier `:missing` is not supported'],
    [`${since}&patient=&since=2024`, 'patient', '`patient` has no value'],
    [`${since}&patient=p1&since=2024&code=a,`, 'code', '`code` has an empty value'],
    [
      `${since}&patient=p%2f1&since=2024`,
      'patient',
      'The query `results-since` cannot be made with this `patient`. `Patient/p/1` is not a value for `patient`',
    ],
    [`${since}&patient=p1&since=le2024`, 'since', 'cannot be made with this `since`. `gele2024` is not a value'],
  ])('refuses %s, whatever the handling', async (path, name, text) => {
    for (const handling of name === 'nothing' ? ['strict'] : ['strict', 'lenient']) {
      const { status, json } = await server.get(`/${path}`, { Prefer: `handling=${handling}` });
      expect([status, json.issue[0].expression]).toEqual([400, [`http.${name}`]]);
      expect(json.issue[0].diagnostics).toContain(text);
    }
  });

  it('follows references among what the caller may search only', async () => {
    const path = '/Patient?_query=roster&doctor=Roy';
    expect((await guarded.get(path, tokens.bearer({ scope: 'system/Patient.rs' }))).status).toBe(403);
    const both = { scope: 'system/Patient.rs system/Practitioner.rs' };
    expect(idsIn((await guarded.get(path, tokens.bearer(both))).json)).toBe('p1');
  });
});

describe('the statement', () => {
  it('lists named queries, functional lists and `_list`', async () => {
    const { json } = await server.get('/metadata');
    const type = (name: string) => objectsOf(json.rest[0].resource).find(one => one['type'] === name);
    const param = (name: string, code: string) =>
      objectsOf(type(name)?.['searchParam']).find(one => one['name'] === code);
    expect(objectsOf(type('Observation')?.['operation'])).toContainEqual({
      name: 'results-since',
      definition: 'http://example.org/fhir/query/results-since',
    });
    expect(param('Observation', '_query')).toEqual({
      name: '_query',
      definition: 'http://hl7.org/fhir/SearchParameter/Resource-query',
      type: 'token',
      documentation: 'One of `results-since`, with its parameters.',
    });
    expect(param('Encounter', '_query')).toBeUndefined();
    expect(param('Condition', '_list')).toMatchObject({
      type: 'special',
      documentation: expect.stringContaining('Functional lists: `$current-problems`.'),
    });
  });
});

describe('an interface that declares neither', () => {
  it.each(['_list=a', '_query=a', '_list=$current-problems'])('refuses %s', async query => {
    const plain = await serve([]);
    const { status, json } = await plain.get(`/Condition?${query}`);
    await plain.close();
    expect([status, json.issue[0].code]).toEqual([400, 'not-supported']);
  });
});
