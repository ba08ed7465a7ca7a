import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/fhir/json-object.ts';
import { against, observation, patient, profile } from './support/validator.ts';

// Rules of a profile for single elements: https://hl7.org/fhir/R4/elementdefinition.html

type Row = readonly [
  title: string,
  element: Readonly<Record<string, JsonObject>>,
  good: JsonObject,
  bad: JsonObject,
  issue: string,
];

const system = 'http://loinc.org';
const coding = (code: string): JsonObject => ({ coding: [{ system, code }] });
const quantity = (value: number, code = 'mg'): JsonObject => ({ value, code, system: 'http://unitsofmeasure.org' });

const rows: readonly Row[] = [
  [
    'a minimum',
    { 'Observation.subject': { min: 1 } },
    { subject: { reference: 'Patient/1' } },
    {},
    'error Observation.subject min at Observation.subject',
  ],
  [
    'a minimum of several',
    { 'Observation.category': { min: 2 } },
    { category: [{ text: 'a' }, { text: 'b' }] },
    { category: [{ text: 'a' }] },
    'error Observation.category min at Observation.category',
  ],
  [
    'a maximum',
    { 'Observation.category': { max: '1' } },
    { category: [{ text: 'a' }] },
    { category: [{ text: 'a' }, { text: 'b' }] },
    'error Observation.category max at Observation.category',
  ],
  [
    'an element that must not be there',
    { 'Observation.subject': { max: '0' } },
    {},
    { subject: { reference: 'Patient/1' } },
    'error Observation.subject max at Observation.subject',
  ],
  [
    'a minimum within a data type',
    { 'Observation.code.coding': { min: 1 }, 'Observation.code.coding.system': { min: 1 } },
    { code: coding('1') },
    { code: { coding: [{ code: '1' }] } },
    'error Observation.code.coding.system min at Observation.code.coding[0].system',
  ],
  [
    'a minimum within each backbone element',
    { 'Observation.component.value[x]': { min: 1 } },
    { component: [{ code: { text: 'c' }, valueString: 'x' }] },
    { component: [{ code: { text: 'c' }, valueString: 'x' }, { code: { text: 'c' } }] },
    'error Observation.component.value[x] min at Observation.component[1].value',
  ],
  [
    'the types of a choice',
    { 'Observation.value[x]': { type: [{ code: 'Quantity' }, { code: 'string' }] } },
    { valueString: 'x' },
    { valueBoolean: true },
    'error Observation.value[x] type at Observation.value',
  ],
  [
    'a fixed code',
    { 'Observation.status': { fixedCode: 'final' } },
    {},
    { status: 'amended' },
    'error Observation.status fixed at Observation.status',
  ],
  [
    'a fixed object, to which nothing may be added',
    { 'Observation.code': { fixedCodeableConcept: coding('1') } },
    { code: coding('1') },
    { code: { ...coding('1'), text: 'more' } },
    'error Observation.code fixed at Observation.code',
  ],
  [
    'a pattern, to which something may be added',
    { 'Observation.code': { patternCodeableConcept: coding('1') } },
    {
      code: {
        coding: [
          { system, code: '2' },
          { system, code: '1', display: 'One' },
        ],
        text: 'more',
      },
    },
    { code: coding('2') },
    'error Observation.code pattern at Observation.code',
  ],
  [
    'a pattern of a primitive',
    { 'Observation.code.text': { patternString: 'x' } },
    {},
    { code: { text: 'y' } },
    'error Observation.code.text pattern at Observation.code.text',
  ],
  [
    'a length, in characters and not in bytes',
    { 'Observation.code.text': { maxLength: 2 } },
    { code: { text: '\u{1F600}\u{1F600}' } },
    { code: { text: 'abc' } },
    'error Observation.code.text maxLength at Observation.code.text',
  ],
  [
    'a least integer',
    { 'Observation.value[x]': { type: [{ code: 'integer' }], minValueInteger: 3 } },
    { valueInteger: 3 },
    { valueInteger: 2 },
    'error Observation.value[x] minValue at Observation.value',
  ],
  [
    'a greatest date',
    { 'Observation.effective[x]': { type: [{ code: 'dateTime' }], maxValueDateTime: '2024-06-01' } },
    { effectiveDateTime: '2024-05-31' },
    { effectiveDateTime: '2024-06-02' },
    'error Observation.effective[x] maxValue at Observation.effective',
  ],
  [
    'a greatest quantity of the same unit',
    { 'Observation.value[x]': { type: [{ code: 'Quantity' }], maxValueQuantity: quantity(5) } },
    { valueQuantity: quantity(4) },
    { valueQuantity: quantity(9) },
    'error Observation.value[x] maxValue at Observation.value',
  ],
];

describe('elements of a profile', () => {
  it.each(rows)('%s', (_title, elements, good, bad, issue) => {
    const definition = profile('Observation', { Observation: {}, ...elements });
    expect(against(definition, observation(good))).toEqual([]);
    expect(against(definition, observation(bad))).toEqual([issue]);
  });

  const ucum = 'http://unitsofmeasure.org';
  const limited = (limits: JsonObject) =>
    profile('Observation', { 'Observation.value[x]': { type: [{ code: 'Quantity' }], ...limits } });
  it.each<[value: JsonObject, good: boolean]>([
    [{ value: 5, system: ucum, code: 'kg' }, true],
    [{ value: 5.1, system: ucum, code: 'kg' }, false],
    [{ value: 5_000, system: ucum, code: 'g' }, true],
    [{ value: 5_001, system: ucum, code: 'g' }, false],
    [{ value: 0.4, system: ucum, code: 'kg' }, false],
    [{ value: 500, system: ucum, code: 'g' }, true],
    [{ value: 1.1, system: ucum, code: '[lb_av]' }, false],
    [{ value: 11, system: ucum, code: '[lb_av]' }, true],
    [{ value: 12, system: ucum, code: '[lb_av]' }, false],
    [{ value: 9, system: ucum, code: 'mL' }, true], // does not measure the same
    [{ value: 9, system: 'urn:x', code: 'g' }, true], // of a unit that is not UCUM's
    [{ value: 9, unit: 'kg' }, false], // possibly of the same unit
    [{ value: 9 }, true],
    [{ unit: 'kg' }, true],
  ])('a quantity from 0.5 kg to 5 kg: %j', (value, good) => {
    const definition = limited({
      minValueQuantity: { value: 0.5, system: ucum, code: 'kg' },
      maxValueQuantity: { value: 5, system: ucum, code: 'kg' },
    });
    const errors = against(definition, observation({ valueQuantity: value }));
    expect(errors.map(error => error.replace(/(min|max)Value/, 'limit'))).toEqual(
      good ? [] : ['error Observation.value[x] limit at Observation.value'],
    );
  });

  it('takes a limit for met where conversion alone rounds it', () => {
    const definition = limited({ minValueQuantity: { value: 5, system: ucum, code: '10*9/L' } });
    const counted = (value: number): JsonObject =>
      observation({ valueQuantity: { value, system: ucum, code: '10*3/uL' } });
    expect(against(definition, counted(5))).toEqual([]);
    expect(against(definition, counted(4.99))).toEqual(['error Observation.value[x] minValue at Observation.value']);
  });

  describe('where a contentReference leads back to an element', () => {
    const item = (rest: JsonObject, items: readonly JsonObject[] = []): JsonObject => ({
      linkId: JSON.stringify([rest, items]),
      type: items.length === 0 ? 'string' : 'group',
      ...rest,
      ...(items.length === 0 ? {} : { item: items }),
    });
    const questionnaire = (...items: readonly JsonObject[]): JsonObject => ({
      resourceType: 'Questionnaire',
      status: 'draft',
      item: items,
    });

    it('applies the rules of R4 further down, and not those of the profile for the element', () => {
      const definition = profile('Questionnaire', {
        'Questionnaire.item': {
          max: '1',
          constraint: [{ key: 'x-1', severity: 'error', human: 'x', expression: "prefix.empty() or prefix != 'x'" }],
        },
        'Questionnaire.item.text': { min: 1 },
      });
      const below = [item({ prefix: 'x' }), item({})];
      expect(against(definition, questionnaire(item({ text: 'a' }, below)))).toEqual([]);
      expect(against(definition, questionnaire(item({ prefix: 'x' }, below)))).toEqual([
        'error x-1 at Questionnaire.item[0]',
        'error Questionnaire.item.text min at Questionnaire.item[0].text',
      ]);
      expect(against(definition, questionnaire(item({ text: 'a' }, [{ linkId: 'b' }])))).toEqual([
        'error required at Questionnaire.item[0].item[0].type',
        'error que-1 at Questionnaire.item[0].item[0]', // which yields nothing without a type
      ]);
    });

    it('applies the rules of the profile for the elements further down', () => {
      const definition = profile('Questionnaire', {
        'Questionnaire.item.text': { min: 1 },
        'Questionnaire.item.item.prefix': { min: 1 },
      });
      expect(against(definition, questionnaire(item({ text: 'a' }, [item({ prefix: 'b' }, [item({})])])))).toEqual([]);
      expect(against(definition, questionnaire(item({ text: 'a' }, [item({ text: 'b' })])))).toEqual([
        'error Questionnaire.item.item.prefix min at Questionnaire.item[0].item[0].prefix',
      ]);
    });

    it('distinguishes slices further down by the discriminators of the profile', () => {
      const definition = profile('Questionnaire', {
        'Questionnaire.item.item': { slicing: { discriminator: [{ type: 'value', path: 'prefix' }], rules: 'open' } },
        'Questionnaire.item.item:a': { min: 1 },
        'Questionnaire.item.item:a.prefix': { min: 1, fixedString: 'A' },
      });
      expect(against(definition, questionnaire(item({ text: 'a' }, [item({ prefix: 'A' }, [item({})])])))).toEqual([]);
      expect(against(definition, questionnaire(item({ text: 'a' }, [item({})])))).toEqual([
        'error Questionnaire.item.item:a min at Questionnaire.item[0].item',
      ]);
    });
  });

  it.each([undefined, 'specialization'])('holds where the derivation of the profile is %s', derivation => {
    const definition = profile('Patient', { 'Patient.name': { min: 1 } }, { derivation });
    expect(against(definition, patient())).toEqual(['error Patient.name min at Patient.name']);
  });

  it('names the profile and the element in the sentence', () => {
    const definition = profile('Patient', { 'Patient.name': { min: 1 } });
    expect(against(definition, patient())).toEqual(['error Patient.name min at Patient.name']);
  });
});
