import { printDateTime } from './calendar.ts';
import {
  DIABETES,
  HYPERLIPIDEMIA,
  HYPERTENSION,
  HYPOTHYROIDISM,
  laboratoryTests,
  systems,
  vitalSigns,
} from './codes.ts';
import type { Measurement } from './codes.ts';
import type { Person } from './person.ts';
import type { Resource } from './resource.ts';
import type { Visit } from './visit.ts';

const categories = {
  'vital-signs': 'Vital Signs',
  laboratory: 'Laboratory',
} as const;

/** The vital signs of an encounter, and for some encounters laboratory results, all within its period. */
export function observations(person: Person, visit: Visit, encounterId: string): Resource[] {
  const { random } = person;
  const made: Resource[] = [];
  const add = (category: keyof typeof categories, measurement: Measurement, value: number): void => {
    const minutes = visit.start + 3 + made.length;
    made.push({
      resourceType: 'Observation',
      id: `o${encounterId.slice(1)}-${made.length + 1}`,
      status: category === 'laboratory' && random.chance(0.04) ? 'amended' : 'final',
      category: [{ coding: [{ system: systems.observationCategory, code: category, display: categories[category] }] }],
      code: { coding: [{ system: systems.loinc, code: measurement.code, display: measurement.display }] },
      subject: { reference: person.reference },
      encounter: { reference: `Encounter/${encounterId}` },
      effectiveDateTime: printDateTime(visit.day, minutes),
      performer: [{ reference: visit.practitioner }],
      valueQuantity: quantity(value, measurement),
      ...(measurement.usual === undefined ? {} : judged(value, measurement, measurement.usual)),
    });
  };
  for (const [measurement, value] of measuredVitalSigns(person)) add('vital-signs', measurement, value);
  if (person.age >= 16 && visit.status === 'fulfilled' && random.chance(0.45)) {
    for (const measurement of random.some(Object.values(laboratoryTests), 4)) {
      add(
        'laboratory',
        measurement,
        Math.max(0.1, random.around(measurement.mean + shift(person, measurement), measurement.deviation)),
      );
    }
  }
  return made;
}

function measuredVitalSigns(person: Person): [Measurement, number][] {
  const { random } = person;
  const pressure = has(person, HYPERTENSION) ? 16 : person.age < 16 ? -16 : 0;
  const weight = round(person.weight * (0.97 + random.next() * 0.06), 1);
  const height = round(person.height, 1);
  const usually = (measurement: Measurement, more = 0): [Measurement, number] => [
    measurement,
    random.around(measurement.mean + more, measurement.deviation),
  ];
  const bloodPressure = [usually(vitalSigns.systolic, pressure), usually(vitalSigns.diastolic, pressure / 2)];
  const body: [Measurement, number][] = [
    [vitalSigns.weight, weight],
    [vitalSigns.height, height],
    [vitalSigns.bodyMassIndex, weight / (height / 100) ** 2],
  ];
  return [
    ...bloodPressure,
    usually(vitalSigns.heartRate, person.age < 16 ? 14 : 0),
    ...(random.chance(0.4) ? [usually(vitalSigns.temperature), usually(vitalSigns.respiratoryRate)] : []),
    ...(random.chance(0.3)
      ? [[vitalSigns.oxygenSaturation, Math.min(100, random.around(97.5, 0.8))] as [Measurement, number]]
      : []),
    ...(random.chance(0.5) ? body : []),
  ];
}

/** The effect of a disease on a result. */
function shift(person: Person, measurement: Measurement): number {
  if (measurement === laboratoryTests.glucose && has(person, DIABETES)) return 3.2;
  if (measurement === laboratoryTests.hba1c && has(person, DIABETES)) return 1.9;
  if (measurement === laboratoryTests.cholesterol && has(person, HYPERLIPIDEMIA)) return 1.3;
  if (measurement === laboratoryTests.tsh && has(person, HYPOTHYROIDISM)) return 3;
  return 0;
}

function has(person: Person, code: string): boolean {
  return person.diseases.some(disease => disease.code === code);
}

const quantity = (value: number, { decimals, unit, ucum }: Measurement): object => ({
  value: decimal(value, decimals),
  unit,
  system: systems.ucum,
  code: ucum,
});

/** The interpretation of a value, and the range by which it is judged. */
function judged(value: number, measurement: Measurement, usual: readonly [number, number]): object {
  const [low, high] = usual;
  return {
    interpretation: [interpretation(round(value, measurement.decimals), usual)],
    referenceRange: [{ low: quantity(low, measurement), high: quantity(high, measurement) }],
  };
}

function interpretation(value: number, [low, high]: readonly [number, number]): { coding: object[] } {
  const [code, display] = value < low ? ['L', 'Low'] : value > high ? ['H', 'High'] : ['N', 'Normal'];
  return { coding: [{ system: systems.interpretation, code, display }] };
}

function round(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}

/** A number with exactly these decimals: 7.1 with two is `7.10`, since the zero was measured too. */
function decimal(value: number, decimals: number): object {
  return withRawJSON.rawJSON(value.toFixed(decimals)); // JSON.stringify prints it unchanged
}

const withRawJSON = JSON as unknown as { rawJSON(text: string): object }; // in Node, not yet in TypeScript's library
