import { describe, expect, it } from 'vitest';
import { faulty } from './faulty-examples.ts';
import { exampleNames, officialValidator, readExample } from './support/examples.ts';
import { validatorOf } from './support/validator.ts';

// Every official example of R4 against R4, the profiles that it claims and those that the vital signs have.

const validator = officialValidator();
const known = new Set(faulty.map(([name, rule]) => `${name} ${rule}`));

function errorsOf(name: string, profiles: readonly string[] = [], by = validator): readonly string[] {
  return by
    .validate(readExample(name), { profiles })
    .filter(({ severity }) => severity === 'error')
    .map(({ rule, code, expression, text }) => `${name} ${rule ?? code} at ${expression ?? ''}: ${text}`);
}

const isUnexpected = (error: string): boolean => !known.has(error.slice(0, error.indexOf(' at ')));

describe('the official examples', () => {
  it('have no errors but those that are known', () => {
    expect(exampleNames.length).toBe(5_294);
    expect(exampleNames.flatMap(name => errorsOf(name)).filter(isUnexpected)).toEqual([]);
  }, 120_000);

  it('have no others with the R4 pack alone', () => {
    const pack = validatorOf();
    const definitions = /^(ValueSet|CodeSystem|SearchParameter|StructureDefinition)-/;
    const chosen = exampleNames.filter(name => !definitions.test(name));
    expect(chosen.flatMap(name => errorsOf(name, [], pack)).filter(isUnexpected)).toEqual([]);
  }, 120_000);

  it.each(faulty)('%s breaks R4: %s, since %s', (name, rule) => {
    expect(errorsOf(name).some(error => error.startsWith(`${name} ${rule} at `))).toBe(true);
  });

  it.each([
    ['Observation-heart-rate', 'heartrate'],
    ['Observation-blood-pressure', 'bp'],
    ['Observation-body-temperature', 'bodytemp'],
    ['Observation-body-height', 'bodyheight'],
    ['Observation-bmi', 'bmi'],
    ['Observation-satO2', 'oxygensat'],
    ['Observation-respiratory-rate', 'resprate'],
    ['Observation-head-circumference', 'headcircum'],
  ])('%s meets the profile %s', (name, profile) => {
    expect(errorsOf(name, [`http://hl7.org/fhir/StructureDefinition/${profile}`])).toEqual([]);
  });

  it.each([
    ['Observation-heart-rate', 'bp', 'Observation.code.coding:BPCode min'],
    ['Observation-body-height', 'bodyweight', 'Observation.code.coding:BodyWeightCode min'],
    ['Observation-f001', 'vitalsigns', 'Observation.category:VSCat min'],
  ])('%s does not meet the profile %s: %s', (name, profile, rule) => {
    const errors = errorsOf(name, [`http://hl7.org/fhir/StructureDefinition/${profile}`]);
    expect(errors.some(error => error.startsWith(`${name} ${rule} at `))).toBe(true);
  });
});
