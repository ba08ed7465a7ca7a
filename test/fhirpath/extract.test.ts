// https://hl7.org/fhirpath/N1/ and https://hl7.org/fhir/R4/fhirpath.html
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileExpression } from '../../src/fhirpath/extract/expression.ts';
import { asOfType } from '../../src/fhirpath/extract/delegated.ts';
import { readTypeDefinitions } from '../../src/model/type-definitions.ts';
import { examples, judge, sorted } from './judge.ts';

const definitions = readTypeDefinitions();

const patient = {
  resourceType: 'Patient',
  id: 'ann',
  active: true,
  name: [
    { use: 'official', family: 'Carreño Quiñones', given: ['Ann', null, 'Marie'], _given: [null, { id: 'x' }, null] },
    { use: 'usual', text: 'Annie' },
  ],
  telecom: [
    { system: 'phone', value: '555 1234', rank: 2 },
    { system: 'email', value: 'ann@example.org', rank: 1 },
  ],
  _birthDate: { extension: [{ url: 'http://example.org/unknown', valueBoolean: true }] },
  deceasedDateTime: '2020-01-01',
  multipleBirthInteger: 2,
  extension: [
    { url: 'http://example.org/a', valueString: 'first' },
    { url: 'http://example.org/a', valueCode: 'second' },
    { url: 'http://example.org/b', valueBoolean: false },
  ],
  contained: [{ resourceType: 'Organization', id: 'org' }],
  managingOrganization: { reference: '#org' },
  generalPractitioner: [
    { reference: 'Practitioner/1' },
    { reference: 'https://example.org/fhir/PractitionerRole/2/_history/3' },
    { reference: 'urn:uuid:c757873d-ec9a-4326-a141-556f43239520', type: 'Organization' },
    { type: 'Practitioner', identifier: { value: '9' } },
    { reference: 'urn:uuid:c757873d-ec9a-4326-a141-556f43239521' },
    { identifier: { type: { text: 'Practitioner' }, value: '9' } },
  ],
};

const observation = {
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [{ system: 'http://loinc.org', code: '85354-9' }, { code: 'bp' }] },
  component: [
    { code: { text: 'systolic' }, valueQuantity: { value: 120, unit: 'mmHg' } },
    { code: { text: 'pulse' }, valueInteger: 60 },
    { code: { text: 'note' }, valueCodeableConcept: { text: 'calm' } },
  ],
  valueSampledData: { origin: { value: 1 }, period: 1, dimensions: 1 },
};

const resources: Readonly<Record<string, object>> = { Patient: patient, Observation: observation };

describe('an expression', () => {
  it.each([
    ['a path over arrays', 'Patient.name.given', ['string "Ann"', 'string "Marie"']],
    ['the type may be left out', 'name.text', ['string "Annie"']],
    ['a supertype as root', 'Resource.id | DomainResource.id', ['id "ann"']],
    ['another type in a union', 'Patient.active | Person.active', ['boolean true']],
    ['parentheses', '(Patient.name | Patient.contact.name).text', ['string "Annie"']],
    ['a choice takes its type', 'Patient.deceased', ['dateTime "2020-01-01"']],
    ['a choice of another type', 'Patient.deceased.as(boolean)', []],
    ['as over several elements', '(Observation.component.value as Quantity).unit', ['string "mmHg"']],
    ['ofType', 'Observation.component.value.ofType(integer)', ['integer 60']],
    ['where with a text', "Patient.telecom.where(system = 'phone').value", ['string "555 1234"']],
    ['where with a number', 'Patient.telecom.where(rank < 2).value', ['string "ann@example.org"']],
    ['where with and, or', "Patient.telecom.where(system = 'phone' and rank = 2 or rank > 7).rank", ['positiveInt 2']],
    ['where with !=', "Patient.telecom.where(system != 'phone').rank", ['positiveInt 1']],
    [
      '!= on what is not there is empty',
      "Patient.name.where(period.start.exists().not() and text != 'x').use",
      ['code "usual"'],
    ],
    ['where with exists', 'Patient.name.where(text.exists()).use', ['code "usual"']],
    ['where with exists and criteria', "Patient.where(name.exists(use = 'usual')).id", ['id "ann"']],
    ['where with empty', 'Patient.name.where(text.empty()).use', ['code "official"']],
    ['where with not', 'Patient.name.where(text.exists().not()).use', ['code "official"']],
    ['where with a boolean element', 'Patient.where(active).id', ['id "ann"']],
    ['first', 'Patient.name.given.first()', ['string "Ann"']],
    ['first over all names', 'Patient.name.first().use', ['code "official"']],
    ['an index', 'Patient.name[1].use', ['code "usual"']],
    ['an index over results of several elements', 'Patient.name.given[1]', ['string "Marie"']],
    ['extension', "Patient.extension('http://example.org/a').value", ['code "second"', 'string "first"']],
    ['hasExtension', "Patient.where(hasExtension('http://example.org/b')).id", ['id "ann"']],
    ['select', 'Patient.telecom.select(value)', ['string "555 1234"', 'string "ann@example.org"']],
    ['a boolean result', 'Patient.deceased.exists() and Patient.deceased != false', ['boolean true']],
    ['a boolean result that is false', 'Patient.photo.exists()', ['boolean false']],
    ['is', 'Observation.value is SampledData', ['boolean true']],
    ['$this', "Patient.name.given.where($this = 'Ann')", ['string "Ann"']],
    ['%resource', 'Observation.component.select(%resource.status)', ['code "final"']],
    ['a primitive with an extension only is no value', 'Patient.birthDate', []],
    ['nor does it exist', 'Patient.birthDate.exists()', ['boolean false']],
  ])('%s: %s', (_why, expression, expected) => {
    const type = expression.includes('Observation') ? 'Observation' : 'Patient';
    const compiled = compileExpression(expression, type, definitions);
    expect(compiled.fallback).toBe(false);
    expect(print(compiled.evaluate(resources[type] ?? {}))).toEqual(expected);
  });

  it.each([
    [
      'an extension of a primitive',
      "Patient.birthDate.extension('http://example.org/unknown').value",
      ['boolean true'],
    ],
    ['iif', 'iif(Patient.active, Patient.name.text, Patient.id)', ['string "Annie"']],
    ['text functions', "Patient.name.given.where(startsWith('M'))", ['string "Marie"']],
    ['as over several elements', '(Patient.extension.value as boolean) | iif(false, 1, {})', ['boolean false']],
    ['the place in a union', '(Patient.telecom | Patient.telecom).value[2]', []],
    ['computed text', "Patient.id & '!'", ['string "ann!"']],
    ['a choice by its JSON name', 'Patient.multipleBirthInteger', ['integer 2']],
    [
      'resolve() is',
      'iif(true, Patient.generalPractitioner.where(resolve() is Organization).type)',
      ['uri "Organization"'],
    ],
  ])('of another shape is run by fhirpath.js, %s: %s', (_why, expression, expected) => {
    const compiled = compileExpression(expression, 'Patient', definitions);
    expect(compiled.fallback).toBe(true);
    expect(compiled.types.size).toBe(0);
    expect(compiled.single).toBe(false);
    expect(print(compiled.evaluate(patient))).toEqual(expected);
  });

  it('reports the place of a primitive, also if fhirpath.js runs the expression', () => {
    const { name } = patient;
    for (const expression of ['Patient.name.given.first()', 'Patient.name.given.skip(0).first()']) {
      const [found] = compileExpression(expression, 'Patient', definitions).evaluate(patient);
      expect(found).toEqual({ value: 'Ann', type: 'string', parent: name[0]?.given, key: 0 });
      expect(found?.parent).toBe(name[0]?.given);
    }
    for (const expression of ['Patient.multipleBirth', 'Patient.multipleBirth.skip(0)']) {
      expect(compileExpression(expression, 'Patient', definitions).evaluate(patient)).toEqual([
        { value: 2, type: 'integer', parent: patient, key: 'multipleBirthInteger' },
      ]);
    }
  });
});

describe('resolve() is', () => {
  it.each([
    ['Practitioner', ['{"reference":"Practitioner/1"}', '{"type":"Practitioner","identifier":{"value":"9"}}']],
    ['PractitionerRole', ['{"reference":"https://example.org/fhir/PractitionerRole/2/_history/3"}']],
    ['Organization', ['{"reference":"urn:uuid:c757873d-ec9a-4326-a141-556f43239520","type":"Organization"}']],
  ])('%s is decided by the reference itself', (type, expected) => {
    const compiled = compileExpression(
      `Patient.generalPractitioner.where(resolve() is ${type})`,
      'Patient',
      definitions,
    );
    expect(compiled.evaluate(patient).map(({ value }) => JSON.stringify(value))).toEqual(expected);
  });

  it('looks a contained resource up', () => {
    const compiled = compileExpression(
      'Patient.managingOrganization.where(resolve() is Organization)',
      'Patient',
      definitions,
    );
    expect(compiled.evaluate(patient)).toHaveLength(1);
    expect(compiled.evaluate({ ...patient, contained: [{ resourceType: 'Location', id: 'org' }] })).toHaveLength(0);
    expect(compiled.evaluate({ ...patient, contained: [] })).toHaveLength(0);
  });
});

describe('the static types', () => {
  it.each([
    ['Patient', 'Patient.name', ['HumanName'], false],
    ['Patient', 'Patient.birthDate', ['date'], true],
    ['Patient', 'Patient.name.first().family', ['string'], true],
    ['Patient', 'Patient.name[0].given[0]', ['string'], true],
    ['Condition', 'Condition.onset.as(dateTime) | Condition.onset.as(Period)', ['dateTime', 'Period'], true],
    ['Condition', 'Condition.onset.as(dateTime) | Condition.abatement.as(dateTime)', ['dateTime'], false],
    ['Observation', 'Observation.effective', ['dateTime', 'Period', 'Timing', 'instant'], true],
    ['Patient', 'Patient.deceased.exists() and Patient.deceased != false', ['boolean'], true],
    ['MedicationRequest', 'MedicationRequest.dosageInstruction.timing.event', ['dateTime'], false],
    ['Observation', 'Observation | Observation.component', ['Observation', 'BackboneElement'], false],
    ['ValueSet', 'ValueSet.expansion.contains.contains.contains.code', ['code'], false],
    ['Bundle', 'Bundle.entry[0].resource', ['Resource'], true],
  ])('of a %s: %s', (type, expression, types, single) => {
    const compiled = compileExpression(expression, type, definitions);
    expect([...compiled.types]).toEqual(types);
    expect(compiled.single).toBe(single);
  });
});

describe('a mistake', () => {
  it.each([
    ['Patient.nmae', 'There is no element `nmae` in Patient. Did you mean `name`? (character 9 of `Patient.nmae`)'],
    [
      'Patinet.name',
      'There is no element `Patinet` in Patient. Did you mean `Patient`? (character 1 of `Patinet.name`)',
    ],
    ["Patient.name.where(usse = 'x')", 'There is no element `usse` in HumanName. Did you mean `use`?'],
    ['Patient.deceased.value', 'There is no element `value` in boolean, dateTime.'],
    ['Observation.status', 'The expression never yields anything on Patient'],
    ['Patient.name as Quanity', 'There is no type `Quanity`. Did you mean `Quantity`?'],
    ['Patient.name.as(Period)', 'The expression never yields anything on Patient'],
    ['Patient.name.frist()', 'There is no function `frist()`. Did you mean `first`?'],
    ['Patient.link.other.resolve().name', '`resolve()` can only be asked for its type'],
    [
      'Patient.birthDate < today()',
      '`today()` cannot be used in a search parameter: the index would say when a record was indexed',
    ],
    ['Patient.birthDate.where($this < now())', '`now()` cannot be used in a search parameter'],
    [
      'Patient.name.elementDefinition()',
      'fhirpath.js does not evaluate the expression: Not implemented: elementDefinition',
    ],
    ['%patient.name', 'There is no variable `%patient`. (character 1'],
    ['Patient.', 'The expression ends where the name of an element or a function was expected (character 9'],
    ['Patient.name.where(use = )', '`)` was found where an element, a function or a value was expected (character 26'],
    ['Patient.name[0', 'The expression ends where `]` was expected'],
    ["Patient.name.where(use = 'x)", "The quote `'` is not closed (character 26"],
    ['Patient.name ^ 2', '`^` has no meaning in FHIRPath (character 14'],
    ['Patient.name name', '`name` was found where an operator or the end was expected'],
    ["Patient.name.where(use ~ 'x').select(text is Bar)", 'There is no type `Bar`'],
    ['', 'The expression ends where an element, a function or a value was expected'],
  ])('is reported with its place: %s', (expression, message) => {
    expect(() => compileExpression(expression, 'Patient', definitions)).toThrow(message);
  });

  it('is reported for an unknown type', () => {
    expect(() => compileExpression('a', 'Patinet', definitions)).toThrow('There is no type `Patinet`');
  });
});

describe('random paths', () => {
  it('give what fhirpath.js gives', () => {
    const samples = [...examples()]
      .map(({ resource }) => resource)
      .filter(({ resourceType }) => sampled.has(resourceType));
    const path = fc
      .tuple(fc.constantFrom(...samples), fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 5 }))
      .map(([resource, choices]) => ({ resource, expression: walk(resource.resourceType, choices) }));
    fc.assert(
      fc.property(path, ({ resource, expression }) => {
        const compiled = compileExpression(expression, resource.resourceType, definitions);
        expect(print(compiled.evaluate(resource))).toEqual(
          judge(asOfType(expression), resource.resourceType, resource, resource),
        );
      }),
      { numRuns: 2_000 },
    );
  });
});

const sampled = new Set([
  'Patient',
  'Observation',
  'MedicationRequest',
  'Encounter',
  'Questionnaire',
  'CarePlan',
  'Appointment',
]);

/** A path down the definitions, with a function after some of the steps. */
function walk(typeName: string, choices: readonly (readonly [number, number])[]): string {
  let definition = definitions.get(typeName);
  let text = typeName;
  for (const [step, extra] of choices) {
    if (definition === undefined || definition.abstract || definition.kind === 'primitive-type') break;
    const elements = [...definition.elements.values()].filter(
      ({ name }) => !/^(id|extension|contained|div)$/i.test(name),
    );
    const element = elements[step % elements.length];
    if (element === undefined) break;
    const type = element.types[extra % element.types.length];
    if (type === undefined) break;
    definition = type.content ?? definitions.get(type.code);
    const child = quoted([...(definition?.elements.keys() ?? [])].at(-1) ?? 'id');
    const complex = definition?.kind === 'complex-type';
    const of = element.choice ? `.ofType(${type.code})` : '';
    text += `.${quoted(element.name)}${of}`;
    text += ['', '', '.first()', '[0]', '[1]', complex ? `.where(${child}.exists())` : ''][extra % 6] ?? '';
    if (extra % 7 === 0) text = `(${text} | ${text})`;
  }
  return text;
}

/** Some elements have the names of operators. */
const quoted = (name: string): string => (/^(div|mod|in|is|as|and|or)$/.test(name) ? `\`${name}\`` : name);

const print = (results: readonly { type: string; value: unknown }[]): readonly string[] =>
  sorted(results.map(({ type, value }) => `${type} ${JSON.stringify(value)}`));
