// Chains and `_has` through resources inside of a record: contained ones, and the first of a document.
// https://hl7.org/fhir/R4/search.html#contained, https://hl7.org/fhir/R4/bundle.html#search
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { put, serve, type Served } from '../support/serve.ts';
import { r4Of } from '../support/r4-of.ts';
import { testTokens } from '../support/tokens.ts';

const capability = r4Of([
  'Bundle',
  'Composition',
  'DiagnosticReport',
  'Medication',
  'MedicationRequest',
  'Observation',
  'Organization',
  'Patient',
  'Practitioner',
]);

const coded = (code: string) => ({ coding: [{ system: 'http://codes.example', code }] });
const medication = (id: string, code: string, more: object = {}) => ({
  resourceType: 'Medication',
  id,
  code: coded(code),
  ...more,
});
const prescription = (id: string, medicationReference: string, ...contained: readonly object[]): object => ({
  resourceType: 'MedicationRequest',
  id,
  status: 'active',
  intent: 'order',
  subject: { reference: id < 'r5' ? 'Patient/p1' : 'Patient/p2' },
  medicationReference: { reference: medicationReference },
  ...(contained.length === 0 ? {} : { contained }),
});
const document = (id: string, title: string, patient: string): object => ({
  resourceType: 'Bundle',
  id,
  type: 'document',
  entry: [
    {
      resource: {
        resourceType: 'Composition',
        id: `c-${id}`,
        status: 'final',
        type: coded(title === 'Letter' ? 'letter' : 'summary'),
        title,
        date: '2024-05-01',
        subject: { reference: patient },
      },
    },
    { resource: { resourceType: 'Composition', id: 'other', status: 'final', type: coded('beside'), title: 'Beside' } },
  ],
});

const records = [
  { resourceType: 'Patient', id: 'p1', name: [{ family: 'Roy' }], gender: 'female' },
  { resourceType: 'Patient', id: 'p2', name: [{ family: 'Ng' }], gender: 'male' },
  { resourceType: 'Organization', id: 'acme', name: 'Acme' },
  medication('m', 'outer', { status: 'active', manufacturer: { reference: 'Organization/acme' } }),
  prescription('r1', 'Medication/m'),
  prescription('r2', '#m', medication('m', 'abc', { status: 'active', batch: { expirationDate: '2030-01-01' } })),
  // `n` is contained, and nothing but a note refers to it.
  {
    ...prescription('r3', '#m', medication('m', 'x', { status: 'inactive' }), medication('n', 'noted')),
    reasonReference: [{ reference: '#n' }],
  },
  prescription('r4', '#m', medication('m', 'abc', { manufacturer: { reference: '#o' } }), {
    resourceType: 'Organization',
    id: 'o',
    name: 'Brew & Sons',
  }),
  prescription('r5', '#m', medication('m', 'abc', { manufacturer: { reference: 'Organization/acme' } })),
  // More texts than are indexed.
  prescription(
    'r6',
    '#m',
    medication('m', 'last', { identifier: Array.from({ length: 1200 }, (_, at) => ({ value: `i${at}` })) }),
  ),
  prescription('r7', '#gone'),
  {
    resourceType: 'DiagnosticReport',
    id: 'd1',
    status: 'final',
    code: coded('panel'),
    result: [{ reference: '#o' }],
    contained: [
      {
        resourceType: 'Observation',
        id: 'o',
        status: 'final',
        code: coded('inner'),
        subject: { reference: 'Patient/p2' },
        performer: [{ reference: '#doctor' }],
      },
      { resourceType: 'Practitioner', id: 'doctor', name: [{ family: 'Van der Berg' }] },
    ],
  },
  {
    resourceType: 'Observation',
    id: 'o1',
    status: 'final',
    code: coded('plain'),
    subject: { reference: 'Patient/p1' },
  },
  {
    resourceType: 'Observation',
    id: 'o2',
    status: 'final',
    code: coded('plain'),
    subject: { reference: '#s' },
    contained: [
      { resourceType: 'Patient', id: 's', name: [{ family: 'O’Brien', given: ['Jo-Ann'] }], birthDate: '1990-05-01' },
    ],
  },
  document('b1', 'Summary', 'Patient/p1'),
  document('b2', 'Letter', 'Patient/p2'),
];

const tokens = testTokens();
let server: Served;
let guarded: Served;
beforeAll(async () => {
  server = await serve(records, ['--capability', capability]);
  guarded = await serve(records, ['--capability', capability], undefined, { verify: tokens.verify });
}, 120_000);
afterAll(async () => {
  await server.close();
  await guarded.close();
});

const idsIn = ({
  entry = [],
}: {
  entry?: { resource: { id: string }; search: { mode: string } }[];
}): readonly string[] => entry.filter(({ search }) => search.mode === 'match').map(({ resource }) => resource.id);

describe('a chain', () => {
  it.each([
    ['by a code', 'MedicationRequest?medication.code=abc', 'r2 r4 r5'],
    ['by a code and its system', 'MedicationRequest?medication.code=http://codes.example|abc', 'r2 r4 r5'],
    ['by the code of a record, or of a contained resource', 'MedicationRequest?medication.code=outer,x', 'r1 r3'],
    ['with a type', 'MedicationRequest?medication:Medication.code=ABC', 'r2 r4 r5'],
    ['by the resource that the parameter names alone', 'MedicationRequest?medication.code=noted', ''],
    ['by a complement', 'MedicationRequest?medication.code:not=abc', 'r1 r3 r6'],
    ['by a missing element', 'MedicationRequest?medication.status:missing=true', 'r4 r5 r6'],
    ['by a date', 'MedicationRequest?medication.expiration-date=gt2029', 'r2'],
    ['by one among very many texts', 'MedicationRequest?medication.identifier=i1100', 'r6'],
    ['by the id within its container', 'MedicationRequest?medication._id=m', 'r1 r2 r3 r4 r5 r6'],
    ['on to a record', 'MedicationRequest?medication.manufacturer.name=acme', 'r1 r5'],
    ['on to another contained resource', 'MedicationRequest?medication.manufacturer.name=brew sons', 'r4'],
    ['to a reference', 'MedicationRequest?medication.manufacturer=Organization/acme', 'r1 r5'],
    ['twice', 'MedicationRequest?medication.code=abc&medication.status=active', 'r2'],
    ['beside others', 'MedicationRequest?medication.code=abc&subject:Patient.name=ng', 'r5'],
    ['by the words of a name', 'Observation?subject:Patient.family=obr', 'o2'],
    ['by a part of a name', 'Observation?subject:Patient.given=jo ann', 'o2'],
    ['by any part of a name', 'Observation?subject.name:contains=rien', 'o2'],
    ['by an exact name', 'Observation?subject:Patient.given:exact=Jo-Ann', 'o2'],
    ['by a time', 'Observation?patient.birthdate=1990', 'o2'],
    ['that nothing matches', 'MedicationRequest?medication.code=nothing', ''],
    ['of a filter', 'MedicationRequest?_filter=medication.code eq abc and medication.status ne inactive', 'r2'],
    ['into a document', 'Bundle?composition.type=letter', 'b2'],
    ['into a document, with its type', 'Bundle?composition:Composition.title=sum', 'b1'],
    ['into a document, but not behind its first resource', 'Bundle?composition.type=beside', ''],
    ['into a document and on', 'Bundle?composition.subject:Patient.gender=female', 'b1'],
    ['into a document, by a date', 'Bundle?composition.date=2024', 'b1 b2'],
  ])('%s', async (_, path, ids) => {
    const url = `/${path.replaceAll(' ', '%20')}`;
    const { status, json } = await server.get(`${url}&_sort=_id&_total=accurate`);
    expect([status, idsIn(json).join(' '), json.total]).toEqual([200, ids, ids === '' ? 0 : ids.split(' ').length]);
    const first = (await server.get(`${url}&_sort=_id&_count=1`)).json;
    expect(idsIn(first)).toEqual(
      ids
        .split(' ')
        .filter(id => id !== '')
        .slice(0, 1),
    );
  });

  it('follows a change of the contained resource', async () => {
    await put(server.partition, [prescription('r8', '#m', medication('m', 'before'))]);
    const found = async (code: string) => idsIn((await server.get(`/MedicationRequest?medication.code=${code}`)).json);
    expect([await found('before'), await found('after')]).toEqual([['r8'], []]);
    await put(server.partition, [prescription('r8', '#m', medication('m', 'after'))]);
    expect([await found('before'), await found('after')]).toEqual([[], ['r8']]);
    await server.partition.write([{ kind: 'remove', type: 'MedicationRequest', id: 'r8' }]);
    expect(await found('after')).toEqual([]);
  });
});

describe('_has', () => {
  it.each([
    ['of a contained resource', 'Patient?_has:Observation:subject:code=inner', 'p2'],
    ['of records and of contained resources', 'Patient?_has:Observation:patient:code=inner,plain', 'p1 p2'],
    [
      'of a contained resource with a chain',
      'Patient?_has:Observation:patient:performer:Practitioner.family=berg',
      'p2',
    ],
    ['of a chain through a contained resource', 'Patient?_has:MedicationRequest:subject:medication.code=abc', 'p1 p2'],
    ['to what a contained resource names', 'Organization?_has:Medication:manufacturer:code=abc', 'acme'],
    ['that nothing matches', 'Patient?_has:Observation:subject:code=nothing', ''],
    ['not of a part of a document', 'Patient?_has:Composition:subject:status=final', ''],
  ])('%s', async (_, path, ids) => {
    const { status, json } = await server.get(`/${path}&_sort=_id&_total=accurate`);
    expect([status, idsIn(json).join(' '), json.total]).toEqual([200, ids, ids === '' ? 0 : ids.split(' ').length]);
  });
});

describe('access', () => {
  const found = async (path: string, scope: string): Promise<unknown> => {
    const { status, json } = await guarded.get(`/${path}&_sort=_id`, tokens.bearer({ scope }));
    return status === 200 ? idsIn(json).join(' ') : status;
  };

  it('to a contained resource is that to its container, and needs a scope for its type', async () => {
    const path = 'MedicationRequest?medication.code=abc,outer';
    const own = 'system/MedicationRequest.rs';
    expect(await found(path, own)).toBe(403);
    expect(await found(path, `${own} system/Medication.rs`)).toBe('r1 r2 r4 r5');
    // Criteria on records of the type do not concern what a record contains.
    expect(await found(path, `${own} system/Medication.rs?status=inactive`)).toBe('r2 r4 r5');
    expect(await found(path, `${own}?subject=Patient/p2 system/Medication.rs`)).toBe('r5');
    // What a contained resource names is a record again.
    const on = 'MedicationRequest?medication.manufacturer.name=acme,brew';
    const to = `${own} system/Medication.rs system/Organization.rs`;
    expect(await found(on, to)).toBe('r1 r4 r5');
    expect(await found(on, `${to}?name=other`)).toBe('r4');
  });

  it('to a contained referrer is that to its container', async () => {
    const path = 'Patient?_has:Observation:subject:code=inner,plain';
    const own = 'system/Patient.rs system/Observation.rs';
    expect(await found(path, own)).toBe('p1');
    expect(await found(path, `${own} system/DiagnosticReport.rs`)).toBe('p1 p2');
    expect(await found(path, `${own} system/DiagnosticReport.rs?status=partial`)).toBe('p1');
  });
});
