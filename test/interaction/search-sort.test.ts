// Sorting by any parameter, with and without a sort index. https://hl7.org/fhir/R4/search.html#sort
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { extensionBase } from '../../src/model/extension-shapes.ts';
import { type DeclaredType, r4Of } from '../support/r4-of.ts';
import { serve, type Served } from '../support/serve.ts';

const loinc = 'http://loinc.org';
const measured = (
  id: string,
  more: { code?: string; system?: string; value?: number; patient?: string; note?: string; day?: number },
): object => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { coding: [{ system: more.system ?? loinc, code: more.code ?? '1' }] },
  ...(more.patient === undefined ? {} : { subject: { reference: more.patient } }),
  ...(more.value === undefined ? {} : { valueQuantity: { value: more.value, unit: 'mg' } }),
  ...(more.day === undefined ? {} : { effectiveDateTime: `2024-01-0${more.day}` }),
});

const records = [
  measured('o1', { code: '8480-6', value: 10, patient: 'Patient/b', day: 1 }),
  measured('o2', { code: '718-7', value: 9.5, patient: 'Patient/a', day: 2 }),
  measured('o3', { code: '718-7', value: -3, patient: 'Group/z', day: 3 }),
  measured('o4', { code: 'ABC', patient: 'https://elsewhere.example/Patient/1' }),
  measured('o5', { code: 'abd', value: 1e3 }),
  { resourceType: 'Patient', id: 'a', gender: 'female', name: [{ family: 'Ünal' }, { family: 'Adams' }] },
  { resourceType: 'Patient', id: 'b', gender: 'male', name: [{ family: 'unal' }], multipleBirthInteger: 2 },
  { resourceType: 'Patient', id: 'c', gender: 'male', name: [{ family: 'St. Roy' }] },
  { resourceType: 'Patient', id: 'd' },
  { resourceType: 'RiskAssessment', id: 'r1', prediction: [{ probabilityDecimal: 0.5 }, { probabilityDecimal: 0.02 }] },
  { resourceType: 'RiskAssessment', id: 'r2', prediction: [{ probabilityDecimal: 0.1 }] },
  { resourceType: 'RiskAssessment', id: 'r3' },
  { resourceType: 'ValueSet', id: 'v1', status: 'draft', url: 'http://b' },
  { resourceType: 'ValueSet', id: 'v2', status: 'draft', url: 'http://B' },
  { resourceType: 'ValueSet', id: 'v3', status: 'active', url: 'http://a' },
];

const rows: readonly (readonly [rule: string, search: string, ids: string])[] = [
  ['a token by its code, without case', 'Observation?_sort=code', 'o2 o3 o1 o4 o5'],
  ['descending, ties by id in its direction', 'Observation?_sort=-code', 'o5 o4 o1 o3 o2'],
  ['a second key', 'Observation?_sort=code,-date', 'o3 o2 o1 o4 o5'],
  ['a quantity by its value, missing last', 'Observation?_sort=value-quantity', 'o3 o2 o1 o5 o4'],
  ['missing last in descending order too', 'Observation?_sort=-value-quantity', 'o5 o1 o2 o3 o4'],
  ['a reference by type and id', 'Observation?_sort=subject', 'o3 o2 o1 o4 o5'],
  ['a string without case and accents; of several the first in the order', 'Patient?_sort=family', 'a c b d'],
  ['of several the last in a descending order', 'Patient?_sort=-family', 'b a c d'],
  ['three keys', 'Patient?_sort=-gender,family,-_id', 'c b a d'],
  ['a number, of several the lowest', 'RiskAssessment?_sort=probability', 'r1 r2 r3'],
  ['a number, of several the highest', 'RiskAssessment?_sort=-probability', 'r1 r2 r3'],
  ['a uri as written', 'ValueSet?_sort=url', 'v2 v3 v1'],
  ['with other parameters', 'Patient?gender=male&_sort=-family', 'b c'],
  ['with a chain', 'Observation?subject:Patient.gender=female,male&_sort=-code', 'o1 o2'],
  ['with `_has`', 'Patient?_has:Observation:patient:code=718-7,8480-6&_sort=family', 'a b'],
];

describe.each([
  ['without sort indexes', false],
  ['with sort indexes', true],
])('%s', (_, isIndexed) => {
  let server: Served;
  beforeAll(async () => {
    const capability = r4Of(
      ['Observation', 'Patient', 'RiskAssessment', 'ValueSet'],
      isIndexed ? withSortIndexes : undefined,
    );
    server = await serve(records, ['--capability', capability]);
  }, 120_000);
  afterAll(() => server.close());

  it.each(rows)('sorts by %s: %s', async (__, search, ids) => {
    const { status, json } = await server.get(`/${search}`);
    expect([status, idsIn(json)]).toEqual([200, ids.split(' ')]);
    // The same page by page, and by POST.
    const walked: string[] = [];
    let next: string | undefined = `/${search}&_count=1`;
    while (next !== undefined && walked.length < 10) {
      const page: Bundle = (await server.get(next)).json;
      walked.push(...idsIn(page));
      const link = page.link.find(({ relation }) => relation === 'next');
      next = link && `/${link.url.slice(`${server.base}/`.length)}`;
    }
    expect(walked).toEqual(ids.split(' '));
    const [type = '', body = ''] = search.split('?');
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const posted = await server.ask('POST', `/${type}/_search`, { headers, body });
    expect(idsIn(posted.json)).toEqual(ids.split(' '));
  });

  it.each([
    ['a composite', 'code-value-quantity', 'cannot be sorted by `code-value-quantity`.'],
    ['an unknown parameter, with the nearest', 'stats', 'cannot be sorted by `stats`. Did you mean `status`?'],
    ['a key twice', 'code,-code', '`_sort` names `code` twice: name it once.'],
  ])('refuses %s', async (__, sort, text) => {
    const { status, json } = await server.get(`/Observation?_sort=${sort}`);
    expect([status, json.issue[0].expression]).toEqual([400, ['http._sort']]);
    expect(json.issue[0].details?.text ?? json.issue[0].diagnostics).toContain(text);
  });
});

interface Bundle {
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly { readonly resource: { readonly id: string } }[];
}

const idsIn = ({ entry = [] }: Bundle): readonly string[] => entry.map(({ resource }) => resource.id);

/** All of R4, with a sort index of every parameter that these searches are sorted by. */
function withSortIndexes({ type, extension, ...rest }: DeclaredType): DeclaredType {
  const codes = rows.flatMap(([, search]) => (search.startsWith(`${type}?`) ? sortsIn(search) : []));
  const indexes = [...new Set(codes)].map(valueCode => ({ url: `${extensionBase}sort-index`, valueCode }));
  return { type, extension: [...extension, ...indexes], ...rest };
}

const sortsIn = (search: string): readonly string[] =>
  (/_sort=([^&]*)/.exec(search)?.[1] ?? '')
    .split(',')
    .map(key => key.replace(/^-/, ''))
    .filter(code => !code.startsWith('_'));
