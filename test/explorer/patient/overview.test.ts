// https://hl7.org/fhir/R4/compartmentdefinition-patient.html
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEvents } from '../../../src/audit/read-events.ts';
import { auditOf } from '../../support/audit-of.ts';
import { observation, patient } from '../../support/resources.ts';
import { serve } from '../../support/serve.ts';
import type { Served } from '../../support/serve.ts';
import { testTokens } from '../../support/tokens.ts';
import { shownText } from '../support.ts';

const subject = (id: string): object => ({ subject: { reference: `Patient/${id}` } });

describe('the overview of a patient', () => {
  const tokens = testTokens();
  let server: Served;
  beforeAll(async () => {
    server = await serve(
      [
        patient('p1', { name: [{ family: 'Roy', given: ['Ann'] }] }),
        ...['p2', 'p3', 'p4'].map(id => patient(id)),
        { resourceType: 'Condition', id: 'c1', code: { text: 'Asthma' }, onsetDateTime: '2024-01', ...subject('p1') },
        { resourceType: 'Condition', id: 'c2', code: { text: 'Gout' }, onsetDateTime: '2024-01', ...subject('p2') },
        { resourceType: 'Condition', id: 'c3', code: { text: 'Measles' }, onsetDateTime: '1990-01', ...subject('p3') },
        ...Array.from({ length: 600 }, (_, at) =>
          observation(`m${at}`, {
            ...subject('p4'),
            code: {
              coding: [
                { system: 'http://loinc.org', code: `c${at % 30}`, display: `A measurement, number ${at % 30}` },
              ],
            },
            effectiveDateTime: new Date(Date.UTC(2023, 0, 1 + at)).toISOString(),
            valueQuantity: { value: at / 7, unit: 'mmol/L' },
          }),
        ),
        ...[1, 2, 3].map(at =>
          observation(`o${at}`, {
            effectiveDateTime: `2024-0${at}-01`,
            valueQuantity: { value: 170 + at, unit: 'cm' },
          }),
        ),
      ],
      [],
      undefined,
      { verify: tokens.verify },
    );
  }, 60_000);
  afterAll(() => server.close());

  const open = (path: string, scope: string, patientInContext?: string) =>
    server.get(`//explorer/demo/overview/${path}`, {
      Accept: 'text/html',
      ...tokens.bearer({ scope, patient: patientInContext }),
    });
  const all = 'system/Patient.rs system/Condition.rs system/Observation.rs';

  it('has its records on a timeline, as charts and as lists, and those of no other', async () => {
    const { status, text } = await open('Patient/p1', all);
    expect(status).toBe(200);
    expect(text).toContain('<svg class="timeline"');
    expect(text).toContain('aria-label="Body height: 3 values');
    const shown = shownText(text);
    expect(shown).toContain('Ann Roy');
    expect(shown).toContain('Asthma');
    expect(shown).toContain('latest, Mar 1, 2024');
    expect(text).not.toMatch(/Gout|Condition\/c2/);
    expect(text.length).toBeLessThan(100_000);
  });

  it('has only the types that the token allows', async () => {
    const { status, text } = await open('Patient/p1', 'patient/Patient.rs patient/Condition.rs', 'p1');
    expect(status).toBe(200);
    expect(text).toContain('Asthma');
    expect(text).not.toMatch(/Body height|Observation\/o/);
  });

  it.each([
    ['patient/Patient.rs patient/Condition.rs', 'p1'],
    ['system/Patient.rs system/Condition.rs', undefined],
  ])('says which types it leaves out, and which scopes cover them (%s)', async (scope, inContext) => {
    const shown = shownText((await open('Patient/p1', scope, inContext)).text);
    const [, note = ''] = /(Not shown, because the scopes of your access do not cover them: .*?\)\.)/.exec(shown) ?? [];
    expect(note).toMatch(/Measurements and laboratory results \(a scope that covers them is .*Observation\.rs/);
    expect(note).toContain('Prescriptions (a scope that covers them is patient/MedicationRequest.rs)');
    expect(note).not.toContain('Condition');
    expect(shownText((await open('Patient/p1', 'patient/*.rs system/*.rs', 'p1')).text)).not.toContain('Not shown');
  });

  it('is refused as the read of the patient is', async () => {
    const scope = 'patient/Patient.rs patient/Condition.rs';
    expect((await open('Patient/p2', scope, 'p1')).status).toBe(404);
    expect((await open('Patient/p1', 'system/Condition.rs')).status).toBe(403);
    expect((await server.get('//explorer/demo/overview/Patient/p1', { Accept: 'text/html' })).status).toBe(401);
  });

  it('has five years, or all if they are empty, or the chosen ones', async () => {
    const marks = async (path: string): Promise<number> => {
      const { text } = await open(path, all);
      return [...text.matchAll(/class="mark[" ]/g)].length;
    };
    expect(await marks('Patient/p3')).toBe(1);
    expect(await marks('Patient/p3?years=5')).toBe(0);
    expect(await marks('Patient/p3?years=all')).toBe(1);
    expect(await marks('Patient/p1?years=1e9')).toBeGreaterThan(1);
  });

  it('stays small for many records, and leads to the other charts', async () => {
    const { text } = await open('Patient/p4', all);
    expect(text.length).toBeLessThan(100_000);
    expect(text.match(/<svg class="plot"/g)).toHaveLength(12);
    const next = /href="([^"]*charts=12[^"]*)#charts"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const other = await open(next.replace('/explorer/demo/overview/', ''), all);
    expect(other.text.match(/<svg class="plot"/g)).toHaveLength(12);
    expect(other.text).not.toContain(/<figcaption>[^]*?<\/strong>/.exec(text)?.[0]);
  });

  it('exists only for types with a compartment', async () => {
    expect((await open('Condition/c1', all)).status).toBe(404);
    expect((await open('constructor/c1', all)).status).toBe(404);
  });
});

describe('the overview of a patient in all of R4', () => {
  let server: Served;
  beforeAll(async () => {
    server = await serve(
      [
        ...['p1', 'p2', 'p3'].map(id => patient(id)),
        { resourceType: 'Condition', id: 'c1', code: { text: 'Asthma' }, onsetDateTime: '2024-01', ...subject('p1') },
        { resourceType: 'Flag', id: 'f1', status: 'active', code: { text: 'Allergic to nuts' }, ...subject('p1') },
        { resourceType: 'Procedure', id: 's1', status: 'completed', code: { text: 'Old' }, ...subject('p2') },
        observation('o1', {
          code: { text: 'Weight of a child' },
          ...subject('p3'),
          performer: [{ reference: 'Patient/p1' }],
          valueQuantity: { value: 9, unit: 'kg' },
        }),
        ...Array.from({ length: 260 }, (_, at) =>
          observation(`m${at}`, {
            ...subject('p2'),
            code: { text: 'Pulse' },
            effectiveDateTime: new Date(Date.UTC(2023, 0, 1 + at)).toISOString(),
            valueQuantity: { value: at, unit: 'bpm' },
          }),
        ),
      ],
      ['--interface', 'r4'],
    );
  }, 120_000);
  afterAll(() => server.close());

  /** The requests in the audit log that a page makes. */
  const requestsOf = async (id: string): Promise<{ readonly text: string; readonly requests: number }> => {
    const open = () => server.get(`//explorer/demo/overview/Patient/${id}`, { Accept: 'text/html' });
    const events = async (): Promise<readonly string[]> => {
      const found: string[] = [];
      for await (const { text } of readEvents(auditOf(server.running.engine.store), { partition: 'demo' }))
        found.push(text);
      return found;
    };
    const end = async (marker: string): Promise<number> => {
      await server.get(`/Basic/${marker}`);
      const isEnd = (text: string): boolean => text.includes(`Basic/${marker}`);
      await expect.poll(async () => (await events()).some(isEnd), { timeout: 20_000 }).toBe(true);
      return (await events()).findIndex(isEnd);
    };
    const from = await end(`before-${id}`);
    const { text } = await open();
    return { text, requests: (await end(`after-${id}`)) - from - 1 };
  };

  it('is one search for many types, without what it only made of others', async () => {
    const { text, requests } = await requestsOf('p1');
    expect(shownText(text)).toMatch(/Asthma.*Allergic to nuts/);
    expect(text).not.toContain('Weight of a child');
    expect(requests).toBe(3); // the patient, the compartment, and types that are in none
  });

  it('has the newest records of each type, however many others are newer', async () => {
    const { text, requests } = await requestsOf('p2');
    expect(text).toContain('aria-label="Pulse: ');
    expect(shownText(text)).toContain('Old');
    expect(requests).toBe(6); // the two types of the first page alone, and the rest of the compartment
  });
});
