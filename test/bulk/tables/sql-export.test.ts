// Exports of tables: the kick-off, the state that leads to the result, the files, and who may have them.
// https://build.fhir.org/ig/HL7/sql-on-fhir/en/OperationDefinition-SQLExport.html
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onlyOfR4 } from '../../support/r4-of.ts';
import { put, serve } from '../../support/serve.ts';
import type { Answer, Served } from '../../support/serve.ts';
import { testTokens } from '../../support/tokens.ts';
import { below, complete, exportFolder } from '../export/support.ts';

const view = (resource: string, path = 'id', more: object = {}) => ({
  resourceType: 'ViewDefinition',
  resource,
  select: [{ column: [{ name: 'id', path }] }],
  ...more,
});
const subject = (resource: object, name?: string) => ({
  name: 'subject',
  part: [...(name === undefined ? [] : [{ name: 'name', valueString: name }]), { name: 'subjectResource', resource }],
});
const observation = (id: string, patient: string, code = 'open') => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { coding: [{ system: 'urn:s', code }] },
  subject: { reference: `Patient/${patient}` },
});

type Part = Record<string, unknown>;
type Headers = Record<string, string>;
const start = (served: Served, parts: readonly Part[], headers: Headers = {}): Promise<Answer> =>
  served.ask('POST', '/$sql-export', {
    headers: { Prefer: 'respond-async', 'Content-Type': 'application/fhir+json', ...headers },
    body: JSON.stringify({ resourceType: 'Parameters', parameter: parts }),
  });
const issue = ({ status, json }: Answer): unknown => {
  const [first] = (json as { issue: { code: string; expression?: string[] }[] }).issue;
  return [status, first?.code, first?.expression?.[0]];
};

interface Result {
  readonly job: string;
  readonly state: Answer;
  readonly result: Answer;
  /** The files by the names of the outputs. */
  readonly files: Readonly<Record<string, string>>;
}

/** An export from its start to its files. */
async function exported(served: Served, parts: readonly Part[], headers: Headers = {}): Promise<Result> {
  const started = await start(served, parts, headers);
  if (started.status !== 202) throw new Error(`${started.status} ${started.text}`);
  const job = below(served, String(started.headers['content-location']));
  const state = await complete(served, job, headers);
  const result = await served.get(below(served, String(state.headers['location'])), headers);
  const { parameter = [] } = result.json as { parameter?: { name: string; part: Record<string, string>[] }[] };
  const files: Record<string, string> = {};
  for (const { name, part } of parameter) {
    if (name !== 'output') continue;
    const file = await served.get(below(served, String(part[1]?.['valueUri'])), headers);
    files[String(part[0]?.['valueString'])] = file.text;
  }
  return { job, state, result, files };
}

const types = ['Patient', 'Group', 'Observation'];
const records = [
  { resourceType: 'Patient', id: 'p' },
  { resourceType: 'Patient', id: 'q' },
  observation('o1', 'p'),
  observation('o2', 'q', 'secret'),
  {
    resourceType: 'Group',
    id: 'g',
    type: 'person',
    actual: true,
    member: [{ entity: { reference: 'Patient/p' } }, { entity: { reference: 'Patient/q' }, inactive: true }],
  },
];

describe('$sql-export with open access', () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve([], ['--capability', onlyOfR4(types), ...exportFolder(), '--export-jobs', '100']);
    await put(served.partition, records);
  });
  afterAll(() => served.close());

  it('ends with 303 to a result that stays as it is, with a file for each subject', async () => {
    const parts = [
      subject(view('Patient'), 'people'),
      subject(view('Observation', 'getResourceKey()', { name: 'values' })),
      subject(view('Observation')),
      { name: 'clientTrackingId', valueString: 'mine' },
      { name: '_format', valueCode: 'csv' },
    ];
    const { job, state, result, files } = await exported(served, parts);
    expect([state.status, state.text, state.headers['location']]).toEqual([
      303,
      '',
      `${served.base}${job}/result.json`,
    ]);
    expect(files).toEqual({
      people: 'id\r\np\r\nq\r\n',
      values: 'id\r\nObservation/o1\r\nObservation/o2\r\n',
      table3: 'id\r\no1\r\no2\r\n',
    });
    const { parameter } = result.json as { parameter: Part[] };
    expect(parameter.map(({ name }) => name).join(' ')).toBe(
      'exportId clientTrackingId status output output output _format exportStartTime exportEndTime exportDuration',
    );
    expect(parameter).toContainEqual({ name: 'status', valueCode: 'completed' });
    expect((await served.get(job)).status).toBe(303);
    expect((await served.get(`${job}/result.json`)).text).toBe(result.text); // HeliosSoftware/hfs#115
    expect((await served.ask('DELETE', job)).status).toBe(202);
    expect((await served.get(job)).status).toBe(404);
  });

  it.each<[why: string, parts: readonly Part[], rows: string]>([
    ['a patient', [{ name: 'patient', valueReference: { reference: 'Patient/p' } }], '{"id":"o1"}\n'],
    ['a group', [{ name: 'group', valueReference: { reference: 'Group/g' } }], '{"id":"o1"}\n'],
    ['later changes', [{ name: '_since', valueInstant: '2999-01-01T00:00:00Z' }], ''],
  ])('has the rows of %s', async (_why, parts, rows) => {
    const { files } = await exported(served, [subject(view('Observation'), 'x'), ...parts]);
    expect(files).toEqual({ x: rows });
  });

  it('fails with the error of the view, the same each time', async () => {
    const wrong = view('Group', 'member.entity.reference');
    const { state, result, job } = await exported(served, [subject(wrong)]);
    expect([state.status, issue(result)]).toEqual([303, [422, 'invalid', 'select[0].column[0].path']]);
    expect((await served.get(`${job}/result.json`)).status).toBe(422);
  });

  it.each<[why: string, parts: readonly Part[], refusal: readonly unknown[]]>([
    [
      'two of one name: HeliosSoftware/hfs#115',
      [subject(view('Patient'), 'x'), subject(view('Observation'), 'x')],
      [400, 'invalid', 'subject'],
    ],
    [
      'a subject without a view',
      [{ name: 'subject', part: [{ name: 'name', valueString: 'x' }] }],
      [400, 'required', 'subject'],
    ],
    ['a wrong view', [subject(view('Patient', 'id.nothing('))], [422, 'invalid', 'select[0].column[0].path']],
    [
      'the format fhir',
      [subject(view('Patient')), { name: '_format', valueCode: 'fhir' }],
      [400, 'not-supported', '_format'],
    ],
    [
      'an unknown patient: HeliosSoftware/hfs#114',
      [subject(view('Patient')), { name: 'patient', valueReference: { reference: 'Patient/none' } }],
      [400, 'not-found', 'patient'],
    ],
    [
      '_limit',
      [subject(view('Patient')), { name: '_limit', valueInteger: 1 }],
      [400, 'not-supported', 'Parameters.parameter[1]'],
    ],
  ])('refuses %s at once', async (_why, parts, refusal) => {
    expect(issue(await start(served, parts))).toEqual(refusal);
  });

  it('needs Prefer: respond-async', async () => {
    expect((await start(served, [subject(view('Patient'))], { Prefer: 'return=minimal' })).status).toBe(400);
  });
});

describe('the access of $sql-export', () => {
  let served: Served;
  const tokens = testTokens();
  const of = (scope: string, more: object = {}) => tokens.bearer({ scope, client: 'app', ...more });
  beforeAll(async () => {
    const flags = ['--capability', onlyOfR4(types), ...exportFolder(), '--export-jobs', '100'];
    served = await serve([], flags, undefined, { verify: tokens.verify });
    await put(served.partition, records);
  });
  afterAll(() => served.close());

  it.each<[scope: string, more: object, rows: string]>([
    ['system/Observation.s', {}, '{"id":"o1"}\n{"id":"o2"}\n'],
    ['system/Observation.s?code=urn:s|open', {}, '{"id":"o1"}\n'],
    ['patient/Observation.s', { patient: 'q' }, '{"id":"o2"}\n'],
  ])('has the rows of what %s may search', async (scope, more, rows) => {
    const { files } = await exported(served, [subject(view('Observation'), 'x')], of(scope, more));
    expect(files).toEqual({ x: rows });
  });

  it('is refused without `s`, and given to no other client, patient or narrower token', async () => {
    const parts = [subject(view('Observation'), 'x')];
    expect((await start(served, parts, of('system/Observation.r'))).status).toBe(403);
    const own = of('patient/Observation.s', { patient: 'p' });
    const { job } = await exported(served, parts, own);
    const asked = async (headers: Headers): Promise<number> => (await served.get(`${job}/1.ndjson`, headers)).status;
    expect([
      await asked(of('patient/Observation.s', { patient: 'p' })),
      await asked(of('patient/Observation.s', { patient: 'q' })),
      await asked(of('system/Patient.s')),
      await asked(of('system/*.rs', { client: 'other' })),
    ]).toEqual([200, 403, 403, 404]);
  });
});
