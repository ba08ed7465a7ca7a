import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkDigit } from '../../src/demo/patient.ts';
import { generate } from '../../src/demo/generate.ts';
import { parseJson } from '../../src/fhir/json.ts';
import { isId } from '../../src/fhir/reference.ts';
import { requireModel } from '../support/loaded-once.ts';
import { createValidator } from '../../src/validation/profile/validator.ts';
import { cpuTime } from '../support/cpu-time.ts';

// What the records show is stated by the interface: fields, systems, forms of dates and references.

// oxlint-disable-next-line typescript/no-explicit-any -- the records are JSON of seven shapes, looked at by path
type Json = any;

const date = '2026-06-30';
const lines = [...generate({ patients: 150, seed: 7, date })];
const records: Json[] = lines.map(({ text }) => JSON.parse(text));
const of = (type: string): Json[] => records.filter(({ resourceType }) => resourceType === type);
const byReference = new Map(records.map(record => [`${record.resourceType}/${record.id}`, record]));

describe('generate', () => {
  it('gives the same bytes for the same options, and others for another seed', () => {
    const digest = (seed: number): string =>
      createHash('sha256')
        .update([...generate({ patients: 20, seed })].map(({ text }) => text).join('\n'))
        .digest('hex');
    expect(digest(7)).toBe(digest(7));
    expect(digest(7)).not.toBe(digest(8));
  });

  it('gives a patient the same records, however many there are, and can begin later', () => {
    const some = [...generate({ patients: 30, seed: 7, date })].map(({ text }) => text);
    expect(lines.slice(0, some.length).map(({ text }) => text)).toEqual(some);
    const rest = [...generate({ patients: 30, seed: 7, date, skip: 20 })].map(({ text }) => text);
    expect(some.slice(-rest.length)).toEqual(rest);
  });

  it('names each record by an id of its own, and says type and id beside the text', () => {
    expect(byReference.size).toBe(records.length);
    for (const { type, id, text } of lines) {
      expect(isId(id)).toBe(true);
      expect(text.startsWith(`{"resourceType":"${type}","id":"${id}"`)).toBe(true);
    }
  });

  it('makes about 55 records a patient, of all seven types', () => {
    const counts = Map.groupBy(records, ({ resourceType }) => resourceType as string);
    expect([...counts.keys()].sort()).toEqual(
      'Appointment Condition Encounter FamilyMemberHistory MedicationRequest Observation Patient'.split(' '),
    );
    expect(records.length / 150).toBeGreaterThan(45);
    expect(records.length / 150).toBeLessThan(70);
  });

  it('makes 1,000 patients in a few seconds', async () => {
    let count = 0;
    const time = await cpuTime(() => {
      for (const { text } of generate({ patients: 1000, seed: 1 })) count += text.length > 0 ? 1 : 0;
    });
    expect(count).toBeGreaterThan(45_000);
    expect(time).toBeLessThan(10_000);
  });

  it('is valid R4, and meets the profiles that it claims', async () => {
    const { model, definitions } = await requireModel({ definitions: [] });
    const validator = createValidator(definitions, model.definitions);
    for (const { text } of lines) {
      const { value, decimals } = parseJson(text);
      const issues = validator.validate(value, { decimals });
      expect(issues.filter(({ severity, rule }) => severity === 'error' || rule?.startsWith('unknown'))).toEqual([]);
    }
  });
});

describe('a generated record', () => {
  it('has the reference range by which its value is interpreted', () => {
    const judged = of('Observation').filter(({ referenceRange }) => referenceRange !== undefined);
    expect(judged.length).toBeGreaterThan(100);
    for (const { valueQuantity, referenceRange, interpretation } of judged) {
      const [{ low, high }] = referenceRange;
      const code = valueQuantity.value < low.value ? 'L' : valueQuantity.value > high.value ? 'H' : 'N';
      expect(interpretation[0].coding[0].code).toBe(code);
      expect([low.code, high.code]).toEqual([valueQuantity.code, valueQuantity.code]);
    }
  });

  it('refers to records that are there, but for practitioners and locations', () => {
    const references = JSON.stringify(records).match(/(?<="reference":")[^"]+/g) ?? [];
    expect(references.length).toBeGreaterThan(records.length);
    const missing = references.filter(
      reference =>
        !/^(Practitioner\/practitioner|Location\/location)-\d+$/.test(reference) && !byReference.has(reference),
    );
    expect(missing).toEqual([]);
  });

  it('of a patient has a health number with a valid check digit, a full name and an address in Ontario', () => {
    const numbers = new Set<string>();
    for (const patient of of('Patient')) {
      expect(patient.meta.profile).toEqual([
        'http://fhir.infoway-inforoute.ca/cacore/StructureDefinition/patient-ca-core|1.1.0',
      ]);
      const [identifier] = patient.identifier;
      expect(identifier.type.coding[0]).toMatchObject({
        system: 'http://terminology.hl7.org/CodeSystem/v2-0203',
        code: 'JHN',
      });
      expect(identifier.system).toBe('https://fhir.infoway-inforoute.ca/NamingSystem/ca-on-patient-hcn');
      expect(identifier.value).toMatch(/^[1-9]\d{9}$/);
      expect(checkDigit(identifier.value.slice(0, 9))).toBe(identifier.value[9]);
      numbers.add(identifier.value);
      for (const name of patient.name) expect(name.use && (name.family ?? name.given)).toBeTruthy();
      expect(patient.name[0]).toMatchObject({ use: 'official', family: expect.any(String), given: expect.any(Array) });
      expect(patient.telecom[0]).toMatchObject({ system: 'phone', value: expect.stringMatching(/555.01\d\d$/) });
      expect(['female', 'male', 'other', 'unknown']).toContain(patient.gender);
      expect(patient.birthDate).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(typeof patient.active).toBe('boolean');
      expect(patient.address[0]).toMatchObject({ state: 'ON', country: 'CA' });
      expect(patient.address[0].postalCode).toMatch(/^[KLMNP]\d[A-Z] \d[A-Z]\d$/);
    }
    expect(numbers.size).toBe(150);
  });

  it('has names in English and French, with accents', () => {
    const names = JSON.stringify(of('Patient').map(({ name }) => name));
    for (const name of ['é', 'Smith', 'Tremblay', "'"]) expect(names).toContain(name);
  });

  it('of an encounter fulfils an appointment of the same patient and practitioner at the same time', () => {
    for (const encounter of of('Encounter')) {
      expect(encounter.meta.profile[0]).toMatch(/encounter-ca-core\|1\.1\.0$/);
      expect(encounter.class).toMatchObject({
        system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode',
        code: 'AMB',
      });
      expect(encounter.type[0].coding[0].code).toMatch(/^\d+$/);
      const appointment = byReference.get(encounter.appointment[0].reference);
      const actors = appointment.participant.map(({ actor }: Json) => actor.reference);
      expect(actors).toContain(encounter.subject.reference);
      expect(actors).toContain(encounter.participant[0].individual.reference);
      expect(encounter.period.start).toBe(appointment.start);
      const ended = encounter.status === 'finished';
      expect([encounter.status, appointment.status]).toEqual(
        ended ? ['finished', 'fulfilled'] : ['in-progress', 'arrived'],
      );
      expect(encounter.period.end).toBe(ended ? appointment.end : undefined);
    }
    const fulfilled = of('Appointment').filter(({ status }) => status === 'fulfilled');
    expect(fulfilled.length).toBe(of('Encounter').filter(({ status }) => status === 'finished').length);
  });

  it('of an appointment never books a person twice at the same time', () => {
    const slots: string[] = [];
    for (const { start, participant } of of('Appointment')) {
      expect(start).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00-0[45]:00$/);
      for (const { actor, status } of participant) {
        expect(['accepted', 'declined', 'needs-action']).toContain(status);
        if (!actor.reference.startsWith('Location/')) slots.push(`${actor.reference} ${start}`);
      }
    }
    expect(new Set(slots).size).toBe(slots.length);
    const statuses = new Set(of('Appointment').map(({ status }) => status));
    for (const status of ['booked', 'arrived', 'fulfilled', 'cancelled']) expect(statuses).toContain(status);
  });

  it('of an observation was taken in its encounter, with a quantity in UCUM whose decimals are kept', () => {
    for (const observation of of('Observation')) {
      const encounter = byReference.get(observation.encounter.reference);
      expect(observation.subject).toEqual(encounter.subject);
      const at = Date.parse(observation.effectiveDateTime);
      expect(at).toBeGreaterThanOrEqual(Date.parse(encounter.period.start));
      expect(at).toBeLessThanOrEqual(Date.parse(encounter.period.end ?? `${date}T23:59:59-04:00`));
      expect(observation.effectiveDateTime <= `${date}T23`).toBe(true);
      expect(['vital-signs', 'laboratory']).toContain(observation.category[0].coding[0].code);
      expect(observation.code.coding[0]).toMatchObject({
        system: 'http://loinc.org',
        code: expect.stringMatching(/^\d+-\d$/),
      });
      expect(observation.valueQuantity).toMatchObject({
        system: 'http://unitsofmeasure.org',
        code: expect.any(String),
      });
    }
    const glucose = lines.filter(({ text }) => text.includes('"14749-6"'));
    expect(glucose.length).toBeGreaterThan(10);
    for (const { text } of glucose) expect(text).toMatch(/"valueQuantity":\{"value":\d+\.\d\d,/);
    expect(glucose.some(({ text }) => /"value":\d+\.\d0,/.test(text))).toBe(true);
  });

  it('of a condition began before it was recorded, on the day of its encounter, and ended after it began', () => {
    for (const condition of of('Condition')) {
      const encounter = byReference.get(condition.encounter.reference);
      expect(condition.recordedDate).toBe(encounter.period.start.slice(0, 10));
      expect(condition.onsetDateTime <= condition.recordedDate).toBe(true);
      const born = byReference.get(condition.subject.reference).birthDate as string;
      expect(condition.onsetDateTime >= born.slice(0, condition.onsetDateTime.length)).toBe(true);
      const resolved = condition.clinicalStatus.coding[0].code === 'resolved';
      expect(condition.abatementDateTime !== undefined).toBe(resolved);
      const ended = condition.abatementDateTime ?? date;
      expect(condition.onsetDateTime <= ended && ended <= date).toBe(true);
      expect(condition.code.coding[0]).toMatchObject({ system: 'http://snomed.info/sct', display: expect.any(String) });
    }
    const codes = (element: string): Set<string> =>
      new Set(of('Condition').map(condition => [condition[element]].flat()[0].coding[0].code));
    expect(codes('category')).toEqual(new Set(['problem-list-item', 'encounter-diagnosis']));
    for (const code of ['active', 'recurrence', 'remission', 'resolved'])
      expect(codes('clinicalStatus')).toContain(code);
    for (const code of ['confirmed', 'provisional', 'refuted']) expect(codes('verificationStatus')).toContain(code);
  });

  it('of a prescription was written in an encounter for a condition of the patient', () => {
    for (const order of of('MedicationRequest')) {
      expect(order.intent).toBe('order');
      expect(order.medicationCodeableConcept.coding[0]).toMatchObject({
        system: expect.any(String),
        code: expect.any(String),
      });
      expect(order.authoredOn).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(order.authoredOn).toBe(byReference.get(order.encounter.reference).period.start.slice(0, 10));
      const condition = byReference.get(order.reasonReference[0].reference);
      expect(condition.subject).toEqual(order.subject);
      expect(order.authoredOn >= condition.recordedDate).toBe(true);
      expect(order.requester.reference).toMatch(/^Practitioner\//);
    }
    const statuses = new Set(of('MedicationRequest').map(({ status }) => status));
    for (const status of ['active', 'completed', 'stopped', 'cancelled']) expect(statuses).toContain(status);
  });

  it('of a family history identifies a relative by role code', () => {
    for (const history of of('FamilyMemberHistory')) {
      expect(history.meta.profile[0]).toMatch(/familymemberhistory-ca-core\|1\.1\.0$/);
      expect(history.relationship.coding[0].system).toBe('http://terminology.hl7.org/CodeSystem/v3-RoleCode');
      expect(history.status === 'health-unknown').toBe(history.condition === undefined);
    }
  });

  it('claims no profile where the interface states none', () => {
    for (const type of ['Observation', 'Appointment', 'Condition', 'MedicationRequest']) {
      for (const record of of(type)) expect(record.meta).toBeUndefined();
    }
  });
});
