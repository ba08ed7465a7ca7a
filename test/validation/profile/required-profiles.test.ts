import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/fhir/json-object.ts';
import { shippedGuide } from './support/examples.ts';
import { observation, patient, problems, profile, url, validatorOf } from './support/validator.ts';

// Profiles that implementation guides ask of resources which need not claim them.
// https://hl7.org/fhir/R4/implementationguide-definitions.html#ImplementationGuide.global
// https://hl7.org/fhir/R4/observation-vitalsigns.html

const loinc = (...codes: readonly string[]): JsonObject => ({
  coding: codes.map(code => ({ system: 'http://loinc.org', code })),
});
const category = [
  { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'vital-signs' }] },
];
const quantity = (code: string): JsonObject => ({ value: 1, unit: code, system: 'http://unitsofmeasure.org', code });
const vital = (code: string, rest: JsonObject): JsonObject =>
  observation({
    category,
    code: loinc(code),
    subject: { reference: 'Patient/a' },
    effectiveDateTime: '2024-01-01',
    ...rest,
  });

describe('vital signs', () => {
  const validator = validatorOf(shippedGuide);

  it.each<[title: string, code: string, rest: JsonObject]>([
    ['the panel', '85353-1', { hasMember: [{ reference: 'Observation/a' }] }],
    ['respiratory rate', '9279-1', { valueQuantity: quantity('/min') }],
    ['heart rate', '8867-4', { valueQuantity: quantity('/min') }],
    ['oxygen saturation', '2708-6', { valueQuantity: quantity('%') }],
    ['body temperature', '8310-5', { valueQuantity: quantity('Cel') }],
    ['body height', '8302-2', { valueQuantity: quantity('cm') }],
    ['head circumference', '9843-4', { valueQuantity: quantity('cm') }],
    ['body weight', '29463-7', { valueQuantity: quantity('kg') }],
    ['body mass index', '39156-5', { valueQuantity: quantity('kg/m2') }],
    [
      'blood pressure',
      '85354-9',
      {
        component: ['8480-6', '8462-4'].map(code => ({ code: loinc(code), valueQuantity: quantity('mm[Hg]') })),
      },
    ],
  ])('%s meets its profile, which it does not claim, or is an error', (_title, code, rest) => {
    const { category: _category, ...without } = vital(code, rest);
    expect(problems(validator, vital(code, rest))).toEqual([]);
    expect(problems(validator, without)).toContain('error Observation.category min at Observation.category');
    expect(problems(validatorOf(), without)).toEqual([]);
  });

  it('have the unit that their profile asks', () => {
    expect(problems(validator, vital('29463-7', { valueQuantity: quantity('mg') }))).toEqual([
      'error Observation.value[x]:valueQuantity.code binding at Observation.value.code',
    ]);
  });

  it('may have components in units that the vital signs have not, which R4 forgot', () => {
    const flow = (code: string): JsonObject =>
      vital('2708-6', {
        valueQuantity: quantity('%'),
        component: [{ code: loinc('3151-8'), valueQuantity: quantity(code) }],
      });
    const binding = 'Observation.component.value[x] binding at Observation.component[0].value';
    const found = (code: string): readonly string[] =>
      // which is no vital sign either
      problems(validator, flow(code)).filter(issue => !issue.includes('component.code'));
    expect(found('%')).toEqual([]);
    expect(found('L/min')).toEqual([`warning ${binding}`]);
  });

  it.each(['8480-6', '8462-4', '8478-0'])('the code %s, which no profile fixes, is a warning', code => {
    expect(problems(validator, vital(code, { valueQuantity: quantity('mm[Hg]') }))).toEqual([]);
    expect(problems(validator, observation({ code: loinc(code) }))).toEqual([
      'warning vs-2 at Observation',
      'warning Observation.category min at Observation.category',
      'warning Observation.category:VSCat min at Observation.category',
      'warning Observation.subject min at Observation.subject',
      'warning Observation.effective[x] min at Observation.effective',
    ]);
  });

  it('are found by any of the codes', () => {
    const coded = observation({ code: loinc('3141-9', '29463-7') });
    expect(problems(validator, coded)).toContain('error Observation.category min at Observation.category');
  });

  it.each<[title: string, resource: JsonObject]>([
    ['another code', observation({ code: loinc('2345-7') })],
    ['the code of another system', observation({ code: { coding: [{ system: 'urn:x', code: '29463-7' }] } })],
    ['the code without a system', observation({ code: { coding: [{ code: '29463-7' }] } })],
    ['no code', observation()],
    ['a resource of another type', { resourceType: 'Condition', subject: { display: 'x' }, code: loinc('29463-7') }],
  ])('are not %s', (_title, resource) => {
    expect(problems(validator, resource).filter(issue => issue.includes('Observation.'))).toEqual([]);
  });

  it('are checked in a Bundle too', () => {
    const bundle = {
      resourceType: 'Bundle',
      type: 'collection',
      entry: [{ fullUrl: 'urn:oid:1.1', resource: observation({ code: loinc('29463-7') }) }],
    };
    expect(problems(validator, bundle)).toContain(
      'error Observation.category min at Bundle.entry[0].resource.category',
    );
  });

  it('say why they are checked, where something is wrong', () => {
    const noted = (resource: JsonObject): readonly string[] =>
      validator
        .validate(resource)
        .filter(({ rule }) => rule?.startsWith('required') === true)
        .map(({ text }) => text);
    expect(noted(vital('29463-7', { valueQuantity: quantity('kg') }))).toEqual([]);
    expect(noted(observation({ code: loinc('29463-7') }))).toEqual([
      '`http://hl7.org/fhir/StructureDefinition/bodyweight` was checked since ' +
        `${String(shippedGuide['url'])} requires it of resources with the code \`http://loinc.org|29463-7\`.`,
    ]);
  });

  it('are reported once where a profile of theirs is claimed too', () => {
    const claimed = observation({
      code: loinc('29463-7'),
      meta: { profile: ['http://hl7.org/fhir/StructureDefinition/bodyweight'] },
    });
    const found = problems(validator, claimed);
    expect(found).toEqual([...new Set(found)]);
    expect(validator.validate(claimed).filter(({ rule }) => rule?.startsWith('required') === true)).toEqual([]);
  });
});

describe('an ImplementationGuide', () => {
  const selectedBy = (path: string): JsonObject => ({
    modifierExtension: [
      { url: 'https://clinical-records.example/fhir/StructureDefinition/selected-by', valueString: path },
    ],
  });
  const guide = (...global: readonly JsonObject[]): JsonObject => ({
    resourceType: 'ImplementationGuide',
    url: 'https://example.org/fhir/ImplementationGuide/g',
    global,
  });
  const named = profile('Patient', { 'Patient.name': { min: 1 } }, { name: 'named' });
  const issue = 'error Patient.name min at Patient.name';

  it('asks a profile of all resources of a type', () => {
    const validator = validatorOf(named, guide({ type: 'Patient', profile: named.url }));
    expect(problems(validator, patient())).toEqual([issue]);
    expect(problems(validator, patient({ name: [{ text: 'A' }] }))).toEqual([]);
    expect(problems(validator, observation())).toEqual([]);
  });

  it('asks it of the types that are derived from one', () => {
    const languageOf = profile('Resource', { 'Resource.language': { min: 1 } }, { name: 'l' });
    const validator = validatorOf(languageOf, guide({ type: 'Resource', profile: languageOf.url }));
    expect(problems(validator, patient())).toEqual(['error Resource.language min at Patient.language']);
    expect(problems(validator, patient({ language: 'en' }))).toEqual([]);
  });

  it('asks it once, where it is claimed as well', () => {
    const validator = validatorOf(named, guide({ type: 'Patient', profile: named.url }));
    expect(problems(validator, patient({ meta: { profile: [named.url] } }))).toEqual([issue]);
    expect(problems(validator, patient(), { profiles: [named.url] })).toEqual([issue]);
  });

  it('is reported where the profile is not loaded', () => {
    const validator = validatorOf(guide({ type: 'Patient', profile: url('missing') }));
    expect(problems(validator, patient())).toEqual([`warning unknown ${url('missing')} at Patient`]);
  });

  it.each<[title: string, elements: Readonly<Record<string, JsonObject>>]>([
    ['a pattern', { 'Observation.code': { patternCodeableConcept: loinc('1') } }],
    ['a fixed concept', { 'Observation.code': { fixedCodeableConcept: loinc('1') } }],
    [
      'a pattern of its coding',
      { 'Observation.code.coding': { min: 1, patternCoding: { system: 'http://loinc.org', code: '1' } } },
    ],
  ])('may ask it of the codes alone that the profile fixes: by %s', (_title, elements) => {
    const coded = profile('Observation', { ...elements, 'Observation.subject': { min: 1 } });
    const global = { type: 'Observation', profile: coded.url };
    const errors = ['error Observation.subject min at Observation.subject'];
    const by = validatorOf(coded, guide({ ...global, ...selectedBy('Observation.code') }));
    expect(problems(by, observation({ code: loinc('1') }))).toEqual(errors);
    expect(problems(by, observation({ code: loinc('2') }))).toEqual([]);
    expect(problems(validatorOf(coded, guide(global)), observation({ code: loinc('1') }))).toEqual(errors);
  });

  it('asks it as an error by a required binding', () => {
    const gendered = profile('Observation', {
      'Observation.code': { binding: { strength: 'required', valueSet: 'http://hl7.org/fhir/ValueSet/days-of-week' } },
      'Observation.subject': { min: 1 },
    });
    const validator = validatorOf(
      gendered,
      guide({ type: 'Observation', profile: gendered.url, ...selectedBy('Observation.code') }),
    );
    const day = { coding: [{ system: 'http://hl7.org/fhir/days-of-week', code: 'mon' }] };
    expect(problems(validator, observation({ code: day }))).toEqual([
      'error Observation.subject min at Observation.subject',
    ]);
    expect(problems(validator, observation({ code: loinc('1') }))).toEqual([]);
  });
});
