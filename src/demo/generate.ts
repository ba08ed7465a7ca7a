import { dayOf } from './calendar.ts';
import { familyHistories } from './family-history.ts';
import { observations } from './observations.ts';
import { patient } from './patient.ts';
import { createPerson } from './person.ts';
import { problems } from './problems.ts';
import type { Encountered } from './visit.ts';
import { createRandom } from './random.ts';
import type { Resource } from './resource.ts';
import { appointment, encounter } from './scheduling.ts';
import { visitsOf } from './visit.ts';

export interface GenerateOptions {
  readonly patients: number;
  /** A whole number, part of every id, so that sets with different seeds can coexist. */
  readonly seed: number;
  /** The reference day, YYYY-MM-DD: only booked appointments are later. */
  readonly date?: string;
  /** Patients to skip at the beginning; the others stay the same. Default 0. */
  readonly skip?: number;
}

export interface Generated {
  readonly type: string;
  readonly id: string;
  /** JSON on one line. */
  readonly text: string;
}

export const DEFAULT_DATE = '2026-06-30';

/**
 * Synthetic records of people in Ontario, patient by patient, about 60 each. The same options give identical texts, and
 * a patient does not depend on the number of patients.
 */
export function* generate({ patients, seed, date = DEFAULT_DATE, skip = 0 }: GenerateOptions): Iterable<Generated> {
  const today = dayOf(date);
  const firstHealthNumber = createRandom(seed, 'health numbers').integer(0, 9_999_999);
  for (let number = skip; number < patients; number++) {
    const person = createPerson(seed, number, today);
    yield printed(patient(person, firstHealthNumber + number));
    const visits = visitsOf(person, today);
    const took: Encountered[] = [];
    for (const visit of visits) {
      yield printed(appointment(person, visit));
      if (visit.encounterId === undefined) continue;
      const encountered = { ...visit, encounterId: visit.encounterId };
      took.push(encountered);
      yield printed(encounter(person, visit, visit.encounterId));
      yield* observations(person, visit, visit.encounterId).map(printed);
    }
    yield* problems(person, took).map(printed);
    yield* familyHistories(person).map(printed);
  }
}

/** A resource in the form for loading. */
export function printed(resource: Resource): Generated {
  return { type: resource.resourceType, id: resource.id, text: JSON.stringify(resource) };
}
