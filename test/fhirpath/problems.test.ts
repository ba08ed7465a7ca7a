// https://hl7.org/fhirpath/N1/ and https://hl7.org/fhir/R4/fhirpath.html
import { describe, expect, it } from 'vitest';
import { ruleProblems } from '../../src/fhirpath/evaluate/rule.ts';
import type { KnownType } from '../../src/fhirpath/result-type.ts';
import { readTypeDefinitions } from '../../src/model/type-definitions.ts';

const types = readTypeDefinitions();
const named = (code: string): KnownType => ({ code, definition: types.get(code) });

/** The problems of a rule on a type, each as `place: message`. */
const problems = (expression: string, ...codes: readonly string[]): readonly string[] =>
  ruleProblems(expression, types, codes.length === 0 ? {} : { context: codes.map(named) }).map(
    ({ at, message }) => `${at}: ${message}`,
  );

describe('the problems of a rule', () => {
  it.each<[expression: string, type: string, expected: readonly string[]]>([
    ['name.exists()', 'Patient', []],
    ['name.exist()', 'Patient', ['5: There is no function `exist()`. Did you mean `exists`?']],
    ['nmae.exists()', 'Patient', ['0: There is no element `nmae` in Patient. Did you mean `name`?']],
    ['name.where(usse = 1)', 'Patient', ['11: There is no element `usse` in HumanName. Did you mean `use`?']],
    ['nmae.given.foo', 'Patient', ['0: There is no element `nmae` in Patient. Did you mean `name`?']],
    [
      'nmae.exist() or %resorce.id',
      'Patient',
      [
        '0: There is no element `nmae` in Patient. Did you mean `name`?',
        '5: There is no function `exist()`. Did you mean `exists`?',
        '16: There is no variable `%resorce`. Did you mean `%resource`?',
      ],
    ],
    ["defineVariable('n', name.family).select(%n).exists()", 'Patient', []],
    [
      "defineVariable('n', nmae).select(%m).exists()",
      'Patient',
      [
        '20: There is no element `nmae` in Patient. Did you mean `name`?',
        '33: There is no variable `%m`. Did you mean `%n`?',
      ],
    ],
    ['value is Quanity', 'Observation', ['9: There is no type `Quanity`. Did you mean `Quantity`?']],
    ['value is System.Patient', 'Observation', ['16: There is no type `System.Patient`.']],
    ['(value as Period).unit', 'Observation', ['18: There is no element `unit` in Period.']],
    ['value.ofType(Quantity).unit', 'Observation', []],
    ['Encounter.status', 'Patient', ['0: `Encounter` is not the type of the evaluated value, which is `Patient`.']],
    ['Resource.id', 'Patient', []],
    ['name..given', 'Patient', ['5: `.` was found where the name of an element or a function was expected']],
    ['repeat(item | answer).linkId', 'QuestionnaireResponse', []],
    [
      'repeat(item | anser).linkId',
      'QuestionnaireResponse',
      ['14: There is no element `anser` in QuestionnaireResponse.item. Did you mean `answer`?'],
    ],
    ['contained.whatever', 'Patient', []],
    ['descendants().whatever', 'Patient', []],
    ['subject.resolve().whatever', 'Observation', []],
    ['birthDate.extension.value', 'Patient', []],
    ['%context.nmae', 'Patient', ['9: There is no element `nmae` in Patient. Did you mean `name`?']],
    ["%`vs-x` & %'ext-y' & %sct", 'Patient', []],
    ['birthDate + 18 years <= today()', 'Patient', []],
    [
      'name.elementDefinition().exists()',
      'Patient',
      ['5: Neither this server nor fhirpath.js evaluates `elementDefinition()`.'],
    ],
    ['name.family.precision() > 3', 'Patient', ['12: Neither this server nor fhirpath.js evaluates `precision()`.']],
  ])('%s on %s', (expression, type, expected) => {
    expect(problems(expression, type)).toEqual(expected);
  });

  it('on one of several types are what all of them lack', () => {
    expect(problems('low.empty() or low = 1', 'decimal', 'Range')).toEqual([]);
    expect(problems('lwo.empty()', 'decimal', 'Range')).toEqual([
      '0: There is no element `lwo` in decimal, Range. Did you mean `low`?',
    ]);
  });

  it('on values of any type are functions, variables and types alone', () => {
    expect(problems('nmae.exist()')).toEqual(['5: There is no function `exist()`. Did you mean `exists`?']);
  });
});
