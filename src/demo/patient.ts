import { printDate } from './calendar.ts';
import { profiles, systems } from './codes.ts';
import { healthNumber } from './health-number.ts';
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
