import { isWeekday } from './calendar.ts';
import type { Person } from './person.ts';

/** One booking of a person, the source of the appointment and, if it took place, the encounter. */
export interface Visit {
  /** Days since 1970-01-01. */
  readonly day: number;
  /** Minutes after midnight in Toronto. */
  readonly start: number;
  readonly end: number;
  readonly status: 'booked' | 'pending' | 'arrived' | 'fulfilled' | 'cancelled' | 'noshow';
  readonly kind: 'ROUTINE' | 'FOLLOWUP' | 'CHECKUP';
  /** `Practitioner/…` and `Location/…`, which are referenced by id only. */
  readonly practitioner: string;
  readonly location: string;
  readonly appointmentId: string;
  /** Undefined if it did not take place. */
  readonly encounterId: string | undefined;
}

/** A visit that took place. */
export type Encountered = Visit & { readonly encounterId: string };

/** Patients that share one practitioner: as many as a day has slots, so that no two are booked at the same time. */
const SLOTS = 16;
const PRACTITIONERS_A_CLINIC = 4;

/** The ids of the practitioners and the locations of the visits of so many people. */
export function workplacesOf(people: number): {
  readonly practitioners: readonly string[];
  readonly locations: readonly string[];
} {
  const clinics = Math.ceil(people / (SLOTS * PRACTITIONERS_A_CLINIC));
  const numbered = (name: string, count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => `${name}-${index + 1}`);
  return {
    practitioners: numbered('practitioner', clinics * PRACTITIONERS_A_CLINIC),
    locations: numbered('location', clinics),
  };
}

const FIRST_SLOT = 8 * 60 + 30;
const SLOT = 30;

/**
 * The bookings of three years before and half a year after the reference day, oldest first. Past ones took place, were
 * cancelled or missed; on the day itself a few people have arrived; later ones are booked.
 */
export function visitsOf(person: Person, today: number): readonly Visit[] {
  const { random } = person;
  const past = Array.from({ length: random.integer(6, 9) }, () => today - random.integer(1, 1095));
  const later = Array.from({ length: random.integer(0, 2) }, () => today + random.integer(1, 182));
  const days = [...past, ...later, ...(random.chance(0.06) ? [today] : [])].filter(isWeekday);
  return [...new Set(days)]
    .sort((a, b) => a - b)
    .map((day, index) => {
      const status = statusOf(person, day - today);
      const took = status === 'fulfilled' || status === 'arrived';
      const start = FIRST_SLOT + ((person.number + day * 7) % SLOTS) * SLOT;
      return {
        day,
        start,
        end: start + random.pick([20, 30]),
        status,
        kind: random.pick(['ROUTINE', 'FOLLOWUP', 'CHECKUP']),
        ...placeOf(person.number, day),
        appointmentId: `a${person.key}-${index + 1}`,
        encounterId: took ? `e${person.key}-${index + 1}` : undefined,
      };
    });
}

/** The usual practitioner of a person. */
export function usualPractitioner(number: number): string {
  return `Practitioner/practitioner-${Math.floor(number / SLOTS) + 1}`;
}

function statusOf({ random }: Person, daysFromToday: number): Visit['status'] {
  const throwOfDice = random.next();
  if (daysFromToday === 0) return 'arrived';
  if (daysFromToday > 0) return throwOfDice < 0.12 ? 'cancelled' : throwOfDice < 0.2 ? 'pending' : 'booked';
  return throwOfDice < 0.1 ? 'cancelled' : throwOfDice < 0.15 ? 'noshow' : 'fulfilled';
}

/** On every fifth day the practitioners of a clinic rotate by one place. */
function placeOf(number: number, day: number): { practitioner: string; location: string } {
  const usual = Math.floor(number / SLOTS);
  const clinic = Math.floor(usual / PRACTITIONERS_A_CLINIC);
  const place = (usual + (day % 5 === 0 ? 1 : 0)) % PRACTITIONERS_A_CLINIC;
  return {
    practitioner: `Practitioner/practitioner-${clinic * PRACTITIONERS_A_CLINIC + place + 1}`,
    location: `Location/location-${clinic + 1}`,
  };
}
