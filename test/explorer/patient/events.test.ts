// https://hl7.org/fhir/R4/fivews.html
import { beforeAll, describe, expect, it } from 'vitest';
import { eventOf } from '../../../src/explorer/patient/events.ts';
import { membersOf } from '../../../src/explorer/patient/members.ts';
import type { Member } from '../../../src/explorer/patient/members.ts';
import type { RecordView } from '../../../src/explorer/record/view.ts';
import { openView } from '../support.ts';

describe('the types that belong to a patient', () => {
  it('are those of the definitions, by the parameter for their subject, with their date', async () => {
    const { model } = await openView();
    const members = membersOf(model, 'Patient').map(({ type, by, date }) => [type.name, by, date?.code]);
    expect(members).toEqual([
      ['Appointment', 'patient', 'date'],
      ['Condition', 'patient', 'recorded-date'],
      ['Encounter', 'patient', 'date'],
      ['FamilyMemberHistory', 'patient', undefined],
      ['MedicationRequest', 'patient', 'authoredon'],
      ['Observation', 'patient', 'date'],
    ]);
  });

  it('are many in all of R4, and those of other compartments too', async () => {
    const { model } = await openView({ r4: true });
    expect(membersOf(model, 'Patient').length).toBeGreaterThan(50);
    const ofEncounter = membersOf(model, 'Encounter').map(({ type, by }) => `${type.name}?${by}`);
    expect(ofEncounter).toEqual(expect.arrayContaining(['Observation?encounter', 'Condition?encounter']));
  });
});

describe('the event of a record', () => {
  let view: RecordView;
  let members: ReadonlyMap<string, Member>;
  beforeAll(async () => {
    view = await openView({ r4: true });
    members = new Map(membersOf(view.model, 'Patient').map(member => [member.type.name, member]));
  }, 60_000);

  const concept = (text: string): object => ({ coding: [{ system: 'urn:x', code: '1', display: text }] });
  const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);

  it.each([
    [
      'from its onset to its abatement',
      { resourceType: 'Condition', code: concept('Asthma'), onsetDateTime: '2020-01-02', abatementDateTime: '2021-03' },
      ['Asthma', day('2020-01-02'), day('2021-04-01')],
    ],
    [
      'from its start to its end',
      { resourceType: 'Appointment', status: 'booked', start: '2020-01-02T10:00:00Z', end: '2020-01-02T10:30:00Z' },
      ['Appointment/x', day('2020-01-02') + 36_000_000, day('2020-01-02') + 37_801_000],
    ],
    [
      'of an open period without an end',
      {
        resourceType: 'Encounter',
        type: [concept('Check-up')],
        class: { code: 'AMB' },
        period: { start: '2020-01-02' },
      },
      ['Check-up', day('2020-01-02'), undefined],
    ],
    [
      'on the date of its order',
      { resourceType: 'MedicationRequest', medicationCodeableConcept: { text: 'Ramipril' }, authoredOn: '2020-01-02' },
      ['Ramipril', day('2020-01-02'), day('2020-01-03')],
    ],
    [
      'on the date on which it was recorded, if its onset is an age',
      { resourceType: 'Condition', code: concept('Gout'), onsetAge: { value: 40 }, recordedDate: '2020-01-02' },
      ['Gout', day('2020-01-02'), day('2020-01-03')],
    ],
    [
      'on its planned period',
      { resourceType: 'CarePlan', description: 'Less salt', period: { start: '2020-01-02', end: '2020-01-04' } },
      ['Less salt', day('2020-01-02'), day('2020-01-05')],
    ],
    ['without a date', { resourceType: 'Condition', code: { text: 'Gout' } }, ['Gout', undefined, undefined]],
    [
      'without a valid date',
      { resourceType: 'Condition', code: { text: 'Gout' }, onsetDateTime: '2020-02-31', recordedDate: 'soon' },
      ['Gout', undefined, undefined],
    ],
  ])('is %s', (_, resource, expected) => {
    const member = members.get(resource.resourceType);
    if (member === undefined) throw new Error('No member');
    const event = eventOf({ ...resource, id: 'x' }, member, view, 'UTC');
    expect([event?.title, event?.when?.start, event?.when?.end]).toEqual(expected);
  });

  it('has the state that its definition names', () => {
    const member = members.get('Condition');
    const clinicalStatus = {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code: 'active' }],
    };
    const event = member && eventOf({ resourceType: 'Condition', id: 'x', clinicalStatus }, member, view, 'UTC');
    expect(event?.status).toBe('Active');
  });
});
