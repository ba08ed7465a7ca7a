import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/fhir/json.ts';
import { readTypeDefinitions } from '../../src/model/type-definitions.ts';
import { checkStructure } from '../../src/validation/structure.ts';

// Structure of R4 resources in JSON: https://hl7.org/fhir/R4/json.html

const model = { definitions: readTypeDefinitions() };

/** The issues of a text as `expression: sentence`. */
function problems(text: string, typeName?: string, limit = 50): readonly string[] {
  const { value, decimals } = parseJson(text);
  return checkStructure(value, model, typeName, { decimals, limit }).map(
    issue => `${issue.code} ${issue.expression ?? ''}: ${issue.text}`,
  );
}

const patient = (rest: string): string => `{"resourceType":"Patient",${rest}}`;
const observation = (rest: string): string =>
  `{"resourceType":"Observation","status":"final","code":{"text":"x"}${rest}}`;

describe('checkStructure', () => {
  it.each<[title: string, text: string]>([
    ['a resource with nothing in it', '{"resourceType":"Patient"}'],
    [
      'a resource with an id and meta',
      patient('"id":"a","meta":{"versionId":"1","lastUpdated":"2024-01-01T00:00:00Z"}'),
    ],
    ['a choice', observation(',"valueQuantity":{"value":1.10}')],
    ['a choice with its sibling', observation(',"valueString":"x","_valueString":{"id":"a"}')],
    [
      'a choice by its sibling alone',
      observation(',"_valueDateTime":{"extension":[{"url":"u","valueCode":"unknown"}]}'),
    ],
    [
      'a required primitive by its sibling alone',
      '{"resourceType":"Observation","_status":{"id":"a"},"code":{"text":"x"}}',
    ],
    [
      'siblings in arrays, padded with null',
      patient('"name":[{"given":["A",null,"B"],"_given":[null,{"id":"x"},{"id":"y"}]}]'),
    ],
    ['siblings of an array alone', patient('"name":[{"_given":[{"id":"x"}]}]')],
    ['a contained resource of any type', patient('"contained":[{"resourceType":"Organization","id":"o","name":"x"}]')],
    [
      'a backbone element by reference',
      '{"resourceType":"Questionnaire","status":"draft","item":[{"linkId":"1","type":"group",' +
        '"item":[{"linkId":"2","type":"display"}]}]}',
    ],
    [
      'an extension within an extension',
      patient('"extension":[{"url":"u","extension":[{"url":"v","valueDecimal":1e2}]}]'),
    ],
    [
      'a resource in a Bundle',
      '{"resourceType":"Bundle","type":"batch","entry":[{"resource":{"resourceType":"Patient"},' +
        '"request":{"method":"POST","url":"Patient"}}]}',
    ],
  ])('accepts %s', (_title, text) => {
    expect(problems(text)).toEqual([]);
  });

  it.each<[title: string, text: string, expected: readonly string[]]>([
    ['no object', '[]', ['structure Resource: A resource must be an object, not an array.']],
    ['no resourceType', '{"id":"a"}', ['structure Resource: A resource must have a `resourceType`.']],
    [
      'a resourceType that is no string',
      '{"resourceType":1}',
      ['structure Resource: `resourceType` must be the name of a resource type, not a number.'],
    ],
    [
      'a misspelt type',
      '{"resourceType":"Pateint"}',
      ['structure Resource: `Pateint` is not a resource type of R4. Did you mean `Patient`?'],
    ],
    [
      'an abstract type',
      '{"resourceType":"DomainResource"}',
      ['structure Resource: `DomainResource` is not a resource type of R4.'],
    ],
    [
      'a misspelt element',
      patient('"nmae":[{"family":"A"}]'),
      ['structure Patient.nmae: `Patient` has no element `nmae`. Did you mean `name`?'],
    ],
    [
      'a misspelt element deep down',
      patient('"name":[{"family":"A"},{"famly":"B"}]'),
      ['structure Patient.name[1].famly: `HumanName` has no element `famly`. Did you mean `family`?'],
    ],
    [
      'an element of a backbone',
      patient('"contact":[{"nam":{}}]'),
      ['structure Patient.contact[0].nam: `Patient.contact` has no element `nam`. Did you mean `name`?'],
    ],
    [
      'resourceType within a data type',
      patient('"name":[{"resourceType":"HumanName"}]'),
      ['structure Patient.name[0].resourceType: `HumanName` has no element `resourceType`.'],
    ],
    [
      'a property `__proto__`',
      patient('"__proto__":{"active":true}'),
      ['structure Patient.__proto__: `Patient` has no element `__proto__`.'],
    ],
    [
      'a name with strange characters',
      patient('"a b`c":1'),
      ["structure Patient.`a b'c`: `Patient` has no element `a b'c`."],
    ],
    [
      'a string where a boolean belongs',
      patient('"active":"true"'),
      ['structure Patient.active: `active` must be `true` or `false`, not a string.'],
    ],
    [
      'a number where a string belongs',
      patient('"birthDate":1980'),
      [
        'structure Patient.birthDate: `birthDate` must be a date that exists, such as `2024`, `2024-05` ' +
          'or `2024-05-17`, not a number.',
      ],
    ],
    [
      'a string where a number belongs',
      observation(',"valueInteger":"1"'),
      ['structure Observation.value: `valueInteger` must be an integer from -2147483648 to 2147483647, not a string.'],
    ],
    [
      'an integer written with a fraction',
      observation(',"valueInteger":1.0'),
      ['value Observation.value: `valueInteger` must be an integer from -2147483648 to 2147483647, not `1.0`.'],
    ],
    [
      'a decimal out of any range',
      observation(',"valueQuantity":{"value":1e999}'),
      ['value Observation.value.value: `value` must be a decimal number, not `1e999`.'],
    ],
    [
      'an object where a primitive belongs',
      patient('"birthDate":{"year":1980}'),
      [
        'structure Patient.birthDate: `birthDate` must be a date that exists, such as `2024`, `2024-05` ' +
          'or `2024-05-17`, not an object.',
      ],
    ],
    [
      'a primitive where an object belongs',
      observation(',"subject":"Patient/1"'),
      ['structure Observation.subject: `subject` must be an object, not a string.'],
    ],
    [
      'an object where an array belongs',
      patient('"name":{"family":"A"}'),
      ['structure Patient.name: `name` may repeat, so it must be an array, not an object.'],
    ],
    [
      'an array where a single value belongs',
      patient('"gender":["male"]'),
      ['structure Patient.gender: `gender` does not repeat, so it must not be an array.'],
    ],
    [
      'an array within an array',
      patient('"name":[[]]'),
      ['structure Patient.name[0]: `name` must be an object, not an array.'],
    ],
    [
      'a date that does not exist',
      patient('"birthDate":"2023-02-29"'),
      [
        'value Patient.birthDate: `birthDate` must be a date that exists, such as `2024`, `2024-05` or ' +
          '`2024-05-17`, not `2023-02-29`.',
      ],
    ],
    [
      'an empty string',
      patient('"gender":""'),
      [
        'value Patient.gender: `gender` must be a code: words separated by single spaces, without ' +
          'leading and trailing ones, not empty.',
      ],
    ],
    [
      'an empty object',
      patient('"maritalStatus":{}'),
      ['structure Patient.maritalStatus: An object must not be empty: omit it or give it content.'],
    ],
    ['an empty array', patient('"name":[]'), ['structure Patient.name: `name` must not be an empty array: omit it.']],
    [
      'null for a primitive',
      patient('"gender":null'),
      [
        'structure Patient.gender: `gender` must be a code: words separated by single spaces, without ' +
          'leading and trailing ones, not null: omit it.',
      ],
    ],
    [
      'null for an object',
      patient('"maritalStatus":null'),
      ['structure Patient.maritalStatus: `maritalStatus` must be an object, not null: omit it.'],
    ],
    [
      'null for an array',
      patient('"name":null'),
      ['structure Patient.name: `name` may repeat, so it must be an array, not null.'],
    ],
    [
      'null in an array of objects',
      patient('"name":[null]'),
      ['structure Patient.name[0]: `name` must be an object, not null: omit it.'],
    ],
    [
      'null in an array of primitives',
      patient('"name":[{"given":["A",null]}]'),
      ['structure Patient.name[0].given[1]: null is allowed here only if `_given` has a value at the same index.'],
    ],
    [
      'null in both arrays',
      patient('"name":[{"given":["A",null],"_given":[{"id":"x"},null]}]'),
      [
        'structure Patient.name[0].given[1]: null is allowed here only if `_given` has a value at the same index.',
        'structure Patient.name[0].given[1]: null is allowed here only if `given` has a value at the same index.',
      ],
    ],
    [
      'arrays of different lengths',
      patient('"name":[{"given":["A","B"],"_given":[{"id":"x"}]}]'),
      ['structure Patient.name[0].given: `_given` and `given` must have the same length: fill gaps with null.'],
    ],
    [
      'a sibling that is no object',
      patient('"_birthDate":"x"'),
      ['structure Patient.birthDate: `_birthDate` must be an object with `id` or `extension`, not a string.'],
    ],
    [
      'a sibling with a value',
      patient('"_birthDate":{"value":"x"}'),
      ['structure Patient.birthDate.value: `Element` has no element `value`.'],
    ],
    [
      'an empty sibling',
      patient('"_birthDate":{}'),
      ['structure Patient.birthDate: An object must not be empty: omit it or give it content.'],
    ],
    [
      'a sibling of an object',
      patient('"_maritalStatus":{"id":"a"}'),
      [
        'structure Patient._maritalStatus: `_maritalStatus` is not allowed: only primitive elements have ' +
          'a sibling with an underscore.',
      ],
    ],
    [
      'two types of a choice',
      observation(',"valueString":"x","valueInteger":1'),
      ['structure Observation.value: Only one type of `value[x]` is allowed, not `valueString` and `valueInteger`.'],
    ],
    [
      'a choice and the sibling of another type',
      observation(',"valueString":"x","_valueInteger":{"id":"a"}'),
      ['structure Observation.value: Only one type of `value[x]` is allowed, not `valueString` and `_valueInteger`.'],
    ],
    [
      'a choice without its type',
      observation(',"value":"x"'),
      [
        'structure Observation.value: `Observation` has `value[x]`, but not as `value`: write one of ' +
          '`valueQuantity`, `valueCodeableConcept`, `valueString`, `valueBoolean`, `valueInteger`, `valueRange`, ….',
      ],
    ],
    [
      'a choice of a type that it does not take',
      observation(',"valueQuantty":{"value":1}'),
      [
        'structure Observation.valueQuantty: `Observation` has `value[x]`, but not as `valueQuantty`: ' +
          'write one of `valueQuantity`, `valueCodeableConcept`, `valueString`, `valueBoolean`, ' +
          '`valueInteger`, `valueRange`, …. Did you mean `valueQuantity`?',
      ],
    ],
    [
      'what is required and missing',
      '{"resourceType":"Observation","id":"a"}',
      [
        'required Observation.status: `Observation` must have `status`.',
        'required Observation.code: `Observation` must have `code`.',
      ],
    ],
    [
      'a required choice that is missing',
      '{"resourceType":"MedicationRequest","status":"active","intent":"order","subject":{"reference":"Patient/1"}}',
      [
        'required MedicationRequest.medication: `MedicationRequest` must have one of ' +
          '`medicationCodeableConcept`, `medicationReference`.',
      ],
    ],
    [
      'what a backbone element lacks',
      patient('"link":[{"type":"refer"}]'),
      ['required Patient.link[0].other: `Patient.link` must have `other`.'],
    ],
    [
      'an extension without url',
      patient('"extension":[{"valueString":"x"}]'),
      ['required Patient.extension[0].url: `Extension` must have `url`.'],
    ],
    [
      'what is wrong in a contained resource',
      patient('"contained":[{"resourceType":"Organization","nmae":"x"}]'),
      ['structure Patient.contained[0].nmae: `Organization` has no element `nmae`. Did you mean `name`?'],
    ],
    [
      'a contained resource without a type',
      patient('"contained":[{"id":"x"}]'),
      ['structure Patient.contained[0]: A resource must have a `resourceType`.'],
    ],
    [
      'several problems at once',
      patient('"gender":" male","birthDate":"today","nme":1'),
      [
        'value Patient.gender: `gender` must be a code: words separated by single spaces, without ' +
          'leading and trailing ones, not ` male`.',
        'value Patient.birthDate: `birthDate` must be a date that exists, such as `2024`, `2024-05` or ' +
          '`2024-05-17`, not `today`.',
        'structure Patient.nme: `Patient` has no element `nme`. Did you mean `name`?',
      ],
    ],
  ])('names %s', (_title, text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  it('requires the given type', () => {
    expect(problems('{"resourceType":"Patient"}', 'Observation')).toEqual([
      'structure Observation: A resource of type `Observation` is expected here, not `Patient`.',
    ]);
  });

  it('stops at the limit and says so', () => {
    const found = problems(
      patient(Array.from({ length: 200 }, (_, index) => `"wrong${index}":1`).join(',')),
      'Patient',
      3,
    );
    expect(found).toHaveLength(4);
    expect(found[3]).toBe(
      'incomplete : The first 3 findings are listed; there may be more. Correct them and send the resource again.',
    );
  });

  it('quotes at most 80 characters of what was sent', () => {
    const [found] = problems(patient(`"gender":"${'a  '.repeat(10_000)}"`));
    expect(found?.length).toBeLessThan(300);
  });
});

// Wrong by the rules of R4 itself, by file name.
const wrong: Record<string, string> = {
  'ImplementationGuide-fhir.json': 'name and status are required',
  'ig-r4.json': 'name and status are required',
  'Questionnaire-qs1.json': 'linkId is required',
  'SearchParameter-codesystem-extensions-CodeSystem-author.json': 'base is required',
  'SearchParameter-codesystem-extensions-CodeSystem-effective.json': 'base is required',
  'SearchParameter-codesystem-extensions-CodeSystem-end.json': 'base is required',
  'SearchParameter-codesystem-extensions-CodeSystem-keyword.json': 'base is required',
  'SearchParameter-codesystem-extensions-CodeSystem-workflow.json': 'base is required',
  'SearchParameter-questionnaireresponse-extensions-QuestionnaireResponse-item-subject.json':
    'the id has 68 characters',
  'SearchParameter-valueset-extensions-ValueSet-author.json': 'base is required',
  'SearchParameter-valueset-extensions-ValueSet-effective.json': 'base is required',
  'SearchParameter-valueset-extensions-ValueSet-end.json': 'base is required',
  'SearchParameter-valueset-extensions-ValueSet-keyword.json': 'base is required',
  'SearchParameter-valueset-extensions-ValueSet-workflow.json': 'base is required',
};

describe('the official examples', () => {
  it('are right, but for those that break R4', () => {
    const folder = dirname(createRequire(import.meta.url).resolve('hl7.fhir.r4.examples/package.json'));
    const files = readdirSync(folder).filter(
      name => name.endsWith('.json') && !name.startsWith('.') && name !== 'package.json',
    );
    expect(files.length).toBeGreaterThan(5000);
    const refused = files.filter(name => problems(readFileSync(join(folder, name), 'utf8')).length > 0);
    expect(refused.sort()).toEqual(Object.keys(wrong).sort());
  });
});
