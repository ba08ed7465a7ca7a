import { chronicDiseases } from './codes.ts';
import type { Disease } from './codes.ts';
import { createRandom } from './random.ts';
import type { Random } from './random.ts';
import { familyNames, givenNames } from './words.ts';

/** The common properties of a person's records, so that they are consistent. */
export interface Person {
  /** From 0. */
  readonly number: number;
  /** Part of every id: seed and number, `1-00042`. */
  readonly key: string;
  /** `Patient/p1-00042`. */
  readonly reference: string;
  readonly random: Random;
  readonly gender: 'female' | 'male' | 'other' | 'unknown';
  readonly family: string;
  readonly given: readonly string[];
  /** Days since 1970-01-01. */
  readonly birthDay: number;
  /** Whole years on the reference day. */
  readonly age: number;
  readonly diseases: readonly Disease[];
  /** In centimetres and kilograms, as an adult or at this age. */
  readonly height: number;
  readonly weight: number;
}

/** The person with a number under a seed, independent of the number of patients. */
export function createPerson(seed: number, number: number, today: number): Person {
  const random = createRandom(seed, number);
  const key = `${seed}-${String(number + 1).padStart(5, '0')}`;
  const gender = genderOf(random.next());
  const names = givenNames[gender === 'unknown' ? 'other' : gender];
  const age = random.integer(4, 94);
  const grown = Math.min(1, 0.55 + age * 0.027);
  const height = random.around(gender === 'male' ? 176 : 164, 6) * grown;
  return {
    number,
    key,
    reference: `Patient/p${key}`,
    random,
    gender,
    family: random.pick(familyNames),
    given: random.some(names, random.chance(0.4) ? 2 : 1),
    birthDay: today - Math.floor(age * 365.2425) - random.integer(1, 360),
    age,
    diseases: chronicDiseases.filter(({ fromAge, probability }) => random.chance(probability) && age >= fromAge),
    height,
    weight: (height / 100) ** 2 * random.around(16 + 10 * grown, 2.5),
  };
}

function genderOf(throwOfDice: number): Person['gender'] {
  if (throwOfDice < 0.49) return 'female';
  if (throwOfDice < 0.98) return 'male';
  return throwOfDice < 0.99 ? 'other' : 'unknown';
}
