import { describe, expect, it } from 'vitest';
import { branchFor, splitUnion } from '../../src/model/branch.ts';

// https://hl7.org/fhir/R4/searchparameter-definitions.html#SearchParameter.expression

const resourceTypes = new Set(['Patient', 'Practitioner', 'Observation', 'Condition']);
const branch = (expression: string, name: string) =>
  branchFor(expression, { name, supertypes: ['DomainResource', 'Resource'] }, resourceTypes);

describe('splitUnion', () => {
  it.each([
    ['a | b', ['a', 'b']],
    ["a.where(b | c) | d['|']", ['a.where(b | c)', "d['|']"]],
    ["a.where(x='|') | b", ["a.where(x='|')", 'b']],
    ["a.where(x='it\\'s | one') | b", ["a.where(x='it\\'s | one')", 'b']],
    ['`a|b` | c', ['`a|b`', 'c']],
    ['(a | b).c', ['(a | b).c']],
  ])('splits %s outside of parentheses and quotes', (expression, parts) => {
    expect(splitUnion(expression)).toEqual(parts);
  });
});

describe('branchFor', () => {
  it.each([
    ['its own part', 'Patient.name | Practitioner.name', 'Patient', 'Patient.name'],
    ['all of its own parts', 'Condition.a | Patient.a | Condition.b', 'Condition', 'Condition.a | Condition.b'],
    [
      'a part in parentheses',
      '(Observation.value as Quantity) | Patient.x',
      'Observation',
      '(Observation.value as Quantity)',
    ],
    [
      'a path after parentheses',
      '(Observation.value as CodeableConcept).text',
      'Observation',
      '(Observation.value as CodeableConcept).text',
    ],
    [
      'a union in parentheses',
      '(Patient.name | Practitioner.name).given',
      'Practitioner',
      '(Patient.name | Practitioner.name).given',
    ],
    ['the part of a supertype', 'Resource.id', 'Patient', 'Resource.id'],
    ['a part without a type', 'id | Patient.name', 'Observation', 'id'],
    [
      'a whole condition',
      'Patient.deceased.exists() and Patient.deceased != false',
      'Patient',
      'Patient.deceased.exists() and Patient.deceased != false',
    ],
    ['nothing of another type', 'Patient.name', 'Observation', undefined],
    ['no longer name', 'Patients.name', 'Patient', 'Patients.name'],
  ])('keeps %s', (_what, expression, name, expected) => {
    expect(branch(expression, name)).toBe(expected);
  });
});
