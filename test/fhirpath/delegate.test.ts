import { describe, expect, it } from 'vitest';
import { run, runNow } from '../../src/fhirpath/delegate/run.ts';
import type { JobAnswer, Job } from '../../src/fhirpath/delegate/job.ts';

// fhirpath.js in a thread with a deadline, with and without a promise.

const patient = {
  resourceType: 'Patient',
  id: 'a',
  name: [{ family: 'Ang', given: ['Bo', null, 'Ce'] }, { family: 'De' }],
  birthDate: '2000-01-01',
  deceasedDateTime: '2020-01-01',
  managingOrganization: { reference: '#o' },
  generalPractitioner: [{ reference: 'Practitioner/1' }],
  contained: [{ resourceType: 'Organization', id: 'o', name: 'x' }],
};

const job = (expression: string, more: Partial<Job> = {}): Job => ({
  expression,
  focus: { value: patient, code: 'Patient', type: 'Patient' },
  resource: patient,
  rootResource: patient,
  resolve: 'contained',
  ...more,
});

const computed = (type: string, value: unknown): JobAnswer => ({ kind: 'results', results: [{ type, value }] });
const endless = job('1.0.repeat($this + 1.0)');
const late = (milliseconds: number): JobAnswer => ({ kind: 'late', milliseconds });

describe.each([
  ['while this thread waits', async (...given: Parameters<typeof runNow>) => runNow(...given)],
  ['while this thread continues', run],
])('jobs that run %s', (_title, ask) => {
  it('are answered in order', async () => {
    const name = { value: patient.name[0], code: 'HumanName', type: 'HumanName' };
    const jobs = [
      job('0.1 + 0.2'),
      job('birthDate + 18 years <= deceased'),
      job('name.given'),
      job('family', { focus: name }),
      job('%resource.birthDate', { focus: name }),
      job('$this.length()', { focus: { value: 'four', code: 'string', type: 'string' } }),
      job("%`ext-x` & ' ' & %sct"),
      job('managingOrganization.resolve().name'),
      job('generalPractitioner.where(resolve() is Practitioner).reference', { resolve: 'type' }),
    ];
    const at = (type: string, of: 'focus' | 'resource', ...steps: (string | number)[]): object => ({
      type,
      place: { of, steps },
    });
    expect(await ask(jobs)).toEqual([
      computed('decimal', 0.3),
      computed('boolean', true),
      {
        kind: 'results',
        results: [at('string', 'focus', 'name', 0, 'given', 0), at('string', 'focus', 'name', 0, 'given', 2)],
      },
      { kind: 'results', results: [at('string', 'focus', 'family')] },
      { kind: 'results', results: [at('date', 'resource', 'birthDate')] },
      computed('integer', 4),
      computed('string', 'http://hl7.org/fhir/StructureDefinition/x http://snomed.info/sct'),
      computed('string', 'x'),
      { kind: 'results', results: [at('string', 'focus', 'generalPractitioner', 0, 'reference')] },
    ]);
  });

  it('fail by themselves', async () => {
    expect(
      await ask([job('name.family.upper()'), job('1 +'), job('generalPractitioner.resolve()'), job('1 + 1')]),
    ).toEqual([
      { kind: 'failed', message: expect.stringContaining('Unexpected collection') },
      { kind: 'failed', message: expect.stringContaining('The expression ends') },
      { kind: 'failed', message: expect.stringContaining('not available') },
      computed('integer', 2),
    ]);
  });

  it('are ended where one takes too long, and those after it are answered', async () => {
    expect(await ask([job('1'), endless, job('2')], { each: 750, all: 60_000 })).toEqual([
      computed('integer', 1),
      late(750),
      computed('integer', 2),
    ]);
  }, 60_000);

  it('are late together where all of them take too long', async () => {
    expect(await ask([endless, endless, job('1')], { each: 50, all: 50 })).toEqual([late(50), late(50), late(50)]);
    expect(await ask([job('1')])).toEqual([computed('integer', 1)]);
  });
});

describe('jobs of several requests', () => {
  it('wait for each other', async () => {
    const [one, other] = await Promise.all([run([endless, job('1')], { each: 750, all: 60_000 }), run([job('2')])]);
    expect([one, other]).toEqual([[late(750), computed('integer', 1)], [computed('integer', 2)]]);
  });
});
