import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/fhir/json-object.ts';
import { against, patient, problems, profile, url, validatorOf } from './support/validator.ts';

// Extensions: https://hl7.org/fhir/R4/extensibility.html

const extension = (name: string, value: JsonObject, contexts: readonly string[], more: JsonObject = {}) =>
  profile(
    'Extension',
    {
      Extension: more,
      'Extension.extension': { max: '0' },
      'Extension.url': { fixedUri: url(name) },
      'Extension.value[x]': { min: 1, ...value },
    },
    { name, context: contexts.map(expression => ({ type: 'element', expression })) },
  );
const nick = extension('nick', { type: [{ code: 'string' }] }, ['Patient', 'HumanName.family']);
const negates = extension('negates', { type: [{ code: 'boolean' }] }, ['Patient'], { isModifier: true });
const complex = profile(
  'Extension',
  {
    Extension: {},
    'Extension.extension': { slicing: { discriminator: [{ type: 'value', path: 'url' }], rules: 'closed' }, min: 1 },
    'Extension.extension:a': { min: 1, max: '1' },
    'Extension.extension:a.url': { fixedUri: 'a' },
    'Extension.extension:a.value[x]': { min: 1, type: [{ code: 'integer' }] },
    'Extension.url': { fixedUri: url('complex') },
    'Extension.value[x]': { max: '0' },
  },
  { name: 'complex', context: [{ type: 'element', expression: 'Element' }] },
);
const validator = validatorOf(nick, negates, complex);
const of = (name: string, rest: JsonObject): JsonObject => ({ url: url(name), ...rest });
const at = 'Patient.extension[0]';

describe('extensions', () => {
  it.each<[title: string, resource: JsonObject, expected: readonly string[]]>([
    ['one that is as it should be', patient({ extension: [of('nick', { valueString: 'x' })] }), []],
    [
      'on a primitive',
      patient({ name: [{ family: 'A', _family: { extension: [of('nick', { valueString: 'x' })] } }] }),
      [],
    ],
    [
      'a value of another type',
      patient({ extension: [of('nick', { valueInteger: 1 })] }),
      [`error Extension.value[x] type at ${at}.value`],
    ],
    [
      'in a place that its context excludes',
      patient({ name: [{ family: 'A', extension: [of('nick', { valueString: 'x' })] }] }),
      ['error extension context at Patient.name[0].extension[0]'],
    ],
    [
      'neither value nor extensions',
      patient({ extension: [of('nick', {})] }),
      [`error ext-1 at ${at}`, `error Extension.value[x] min at ${at}.value`],
    ],
    [
      'value and extensions',
      patient({ extension: [{ url: 'urn:x', valueString: 'x', extension: [{ url: 'y', valueString: 'x' }] }] }),
      [`error ext-1 at ${at}`],
    ],
    ['a modifier where it belongs', patient({ modifierExtension: [of('negates', { valueBoolean: true })] }), []],
    [
      'a modifier among the others',
      patient({ extension: [of('negates', { valueBoolean: true })] }),
      [`error extension modifier at ${at}`],
    ],
    [
      'no modifier among the modifiers',
      patient({ modifierExtension: [of('nick', { valueString: 'x' })] }),
      ['error extension modifier at Patient.modifierExtension[0]'],
    ],
    [
      'an unknown modifier',
      patient({ modifierExtension: [{ url: 'urn:x', valueString: 'x' }] }),
      ['warning unknown urn:x at Patient.modifierExtension[0]'],
    ],
    ['an unknown one', patient({ extension: [{ url: 'urn:x', valueString: 'x' }] }), []],
    [
      'a short url outside of an extension',
      patient({ extension: [{ url: 'a', valueString: 'x' }] }),
      [`error extension url at ${at}`],
    ],
    ['a complex one', patient({ extension: [of('complex', { extension: [{ url: 'a', valueInteger: 1 }] })] }), []],
    [
      'a part of another type',
      patient({ extension: [of('complex', { extension: [{ url: 'a', valueString: 'x' }] })] }),
      [`error Extension.extension:a.value[x] type at ${at}.extension[0].value`],
    ],
    [
      'a part that it does not have',
      patient({
        extension: [
          of('complex', {
            extension: [
              { url: 'a', valueInteger: 1 },
              { url: 'b', valueInteger: 1 },
            ],
          }),
        ],
      }),
      [`error Extension.extension closed at ${at}.extension[1]`],
    ],
  ])('%s', (_title, resource, expected) => {
    expect(problems(validator, resource)).toEqual(expected);
  });

  it.each<[title: string, path: string, resource: JsonObject, good: boolean]>([
    ['the element', 'Patient.contact', patient({ contact: [{ name: { text: 'A' }, extension: [{}] }] }), true],
    [
      'that element of several',
      "Patient.contact.where(gender = 'male')",
      patient({ contact: [{ name: { text: 'A' }, extension: [{}] }] }),
      false,
    ],
    ['another element', 'Patient.name', patient({ contact: [{ name: { text: 'A' }, extension: [{}] }] }), false],
  ])('is allowed where a FHIRPath leads to %s', (_title, path, resource, good) => {
    const definition = extension('place', { type: [{ code: 'string' }] }, []);
    const placed = { ...definition, context: [{ type: 'fhirpath', expression: path }] };
    const text = JSON.stringify(resource).replace('[{}]', JSON.stringify([of('place', { valueString: 'x' })]));
    expect(problems(validatorOf(placed), JSON.parse(text))).toEqual(
      good ? [] : ['error extension context at Patient.contact[0].extension[0]'],
    );
  });

  const placed = of('abstract', { valueString: 'x' });
  const valueSet = { resourceType: 'ValueSet', status: 'draft' };
  it.each<[context: string, title: string, resource: JsonObject, good: boolean]>([
    ['Base', 'a resource', patient({ extension: [placed] }), true],
    ['Base', 'an element', patient({ name: [{ text: 'A', extension: [placed] }] }), true],
    ['Resource', 'a resource', patient({ extension: [placed] }), true],
    ['Resource', 'an element', patient({ name: [{ text: 'A', extension: [placed] }] }), false],
    ['CanonicalResource', 'a resource with a canonical url', { ...valueSet, extension: [placed] }, true],
    [
      'CanonicalResource',
      'one of R4 that has no url yet',
      {
        resourceType: 'NamingSystem',
        name: 'A',
        status: 'draft',
        kind: 'root',
        date: '2024',
        uniqueId: [{ type: 'uri', value: 'urn:a' }],
        extension: [placed],
      },
      true,
    ],
    [
      'CanonicalResource',
      'a resource with a url of another kind',
      { resourceType: 'Device', url: 'urn:a', extension: [placed] },
      false,
    ],
    ['CanonicalResource', 'a record', patient({ extension: [placed] }), false],
    ['CanonicalResource.title', 'its title', { ...valueSet, title: 'A', _title: { extension: [placed] } }, true],
    ['CanonicalResource.title', 'another element', { ...valueSet, name: 'A', _name: { extension: [placed] } }, false],
    ['MetadataResource', 'a resource with a canonical url', { ...valueSet, extension: [placed] }, true],
    ['MetadataResource', 'a record', patient({ extension: [placed] }), false],
    ['DataType', 'a value of a complex type', patient({ name: [{ text: 'A', extension: [placed] }] }), true],
    ['DataType', 'a primitive', patient({ _birthDate: { extension: [placed] } }), true],
    ['DataType', 'a backbone element', patient({ contact: [{ name: { text: 'A' }, extension: [placed] }] }), false],
    ['PrimitiveType', 'a primitive', patient({ _birthDate: { extension: [placed] } }), true],
    ['PrimitiveType', 'a value of a complex type', patient({ name: [{ text: 'A', extension: [placed] }] }), false],
    [
      'BackboneElement',
      'a backbone element',
      patient({ contact: [{ name: { text: 'A' }, extension: [placed] }] }),
      true,
    ],
    ['BackboneType', 'a backbone element', patient({ contact: [{ name: { text: 'A' }, extension: [placed] }] }), false],
  ])('is allowed, by the context %s, on %s', (context, _title, resource, good) => {
    const definition = extension('abstract', { type: [{ code: 'string' }] }, [context]);
    const found = problems(validatorOf(definition), resource).filter(issue => issue.includes('extension'));
    expect(found.map(issue => issue.replace(/ at .*/, ''))).toEqual(good ? [] : ['error extension context']);
  });

  it('is allowed on the value of the extension that its context names', () => {
    const inner = {
      ...extension('inner', { type: [{ code: 'string' }] }, []),
      context: [{ type: 'extension', expression: url('nick') }],
    };
    const on = [of('inner', { valueString: 'x' })];
    expect(
      problems(
        validatorOf(nick, inner),
        patient({ extension: [of('nick', { valueString: 'x', _valueString: { extension: on } })] }),
      ),
    ).toEqual([]);
    expect(problems(validatorOf(nick, inner), patient({ extension: on }))).toEqual([
      `error extension context at ${at}`,
    ]);
  });

  it('may have rules for its parent element', () => {
    const definition = {
      ...extension('adult', { type: [{ code: 'string' }] }, ['Patient']),
      contextInvariant: ["gender = 'male'"],
    };
    const extended = (gender: string): JsonObject =>
      patient({ gender, extension: [of('adult', { valueString: 'x' })] });
    expect(problems(validatorOf(definition), extended('male'))).toEqual([]);
    expect(problems(validatorOf(definition), extended('female'))).toEqual([
      `error extension contextInvariant at ${at}`,
    ]);
  });

  it('may be asked for by a profile', () => {
    const definition = profile('Patient', {
      'Patient.extension': { slicing: { discriminator: [{ type: 'value', path: 'url' }], rules: 'open' } },
      'Patient.extension:nick': { min: 1, max: '1', type: [{ code: 'Extension', profile: [url('nick')] }] },
    });
    const given = of('nick', { valueString: 'x' });
    expect(against(definition, patient({ extension: [given, { url: 'urn:x', valueString: 'x' }] }), nick)).toEqual([]);
    expect(against(definition, patient(), nick)).toEqual(['error Patient.extension:nick min at Patient.extension']);
    expect(against(definition, patient({ extension: [given, given] }), nick)).toEqual([
      'error Patient.extension:nick max at Patient.extension',
    ]);
  });

  it('of R4 is checked by the newest version that is loaded', () => {
    const birthPlace = 'http://hl7.org/fhir/StructureDefinition/patient-birthPlace';
    const elements = {
      'Extension.url': { fixedUri: birthPlace },
      'Extension.value[x]': { type: [{ code: 'string' }] },
    };
    const newer = profile('Extension', elements, {
      url: birthPlace,
      version: '5.2.0',
      context: [{ type: 'element', expression: 'Patient' }],
    });
    const born = patient({ extension: [{ url: birthPlace, valueString: 'Iqaluit' }] });
    expect(problems(validatorOf(), born)).toEqual([`error Extension.value[x] type at ${at}.value`]);
    expect(problems(validatorOf(newer), born)).toEqual([]);
  });
});
