import { describe, expect, it } from 'vitest';
import { isObject } from '../../../src/fhir/json-object.ts';
import type { ElementDefinition, TypeDefinition } from '../../../src/model/element.ts';
import { readTypeDefinitions } from '../../../src/model/type-definitions.ts';
import { faulty } from './faulty-examples.ts';
import { exampleNames, readExample } from './support/examples.ts';
import { validatorOf } from './support/validator.ts';

// Copies of official examples with one planted fault: each is caught, at the place where it was planted, be that the
// resource itself or the last place deep within it.

const validator = validatorOf();
const types = readTypeDefinitions();
const known = new Set(faulty.map(([name]) => name));
const clinical = exampleNames.filter(
  name =>
    /^(AllergyIntolerance|Appointment|CarePlan|Claim|Condition|Coverage|DiagnosticReport|Encounter|FamilyMemberHistory|Goal|Immunization|Media|MedicationRequest|Observation|Patient|Practitioner|Procedure|ServiceRequest|Task)-/.test(
      name,
    ) && !known.has(name),
);

type Json = Record<string, unknown>;

/** An object of a resource: what it is, and where. */
interface Place {
  readonly owner: Json;
  readonly definition: TypeDefinition;
  readonly path: string;
}

/** All objects in a resource, each before those within it. */
function* placesIn(owner: Json, definition: TypeDefinition, path: string): Iterable<Place> {
  yield { owner, definition, path };
  for (const [property, { element, type }] of definition.properties) {
    const value = owner[property];
    const inner = element.types.find(({ code }) => code === type.code)?.content ?? types.get(type.code);
    const each = (one: unknown, at: string): Iterable<Place> => {
      if (!isObject(one)) return [];
      const actual = typeof one['resourceType'] === 'string' ? types.get(one['resourceType']) : inner;
      return actual === undefined ? [] : placesIn(one, actual, at);
    };
    if (Array.isArray(value))
      for (const [at, one] of value.entries()) yield* each(one, `${path}.${element.name}[${at}]`);
    else yield* each(value, `${path}.${element.name}`);
  }
}

/**
 * Plants a fault in an object and gives the start of the expression at which it must be found; undefined where there is
 * no place for it.
 */
type Plant = (place: Place) => string | undefined;

const elementsOf = ({ definition }: Place): readonly ElementDefinition[] => [...definition.elements.values()];
const isOf = (element: ElementDefinition, code: RegExp): boolean =>
  !element.choice && code.test(element.types[0]?.code ?? '');

const plants: Readonly<Record<string, Plant>> = {
  'a required element that is dropped'(place) {
    const { owner, path } = place;
    const element = elementsOf(place).find(
      ({ min, name, choice }) => min > 0 && !choice && owner[name] !== undefined && Object.keys(owner).length > 1,
    );
    if (element === undefined) return undefined;
    delete owner[element.name];
    delete owner[`_${element.name}`];
    return element.path === 'Extension.url' || element.path.startsWith('Narrative') ? path : `${path}.${element.name}`;
  },
  'an unknown property'({ owner, path }) {
    owner['unheard'] = 'of';
    return `${path}.unheard`;
  },
  'a text in place of an array'(place) {
    const { owner, path } = place;
    const element = elementsOf(place).find(({ name, max }) => max > 1 && Array.isArray(owner[name]));
    if (element === undefined) return undefined;
    owner[element.name] = 'text';
    return `${path}.${element.name}`;
  },
  'an array in place of one'(place) {
    const { owner, path } = place;
    const element = elementsOf(place).find(
      ({ name, max, choice }) => max === 1 && !choice && owner[name] !== undefined && name !== 'resourceType',
    );
    if (element === undefined) return undefined;
    owner[element.name] = [owner[element.name]];
    return `${path}.${element.name}`;
  },
  'a number in place of a text'(place) {
    const { owner, path } = place;
    const element = elementsOf(place).find(
      one => isOf(one, /^(string|code|uri|markdown|id)$/) && typeof owner[one.name] === 'string',
    );
    if (element === undefined) return undefined;
    owner[element.name] = 1;
    return `${path}.${element.name}`;
  },
  'a bad date'(place) {
    const { owner, path } = place;
    const element = elementsOf(place).find(
      one => isOf(one, /^(date|dateTime|instant)$/) && typeof owner[one.name] === 'string',
    );
    if (element === undefined) return undefined;
    owner[element.name] = '31.12.2024';
    return `${path}.${element.name}`;
  },
  'a wrong code'(place) {
    const { owner, path } = place;
    const element = elementsOf(place).find(
      one => one.binding?.strength === 'required' && isOf(one, /^code$/) && typeof owner[one.name] === 'string',
    );
    if (element === undefined) return undefined;
    owner[element.name] = 'unheard-of';
    return `${path}.${element.name}`;
  },
  'two of one choice'(place) {
    const { owner, path } = place;
    const element = elementsOf(place).find(
      ({ choice, types: all }) => choice && all.filter(({ property }) => owner[property] !== undefined).length === 1,
    );
    const property = element?.types.find(one => owner[one.property] === undefined && one.code === 'string')?.property;
    if (element === undefined || property === undefined) return undefined;
    owner[property] = 'text';
    return `${path}.${element.name}`;
  },
  'an empty array'(place) {
    const { owner, path } = place;
    const element = elementsOf(place).find(
      ({ name, max }) => max > 1 && owner[name] === undefined && name !== 'contained',
    );
    if (element === undefined) return undefined;
    owner[element.name] = [];
    return `${path}.${element.name}`;
  },
  'an empty object'(place) {
    const { owner, path } = place;
    const element = elementsOf(place).find(one => one.max === 1 && isOf(one, /^[A-Z]/) && isObject(owner[one.name]));
    if (element === undefined) return undefined;
    owner[element.name] = {};
    return `${path}.${element.name}`;
  },
  'a wrong target'(place) {
    const { owner, path } = place;
    const element = elementsOf(place).find(
      one =>
        isOf(one, /^Reference$/) &&
        (one.types[0]?.targets.length ?? 0) > 0 &&
        one.max === 1 &&
        isObject(owner[one.name]),
    );
    if (element === undefined || element.types[0]?.targets.includes('Resource') === true) return undefined;
    owner[element.name] = { reference: 'Basic/1' };
    return `${path}.${element.name}`;
  },
  'a contained resource that does not exist'(place) {
    const { owner, path } = place;
    const element = elementsOf(place).find(
      one => isOf(one, /^Reference$/) && one.max === 1 && isObject(owner[one.name]),
    );
    if (element === undefined) return undefined;
    owner[element.name] = { reference: '#unheard-of' };
    return `${path}.${element.name}`;
  },
  'a period that ends before it begins'(place) {
    const { owner, path } = place;
    if (place.definition.name !== 'Period') return undefined;
    Object.assign(owner, { start: '2020-01-02', end: '2020-01-01' });
    return path;
  },
  'a script in a narrative'(place) {
    const { owner, path } = place;
    if (place.definition.name !== 'Narrative') return undefined;
    owner['div'] = '<div xmlns="http://www.w3.org/1999/xhtml"><script>x</script></div>';
    return `${path}.div`;
  },
  'an extension with value and extensions'({ owner, definition, path }) {
    if (!definition.elements.has('extension') || definition.name === 'Extension') return undefined;
    owner['extension'] = [{ url: 'urn:x', valueString: 'x', extension: [{ url: 'y', valueString: 'x' }] }];
    return `${path}.extension[0]`;
  },
};

/** Where the fault is planted: in the first place that takes it, or in the last. */
function plantIn(resource: Json, plant: Plant, where: 'first' | 'last'): string | undefined {
  const definition = types.get(String(resource['resourceType']));
  if (definition === undefined) return undefined;
  const places = [...placesIn(resource, definition, definition.name)];
  for (const place of where === 'first' ? places : places.reverse()) {
    const planted = plant(place);
    if (planted !== undefined) return planted;
  }
  return undefined;
}

describe.each(['first', 'last'] as const)('faults planted in the %s place', where => {
  it.each(Object.entries(plants))(
    '%s is caught in 99 of 100',
    (_title, plant) => {
      const missed: string[] = [];
      let planted = 0;
      for (const name of clinical) {
        const resource = structuredClone(readExample(name)); // to be changed
        const place = plantIn(resource, plant, where);
        if (place === undefined) continue;
        planted++;
        const caught = validator
          .validate(resource)
          .some(({ severity, expression }) => severity === 'error' && expression?.startsWith(place) === true);
        if (!caught) missed.push(`${name} ${place}`);
      }
      expect(planted).toBeGreaterThan(20);
      expect(missed.slice(0, Math.max(0, missed.length - Math.floor(planted / 100)))).toEqual([]);
    },
    60_000,
  );
});
