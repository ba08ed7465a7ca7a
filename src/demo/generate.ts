import { dayOf } from './calendar.ts';
import { observations } from './observations.ts';
import { patient } from './patient.ts';
import { createPerson } from './person.ts';
import type { Person } from './person.ts';
import { problems } from './problems.ts';
import { visitsOf } from './visit.ts';
import type { Encountered } from './visit.ts';
import { createRandom } from './random.ts';
import type { Resource } from './resource.ts';
import { appointment, encounter } from './scheduling.ts';
import { familyDiseases, profiles, relatives, systems } from './codes.ts';

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

/** Histories of two or three relatives; some only state that nothing is known. */
function familyHistories(person: Person): Resource[] {
  const { random } = person;
  return random.some(relatives, random.integer(2, 3)).map((relative, index): Resource => {
    const unknown = random.chance(0.1);
    const possible = familyDiseases.filter(disease => !('only' in disease) || disease.only === relative.sex);
    const conditions = random.some(possible, random.integer(1, 2)).map(({ code, display }) => ({
      code: { coding: [{ system: systems.snomed, code, display }] },
      ...(random.chance(0.6)
        ? { onsetAge: { value: random.integer(35, 80), unit: 'years', system: systems.ucum, code: 'a' } }
        : {}),
    }));
    return {
      resourceType: 'FamilyMemberHistory',
      id: `f${person.key}-${index + 1}`,
      meta: { profile: [profiles.familyMemberHistory] },
      status: unknown ? 'health-unknown' : random.pick(['completed', 'completed', 'partial']),
      ...(unknown
        ? {
            dataAbsentReason: {
              coding: [{ system: systems.absentHistory, code: 'subject-unknown', display: "Don't know" }],
            },
          }
        : {}),
      patient: { reference: person.reference },
      relationship: { coding: [{ system: systems.roleCode, code: relative.code, display: relative.display }] },
      sex: { coding: [{ system: systems.gender, code: relative.sex }] },
      ...(unknown ? {} : { condition: conditions }),
    };
  });
}
