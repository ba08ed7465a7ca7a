// https://hl7.org/fhir/R4/compartmentdefinition-patient.html
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
        patient('p2'),
        { resourceType: 'Condition', id: 'c1', code: { text: 'Asthma' }, onsetDateTime: '2024-01', ...subject('p1') },
        { resourceType: 'Condition', id: 'c2', code: { text: 'Gout' }, onsetDateTime: '2024-01', ...subject('p2') },
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
    expect(text).not.toMatch(/Body height|Observation/);
  });

  it('is refused as the read of the patient is', async () => {
    const scope = 'patient/Patient.rs patient/Condition.rs';
    expect((await open('Patient/p2', scope, 'p1')).status).toBe(404);
    expect((await open('Patient/p1', 'system/Condition.rs')).status).toBe(403);
    expect((await server.get('//explorer/demo/overview/Patient/p1', { Accept: 'text/html' })).status).toBe(401);
  });

  it('exists only for types with a compartment', async () => {
    expect((await open('Condition/c1', all)).status).toBe(404);
    expect((await open('constructor/c1', all)).status).toBe(404);
  });
});
