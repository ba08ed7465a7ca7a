import { createRandom } from './random.ts';
import type { Resource } from './resource.ts';
import { workplacesOf } from './visit.ts';
import { cities, familyNames, givenNames, streets } from './words.ts';

/**
 * The practitioners and locations of the visits of so many people, as records: interfaces that only refer to them need
 * none. The same options give identical records.
 */
export function workplaces({ patients, seed }: { readonly patients: number; readonly seed: number }): Resource[] {
  const { practitioners, locations } = workplacesOf(patients);
  return [
    ...practitioners.map(id => practitioner(id, seed)),
    ...locations.map((id, index) => location(id, index, seed)),
  ];
}

function practitioner(id: string, seed: number): Resource {
  const random = createRandom(seed, id);
  const gender = random.chance(0.5) ? 'female' : 'male';
  const name = {
    use: 'official',
    family: random.pick(familyNames),
    given: [random.pick(givenNames[gender])],
    prefix: ['Dr.'],
  };
  const qualification = [{ code: { text: 'Family physician' } }];
  return { resourceType: 'Practitioner', id, active: true, name: [name], gender, qualification };
}

function location(id: string, index: number, seed: number): Resource {
  const random = createRandom(seed, id);
  const { city } = random.pick(cities);
  const line = [`${random.integer(10, 900)} ${random.pick(streets)}`];
  return {
    resourceType: 'Location',
    id,
    status: 'active',
    name: `Clinic ${index + 1}`,
    mode: 'instance',
    address: { use: 'work', line, city, state: 'ON', country: 'CA' },
  };
}
