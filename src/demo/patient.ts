import { printDate } from './calendar.ts';
import { profiles, systems } from './codes.ts';
import type { Person } from './person.ts';
import type { Resource } from './resource.ts';
import { usualPractitioner } from './visit.ts';
import { cities, streets } from './words.ts';

/** The demographics of a person: one health number, one or two names, telephone and mail, an address in Ontario. */
export function patient(person: Person, healthNumberIndex: number): Resource {
  const { random, family, given, gender } = person;
  const place = random.pick(cities);
  const french = random.chance(0.3);
  return {
    resourceType: 'Patient',
    id: person.reference.slice('Patient/'.length),
    meta: { profile: [profiles.patient] },
    identifier: [
      {
        use: 'official',
        type: {
          coding: [{ system: systems.identifierType, code: 'JHN', display: 'Jurisdictional health number (Canada)' }],
        },
        system: systems.healthNumber,
        value: healthNumber(healthNumberIndex),
      },
    ],
    active: random.chance(0.96),
    name: [
      { use: 'official', family, given: [...given] },
      ...(random.chance(0.15) ? [{ use: 'usual', given: [(given[0] ?? '').slice(0, 3)] }] : []),
    ],
    telecom: [...telephones(person, place.areas), ...mail(person)],
    gender,
    birthDate: printDate(person.birthDay),
    address: [
      {
        use: 'home',
        line: [`${random.integer(1, 999)} ${random.pick(streets)}`],
        city: place.city,
        state: 'ON',
        postalCode:
          `${random.pick(place.postal)} ` +
          `${random.integer(1, 9)}${random.pick(['A', 'B', 'E', 'G', 'N', 'T'])}${random.integer(1, 9)}`,
        country: 'CA',
      },
    ],
    communication: [
      {
        language: { coding: [{ system: systems.language, code: french ? 'fr-CA' : 'en-CA' }] },
        preferred: true,
      },
    ],
    generalPractitioner: [{ reference: usualPractitioner(person.number) }],
  };
}

/** Numbers of the range 555-0100 to 555-0199, which is reserved for fiction, in usual notations. */
function telephones({ random }: Person, areas: readonly string[]): object[] {
  return random.some(['home', 'mobile', 'work'] as const, random.integer(1, 2)).map(use => {
    const area = random.pick(areas);
    const line = `01${String(random.integer(0, 99)).padStart(2, '0')}`;
    const value = random.pick([`${area}-555-${line}`, `(${area}) 555-${line}`, `+1 ${area} 555 ${line}`]);
    return { system: 'phone', value, use };
  });
}

function mail({ random, family, given, number }: Person): object[] {
  if (random.chance(0.25)) return [];
  const plain = `${given[0] ?? ''}.${family}`
    .normalize('NFD')
    .replace(/[^A-Za-z.-]/g, '')
    .toLowerCase();
  return [{ system: 'email', value: `${plain}.${number + 1}@example.org`, use: 'home' }];
}

/**
 * An Ontario health number: ten digits, the first not 0, the last a check digit by the Luhn formula (mod 10). Different
 * numbers below 900 million give different health numbers.
 */
export function healthNumber(index: number): string {
  const nine = String(100_000_000 + ((index * 472_882_027) % 900_000_000));
  return nine + checkDigit(nine);
}

/** The digit that makes the whole pass the Luhn formula. https://en.wikipedia.org/wiki/Luhn_algorithm */
export function checkDigit(digits: string): string {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const doubled = Number(digits.at(-1 - place)) * (place % 2 === 0 ? 2 : 1);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return String((10 - (sum % 10)) % 10);
}
