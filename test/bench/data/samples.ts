import type { Generated } from '../../../src/demo/generate.ts';

/**
 * What the requests ask for: spread over the whole data, so that no answer comes from the same place twice in a row.
 */
export interface Samples {
  /** Type and id of records of all types. */
  readonly records: readonly (readonly [type: string, id: string])[];
  /** Ids of patients with more than a page of vital signs. */
  readonly patients: readonly string[];
  readonly families: readonly string[];
  /** Ids of patients with an active condition. */
  readonly withConditions: readonly string[];
  /** Days, YYYY-MM-DD, with booked appointments. */
  readonly bookedDays: readonly string[];
}

interface Read {
  readonly resourceType: string;
  readonly id: string;
  readonly status?: string;
  readonly start?: string;
  readonly name?: readonly { readonly family: string }[];
  readonly category?: readonly { readonly coding: readonly { readonly code: string }[] }[];
  readonly clinicalStatus?: { readonly coding: readonly { readonly code: string }[] };
}

/** How many of each are chosen at most. */
const most = 500;

/** Chooses samples from generated records; the same records give the same samples. */
export function chooseSamples(records: Iterable<Generated>): Samples {
  const all: [string, string][] = [];
  const patients: string[] = [];
  const families: string[] = [];
  const withConditions: string[] = [];
  const bookedDays = new Set<string>();
  let patient = '';
  let vitalSigns = 0;
  let isListed = false;
  let number = 0;
  for (const { type, id, text } of records) {
    if (number++ % 37 === 0) all.push([type, id]);
    const record = JSON.parse(text) as Read; // the generator wrote it
    if (type === 'Patient') {
      [patient, vitalSigns, isListed] = [id, 0, false];
      families.push(record.name?.[0]?.family ?? '');
    } else if (type === 'Observation' && record.category?.[0]?.coding[0]?.code === 'vital-signs') {
      if (++vitalSigns === 22) patients.push(patient);
    } else if (type === 'Condition' && !isListed && record.clinicalStatus?.coding[0]?.code === 'active') {
      isListed = true;
      withConditions.push(patient);
    } else if (type === 'Appointment' && record.status === 'booked') bookedDays.add(String(record.start).slice(0, 10));
  }
  return {
    records: spread(all),
    patients: spread(patients),
    families: spread(families),
    withConditions: spread(withConditions),
    bookedDays: spread([...bookedDays].sort()),
  };
}

/** Evenly chosen, and in an order that jumps. */
function spread<T>(values: readonly T[]): readonly T[] {
  const step = Math.max(1, values.length / most);
  const chosen = Array.from({ length: Math.min(most, values.length) }, (_, at) => values[Math.floor(at * step)] as T);
  const stride = chosen.length % 7 === 0 ? 11 : 7;
  return chosen.map((_, at) => chosen[(at * stride) % chosen.length] as T);
}
