import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/definitions/json-object.ts';
import { readTypeDefinitions } from '../../../src/model/type-definitions.ts';
import { faulty } from './faulty-examples.ts';
import { exampleNames, officialValidator, readExample } from './support/examples.ts';
import { isObject } from '../../../src/definitions/json-object.ts';

// Copies of official examples with one planted fault: each is caught, at the place where it was planted.

const validator = officialValidator();
const types = readTypeDefinitions();
const known = new Set(faulty.map(([name]) => name));
const clinical = exampleNames.filter(
  name =>
    /^(AllergyIntolerance|Appointment|CarePlan|Claim|Condition|Coverage|DiagnosticReport|Encounter|FamilyMemberHistory|Goal|Immunization|Media|MedicationRequest|Observation|Patient|Practitioner|Procedure|ServiceRequest|Task)-/.test(
      name,
    ) && !known.has(name),
);

/** Plants a fault and gives the start of the expression at which it must be found; undefined where there is no place for it. */
type Plant = (resource: Record<string, unknown>, type: string) => string | undefined;

const elementsOf = (type: string) => [...(types.get(type)?.elements.values() ?? [])];

const plants: Readonly<Record<string, Plant>> = {
  'a required element that is dropped'(resource, type) {
    const element = elementsOf(type).find(
      ({ min, name, choice }) => min > 0 && !choice && resource[name] !== undefined,
    );
    if (element === undefined) return undefined;
    delete resource[element.name];
    delete resource[`_${element.name}`];
    return `${type}.${element.name}`;
  },
  'an unknown property'(resource, type) {
    resource['unheard'] = 'of';
    return `${type}.unheard`;
  },
  'a wrong JSON type'(resource, type) {
    const element = elementsOf(type).find(({ name, max }) => max > 1 && Array.isArray(resource[name]));
    if (element === undefined) return undefined;
    resource[element.name] = 'text';
    return `${type}.${element.name}`;
  },
  'a bad format'(resource, type) {
    const element = elementsOf(type).flatMap(({ name, types: [first], choice, max }) =>
      !choice && max === 1 && /^(date|dateTime|instant)$/.test(first?.code ?? '') && resource[name] !== undefined
        ? [name]
        : [],
    )[0];
    if (element === undefined) return undefined;
    resource[element] = '31.12.2024';
    return `${type}.${element}`;
  },
  'a wrong code'(resource, type) {
    const element = elementsOf(type).find(
      ({ name, binding, types: [first], max }) =>
        binding?.strength === 'required' && first?.code === 'code' && max === 1 && typeof resource[name] === 'string',
    );
    if (element === undefined) return undefined;
    resource[element.name] = 'unheard-of';
    return `${type}.${element.name}`;
  },
  'two of one choice'(resource, type) {
    const element = elementsOf(type).find(
      ({ choice, types: all }) => choice && all.filter(({ property }) => resource[property] !== undefined).length === 1,
    );
    const property = element?.types.find(
      one => resource[one.property] === undefined && one.code === 'string',
    )?.property;
    if (element === undefined || property === undefined) return undefined;
    resource[property] = 'text';
    return `${type}.${element.name}`;
  },
  'an empty array'(resource, type) {
    const element = elementsOf(type).find(
      ({ name, max }) => max > 1 && resource[name] === undefined && name !== 'contained',
    );
    if (element === undefined) return undefined;
    resource[element.name] = [];
    return `${type}.${element.name}`;
  },
  'a wrong target'(resource, type) {
    const element = elementsOf(type).find(
      ({ name, types: [first], max }) =>
        first?.code === 'Reference' && first.targets.length > 0 && max === 1 && isObject(resource[name]),
    );
    if (element === undefined) return undefined;
    resource[element.name] = { reference: 'Basic/1' };
    return `${type}.${element.name}`;
  },
  'a broken invariant'(resource, type) {
    resource['text'] = {
      status: 'generated',
      div: '<div xmlns="http://www.w3.org/1999/xhtml"><script>x</script></div>',
    };
    return `${type}.text.div`;
  },
  'an extension with value and extensions'(resource, type) {
    resource['extension'] = [{ url: 'urn:x', valueString: 'x', extension: [{ url: 'y', valueString: 'x' }] }];
    return `${type}.extension[0]`;
  },
};

describe('planted faults', () => {
  it.each(Object.entries(plants))(
    '%s is caught in 99 of 100',
    (_title, plant) => {
      const missed: string[] = [];
      let planted = 0;
      for (const name of clinical) {
        const resource = structuredClone(readExample(name)) as Record<string, unknown> & JsonObject; // to be changed
        const place = plant(resource, String(resource['resourceType']));
        if (place === undefined) continue;
        planted++;
        const caught = validator
          .validate(resource)
          .some(({ severity, expression }) => severity === 'error' && expression?.startsWith(place) === true);
        if (!caught) missed.push(name);
      }
      expect(planted).toBeGreaterThan(20);
      expect(missed.slice(0, Math.max(0, missed.length - Math.floor(planted / 100)))).toEqual([]);
    },
    60_000,
  );
});
