// Rows of views over HTTP: what is refused, in which form rows come, and whose records they are of.
// https://build.fhir.org/ig/HL7/sql-on-fhir/en/OperationDefinition-SQLRun.html
import { fileURLToPath } from 'node:url';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onlyOfR4 } from '../../support/r4-of.ts';
import { put, serve } from '../../support/serve.ts';
import type { Answer, Served } from '../../support/serve.ts';
import { clinician, testTokens } from '../../support/tokens.ts';

/** The views that are shipped. */
const shipped = fileURLToPath(new URL('../../../src/demo/definitions', import.meta.url));

const column = (name: string, path: string, more: object = {}) => ({ name, path, ...more });
const view = (resource: string, column: readonly object[], more: object = {}) => ({
  resourceType: 'ViewDefinition',
  status: 'active',
  resource,
  select: [{ column }],
  ...more,
});
const patients = view('Patient', [column('id', 'id'), column('gender', 'gender')]);
const ids = (resource: string) => view(resource, [column('id', 'id')]);

const observation = (id: string, patient: string, code = 'open', more: object = {}) => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { coding: [{ system: 'urn:s', code }] },
  subject: { reference: `Patient/${patient}` },
  ...more,
});
const group = (id: string, more: object = {}) => ({
  resourceType: 'Group',
  id,
  type: 'person',
  actual: true,
  member: [{ entity: { reference: 'Patient/p' } }, { entity: { reference: 'Patient/q' }, inactive: true }],
  ...more,
});

const records = [
  { resourceType: 'Patient', id: 'p', gender: 'female' },
  { resourceType: 'Patient', id: 'q', gender: 'male', name: [{ text: 'a "b", c\nd' }] },
  observation('o1', 'p'),
  observation('o2', 'q', 'secret'),
  observation('o3', 'p', 'secret', { valueQuantity: { value: 1.5 }, note: [{ text: 'x' }, { text: 'y' }] }),
  { resourceType: 'Practitioner', id: 'dr' },
  group('g'),
  group('animals', { type: 'animal' }),
];

type Part = Record<string, unknown>;
const run = (
  served: Served,
  subject: object | undefined,
  parts: readonly Part[] = [],
  headers: Record<string, string> = {},
  operation = 'sql-run',
): Promise<Answer> => {
  const name = operation === 'sql-run' ? 'subjectResource' : 'viewResource';
  const parameter = [...(subject === undefined ? [] : [{ name, resource: subject }]), ...parts];
  return served.ask('POST', `/$${operation}`, {
    headers: { 'Content-Type': 'application/fhir+json', ...headers },
    body: JSON.stringify({ resourceType: 'Parameters', parameter }),
  });
};
const format = (valueCode: string): Part => ({ name: '_format', valueCode });
const reference = (name: string, text: string): Part => ({ name, valueReference: { reference: text } });
const idsOf = ({ status, text }: Answer): unknown =>
  status === 200
    ? text
        .split('\n')
        .filter(line => line !== '')
        .map(line => (JSON.parse(line) as { id: string }).id)
    : `${status} ${text}`;
const issue = ({ status, json }: Answer): unknown => {
  const [first] = (json as { issue: { code: string; expression?: string[] }[] }).issue;
  return [status, first?.code, first?.expression?.[0]];
};
const types = ['Patient', 'Group', 'Observation', 'Practitioner'];

describe('$sql-run with open access', () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve([], ['--capability', onlyOfR4(types), '--definitions', shipped]);
    await put(served.partition, records);
  });
  afterAll(() => served.close());

  it('answers NDJSON where nothing chooses a format, and each row has every column', async () => {
    const answer = await run(served, view('Patient', [column('id', 'id'), column('text', 'name.text.first()')]));
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/x-ndjson']);
    expect(answer.text).toBe('{"id":"p","text":null}\n{"id":"q","text":"a \\"b\\", c\\nd"}\n');
  });

  it.each<[why: string, parts: readonly Part[], accept: string | undefined, type: string, text: string]>([
    ['csv', [format('csv')], undefined, 'text/csv; charset=utf-8', 'id,gender\r\np,female\r\nq,male\r\n'],
    [
      'csv without header: HL7/sql-on-fhir#305',
      [format('csv'), { name: 'header', valueBoolean: false }],
      undefined,
      'text/csv; charset=utf-8',
      'p,female\r\nq,male\r\n',
    ],
    ['csv by Accept', [], 'text/csv', 'text/csv; charset=utf-8', 'id,gender\r\np,female\r\nq,male\r\n'],
    [
      'json',
      [format('json'), { name: '_limit', valueInteger: 1 }],
      '*/*',
      'application/json; charset=utf-8',
      '[{"id":"p","gender":"female"}]\n',
    ],
    [
      'json of no rows',
      [format('json'), { name: '_limit', valueInteger: 0 }],
      undefined,
      'application/json; charset=utf-8',
      '[]\n',
    ],
    [
      'fhir',
      [format('fhir'), { name: '_limit', valueInteger: 1 }],
      undefined,
      'application/fhir+json; charset=utf-8',
      '{"resourceType":"Parameters","parameter":[{"name":"row","part":[{"name":"id","valueId":"p"},{"name":"gender","valueCode":"female"}]}]}',
    ],
    [
      'a Binary for a client of FHIR: HL7/sql-on-fhir#358, #362',
      [format('csv')],
      'application/fhir+json',
      'application/fhir+json; charset=utf-8',
      `{"resourceType":"Binary","contentType":"text/csv","data":"${Buffer.from('id,gender\r\np,female\r\nq,male\r\n').toString('base64')}"}`,
    ],
  ])('forms its answer: %s', async (_why, parts, accept, type, text) => {
    const answer = await run(served, patients, parts, accept === undefined ? {} : { Accept: accept });
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([200, type, text]);
  });

  it('answers Parquet', async () => {
    const answer = await run(served, patients, [format('parquet')]);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/vnd.apache.parquet']);
    expect(await parquetReadObjects({ file: Uint8Array.from(answer.bytes).buffer })).toEqual([
      { id: 'p', gender: 'female' },
      { id: 'q', gender: 'male' },
    ]);
  });

  it('quotes line breaks in CSV: medizininformatik-initiative/dataportal#214', async () => {
    const one = view('Patient', [column('id', 'id'), column('text', 'name.text.first()')]);
    const { text } = await run(served, one, [format('csv'), reference('patient', 'Patient/q')]);
    expect(text).toBe('id,text\r\nq,"a ""b"", c\nd"\r\n');
  });

  it.each<[why: string, subject: object | undefined, parts: readonly Part[], refusal: readonly unknown[]]>([
    ['no view', undefined, [format('csv')], [400, 'required', 'subject']],
    ['two views', patients, [{ name: 'subjectCanonical', valueCanonical: 'urn:x' }], [400, 'invalid', 'subject']],
    [
      'a canonical of none',
      undefined,
      [{ name: 'subjectCanonical', valueCanonical: 'urn:x' }],
      [404, 'not-found', 'subject'],
    ],
    [
      'a canonical of none, before an unknown patient',
      undefined,
      [{ name: 'subjectCanonical', valueCanonical: 'urn:x' }, reference('patient', 'Patient/none')],
      [404, 'not-found', 'subject'],
    ],
    [
      'a reference of none',
      undefined,
      [reference('subjectReference', 'ViewDefinition/none')],
      [404, 'not-found', 'subject'],
    ],
    ['a Library', { resourceType: 'Library', status: 'active' }, [], [400, 'not-supported', 'subject']],
    ['another resource', { resourceType: 'Patient' }, [], [422, 'invalid', 'resourceType']],
    ['a wrong view', view('Patient', [column('id', 'id.nothing(')]), [], [422, 'invalid', 'select[0].column[0].path']],
    [
      'several values of a column',
      view('Observation', [column('n', 'note.text')]),
      [],
      [422, 'invalid', 'select[0].column[0].path'],
    ],
    ['a type that is not served', ids('Encounter'), [], [422, 'invalid', 'resource']],
    ['an unknown format: HeliosSoftware/hfs#115', patients, [format('xlsx')], [400, 'not-supported', '_format']],
    [
      'an unknown patient: HeliosSoftware/hfs#114',
      patients,
      [reference('patient', 'Patient/none')],
      [400, 'not-found', 'patient'],
    ],
    ['an unknown group', patients, [reference('group', 'Group/none')], [400, 'not-found', 'group']],
    ['a group of no persons', patients, [reference('group', 'Group/animals')], [400, 'invalid', 'group']],
    ['a negative limit', patients, [{ name: '_limit', valueInteger: -1 }], [400, 'invalid', '_limit']],
    ['a source', patients, [{ name: 'source', valueString: 'x' }], [400, 'not-supported', 'Parameters.parameter[1]']],
    [
      'a patient beside own records',
      patients,
      [{ name: 'resource', resource: { resourceType: 'Patient', id: 'x' } }, reference('patient', 'Patient/p')],
      [400, 'invalid', 'patient'],
    ],
  ])('refuses %s', async (_why, subject, parts, refusal) => {
    expect(issue(await run(served, subject, parts))).toEqual(refusal);
  });

  it('runs a view of a definition file by GET: by its canonical, its id, and with a patient', async () => {
    const canonical = encodeURIComponent('https://clinical-records.example/fhir/ViewDefinition/patients');
    for (const named of [`subjectCanonical=${canonical}`, 'subjectReference=ViewDefinition/patients']) {
      const answer = await served.get(`/$sql-run?${named}&_format=csv&patient=Patient/p`);
      expect(answer.text.split('\r\n').map(line => line.split(',')[0])).toEqual(['key', 'Patient/p', '']);
    }
    const old = await served.get('/$viewdefinition-run?viewReference=ViewDefinition/patients&_format=csv&header=false');
    expect(old.text.split('\r\n').length).toBe(3);
    const sent = await served.get('/$sql-run?subjectResource=x');
    expect([issue(sent), issue(await served.get('/$sql-run?subjectCanonical=urn:x%7C1'))]).toEqual([
      [400, 'value', 'http.subjectResource'],
      [404, 'not-found', 'subject'],
    ]);
  });

  it('ignores no parameter under lenient handling', async () => {
    const answer = await run(served, patients, [{ name: 'source', valueString: 'x' }], { Prefer: 'handling=lenient' });
    expect(answer.status).toBe(400);
  });

  it.each<[why: string, parts: readonly Part[], found: readonly string[]]>([
    ['all', [], ['o1', 'o2', 'o3']],
    ['a patient', [reference('patient', 'Patient/p')], ['o1', 'o3']],
    ['two patients', [reference('patient', 'Patient/p'), reference('patient', 'Patient/q')], ['o1', 'o2', 'o3']],
    ['a group without its inactive member', [reference('group', 'Group/g')], ['o1', 'o3']],
    ['nothing after the last change', [{ name: '_since', valueInstant: '2999-01-01T00:00:00Z' }], []],
  ])('reads the records of %s', async (_why, parts, found) => {
    expect(idsOf(await run(served, ids('Observation'), parts))).toEqual(found);
  });

  it('leaves out records that belong to no patient', async () => {
    expect(idsOf(await run(served, ids('Practitioner'), [reference('patient', 'Patient/p')]))).toEqual([]);
    expect(idsOf(await run(served, ids('Patient'), [reference('patient', 'Patient/p')]))).toEqual(['p']);
  });

  it('reads records of the request, also in a Bundle, instead of those of the store', async () => {
    const bundle = {
      resourceType: 'Bundle',
      type: 'collection',
      entry: [
        { resource: { resourceType: 'Patient', id: 'b' } },
        { resource: { resourceType: 'Practitioner', id: 'c' } },
      ],
    };
    const parts = [{ resourceType: 'Patient', id: 'a' }, bundle].map(resource => ({ name: 'resource', resource }));
    expect(idsOf(await run(served, ids('Patient'), parts))).toEqual(['a', 'b']);
  });

  it('is $viewdefinition-run too, and reads the type of 2.0.0', async () => {
    const old = {
      ...ids('Patient'),
      resourceType: 'http://hl7.org/fhir/uv/sql-on-fhir/StructureDefinition/ViewDefinition',
    };
    expect(idsOf(await run(served, old, [], {}, 'viewdefinition-run'))).toEqual(['p', 'q']);
  });

  it('has keys without versions: aehrc/pathling#2519, medplum/medplum#4702', async () => {
    const keys = view('Observation', [column('id', "getResourceKey() + '|' + subject.getReferenceKey()")]);
    expect(idsOf(await run(served, keys, [{ name: '_limit', valueInteger: 1 }]))).toEqual(['Observation/o1|Patient/p']);
  });

  it('has no rows of deleted records: ohs-foundation/fhir-data-pipes#543', async () => {
    await put(served.partition, [observation('gone', 'p')]);
    await served.partition.write([{ kind: 'remove', type: 'Observation', id: 'gone' }]);
    expect(idsOf(await run(served, ids('Observation')))).toEqual(['o1', 'o2', 'o3']);
  });

  it('cannot be an entry of a batch, whose answers are FHIR', async () => {
    const entry = [{ request: { method: 'GET', url: '$sql-run?subjectCanonical=urn:x' } }];
    const body = JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry });
    const answer = await served.ask('POST', '', { headers: { 'Content-Type': 'application/fhir+json' }, body });
    expect(answer.text).toContain('in a format of its own');
  });

  it('streams a long answer, and breaks the connection at an error after its begin', async () => {
    const long = 'x'.repeat(2000);
    const many = Array.from({ length: 400 }, (_, at) =>
      observation(`s${1000 + at}`, 'p', 'long', { note: [{ text: long }] }),
    );
    await put(served.partition, many);
    const texts = view('Observation', [column('id', 'id'), column('text', 'note.text.first()')], {
      where: [{ path: "code.coding.code = 'long'" }],
    });
    const answer = await run(served, texts, [format('json')]);
    expect(answer.headers['content-length']).toBeUndefined();
    expect((answer.json as unknown[]).length).toBe(400);
    await put(served.partition, [observation('t', 'p', 'long', { note: [{ text: 'a' }, { text: 'b' }] })]);
    const failing = view('Observation', [column('id', 'id'), column('text', 'note.text')], {
      where: [{ path: "code.coding.code = 'long'" }],
    });
    await expect(run(served, failing)).rejects.toThrow('aborted');
  });

  it('counts the work of a record: `repeat` that never ends', async () => {
    const endless = view('Patient', [column('id', '$this.exists()')], {
      select: [{ repeat: ['$this'], column: [column('x', '1')] }],
    });
    expect(issue(await run(served, endless))).toEqual([403, 'too-costly', undefined]);
  });
});

describe('the access of $sql-run', () => {
  let served: Served;
  const tokens = testTokens();
  const of = (scope: string, more: object = {}) => tokens.bearer({ scope, client: 'backend', ...more });
  beforeAll(async () => {
    served = await serve([], ['--capability', onlyOfR4(types)], undefined, { verify: tokens.verify });
    await put(served.partition, [
      ...records,
      // Two values of a column: an error for those who may see it, and for nobody else.
      observation('plant', 'q', 'secret', { note: [{ text: 'a' }, { text: 'b' }] }),
    ]);
  });
  afterAll(() => served.close());

  const notes = view('Observation', [column('id', 'id'), column('note', "note.where(%resource.id = 'plant').text")]);
  it.each<[why: string, scope: string, more: object, found: readonly string[] | number]>([
    ['all records', 'system/Observation.s', {}, 422],
    ['the patient in context', 'patient/Observation.rs', { patient: 'p' }, ['o1', 'o3']],
    ['criteria', 'system/Observation.rs?code=urn:s|open', {}, ['o1']],
    ['criteria of a patient', 'patient/Observation.rs?code=urn:s|secret', { patient: 'p' }, ['o3']],
    ['a scope of a user', 'user/Observation.rs?code=urn:s|open', clinician, ['o1']],
    ['no `s`', 'system/Observation.r', {}, 403],
    ['another type', 'system/Patient.rs', {}, 403],
  ])('has rows of what the caller may search, and no error of others: %s', async (_why, scope, more, found) => {
    const answer = await run(served, notes, [], of(scope, more));
    expect(answer.status === 200 ? idsOf(answer) : answer.status).toEqual(found);
    expect(found !== 422 && answer.text.includes('plant')).toBe(false);
  });

  it('counts only what the caller may see in _limit: hapifhir/hapi-fhir#6065', async () => {
    const limit = [{ name: '_limit', valueInteger: 1 }];
    const scope = of('system/Observation.rs?code=urn:s|secret');
    expect(idsOf(await run(served, ids('Observation'), limit, scope))).toEqual(['o2']);
  });

  it('has one answer for a patient or group that is not there, and one out of sight', async () => {
    const scope = of('patient/*.rs', { patient: 'p' });
    for (const [name, known, unknown] of [
      ['patient', 'Patient/q', 'Patient/none'],
      ['group', 'Group/g', 'Group/none'],
    ] as const) {
      const asked = async (text: string) => {
        const answer = await run(served, ids('Observation'), [reference(name, text)], scope);
        return [answer.status, answer.text.replaceAll(text, 'X')];
      };
      expect(await asked(known)).toEqual(await asked(unknown));
      expect((await asked(known))[0]).toBe(400);
    }
  });

  it('needs a valid token only for records of the request', async () => {
    const parts = [{ name: 'resource', resource: { resourceType: 'Patient', id: 'a' } }];
    expect(idsOf(await run(served, ids('Patient'), parts, of('system/Observation.rs')))).toEqual(['a']);
    expect((await run(served, ids('Patient'), parts)).status).toBe(401);
  });
});
