import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/fhir/json-object.ts';
import { against, observation, patient, problems, profile, url, validatorOf } from './support/validator.ts';

// Slices: https://hl7.org/fhir/R4/profiling.html#slicing

const slicing = (type: string, path: string, rules = 'open', ordered = false): JsonObject => ({
  slicing: { discriminator: [{ type, path }], rules, ordered },
});
const identifier = (system: string, value = '1'): JsonObject => ({ system, value });
const component = (code: string, rest: JsonObject = { valueInteger: 1 }): JsonObject => ({
  code: { text: code },
  ...rest,
});

/** Identifiers a and b, distinguished by their systems. */
const identifiers = (rules: string, ordered = false, more: Readonly<Record<string, JsonObject>> = {}) =>
  profile('Patient', {
    'Patient.identifier': slicing('value', 'system', rules, ordered),
    'Patient.identifier:a': { min: 1, max: '1' },
    'Patient.identifier:a.system': { min: 1, fixedUri: 'urn:a' },
    'Patient.identifier:b': { min: 0, max: '*' },
    'Patient.identifier:b.system': { min: 1, fixedUri: 'urn:b' },
    'Patient.identifier:b.value': { min: 1 },
    ...more,
  });

describe('slices', () => {
  it.each<[title: string, rules: string, ordered: boolean, systems: readonly string[], expected: readonly string[]]>([
    ['open takes others anywhere', 'open', false, ['urn:x', 'urn:a', 'urn:y'], []],
    ['a minimum', 'open', false, ['urn:b'], ['error Patient.identifier:a min at Patient.identifier']],
    [
      'a minimum where there is nothing at all',
      'open',
      false,
      [],
      ['error Patient.identifier:a min at Patient.identifier'],
    ],
    ['a maximum', 'open', false, ['urn:a', 'urn:a'], ['error Patient.identifier:a max at Patient.identifier']],
    [
      'closed takes no others',
      'closed',
      false,
      ['urn:a', 'urn:x'],
      ['error Patient.identifier closed at Patient.identifier[1]'],
    ],
    ['closed takes its own in any order', 'closed', false, ['urn:b', 'urn:a'], []],
    ['ordered in order', 'open', true, ['urn:a', 'urn:b', 'urn:b'], []],
    [
      'ordered out of order',
      'open',
      true,
      ['urn:b', 'urn:a'],
      ['error Patient.identifier ordered at Patient.identifier[1]'],
    ],
    ['openAtEnd takes others at the end', 'openAtEnd', false, ['urn:a', 'urn:x', 'urn:y'], []],
    [
      'openAtEnd takes no others before',
      'openAtEnd',
      false,
      ['urn:x', 'urn:a'],
      ['error Patient.identifier openAtEnd at Patient.identifier[1]'],
    ],
  ])('%s', (_title, rules, ordered, systems, expected) => {
    const resource = patient(systems.length === 0 ? {} : { identifier: systems.map(system => identifier(system)) });
    expect(against(identifiers(rules, ordered), resource)).toEqual(expected);
  });

  it('checks what a slice says of its members alone', () => {
    const resource = patient({ identifier: [identifier('urn:a'), { system: 'urn:b' }, { system: 'urn:x' }] });
    expect(against(identifiers('open'), resource)).toEqual([
      'error Patient.identifier:b.value min at Patient.identifier[1].value',
    ]);
  });

  it('takes what fits no other slice into @default', () => {
    const definition = identifiers('open', false, {
      'Patient.identifier:@default': { max: '1' },
      'Patient.identifier:@default.value': { min: 1 },
    });
    const resource = patient({ identifier: [identifier('urn:a'), { system: 'urn:x' }, identifier('urn:y')] });
    expect(against(definition, resource)).toEqual([
      'error Patient.identifier:@default max at Patient.identifier',
      'error Patient.identifier:@default.value min at Patient.identifier[1].value',
    ]);
  });

  it('slices a slice again', () => {
    const definition = identifiers('open', false, {
      'Patient.identifier:b': { ...slicing('value', 'use'), max: '*' },
      'Patient.identifier:b/old': { min: 1, max: '1' },
      'Patient.identifier:b/old.use': { min: 1, fixedCode: 'old' },
    });
    const old = { ...identifier('urn:b'), use: 'old' };
    expect(against(definition, patient({ identifier: [identifier('urn:a'), identifier('urn:b'), old] }))).toEqual([]);
    expect(against(definition, patient({ identifier: [identifier('urn:a'), identifier('urn:b')] }))).toEqual([
      'error Patient.identifier:b/old min at Patient.identifier',
    ]);
  });
});

describe('slices, one undecidable', () => {
  const undecidable = {
    'Observation.focus:x': { min: 1, type: [{ code: 'Reference', targetProfile: [url('other')] }] },
  };
  const definition = (more: Readonly<Record<string, JsonObject>>, rules = 'open') =>
    profile('Observation', {
      'Observation.focus': {
        slicing: { discriminator: [{ type: 'profile', path: 'resolve()' }], rules },
      },
      ...undecidable,
      ...more,
    });
  const d = profile('Device', { 'Device.status': { min: 1, fixedCode: 'active' } }, { name: 'd' });
  const device = { 'Observation.focus:d': { min: 1, type: [{ code: 'Reference', targetProfile: [d.url] }] } };
  const focus = (...references: readonly string[]): JsonObject => {
    const devices = [
      { resourceType: 'Device', id: 'on', status: 'active' },
      { resourceType: 'Device', id: 'off', status: 'inactive' },
    ].filter(({ id }) => references.includes(`#${id}`));
    return observation({
      ...(devices.length === 0 ? {} : { contained: devices }),
      focus: references.map(reference => ({ reference })),
    });
  };

  it.each<[title: string, references: readonly string[], expected: readonly string[]]>([
    ['a definite miss of another slice is an error', ['#off'], ['error Observation.focus:d min at Observation.focus']],
    ['a member of another slice is one', ['#on', '#off'], []],
    ['a value that may be of either leaves both open', ['Device/1'], []],
    [
      'no value at all is a miss of both',
      [],
      ['error Observation.focus:x min at Observation.focus', 'error Observation.focus:d min at Observation.focus'],
    ],
  ])('%s', (_title, references, expected) => {
    const resource = references.length === 0 ? observation() : focus(...references);
    expect(against(definition(device), resource, d)).toEqual(expected);
  });

  it('asks for more values than may be there', () => {
    const two = definition({ 'Observation.focus:x': { ...undecidable['Observation.focus:x'], min: 2 } });
    expect(against(two, focus('Device/1'))).toEqual(['error Observation.focus:x min at Observation.focus']);
    expect(against(two, focus('Device/1', 'Device/2'))).toEqual([]);
  });

  it('reports what is undecided, with its slice', () => {
    const validator = validatorOf(definition(device), d);
    const issues = validator.validate(focus('#off', '#on'), { profiles: [definition(device).url] });
    expect(issues.filter(({ severity }) => severity === 'information').map(({ rule }) => rule)).toEqual([
      'Observation.focus:x min',
    ]);
  });
});

describe('discriminators', () => {
  const concept = (code: string): JsonObject => ({ coding: [{ system: 'urn:s', code }] });
  const sliced = (type: string, path: string, slice: Readonly<Record<string, JsonObject>>) =>
    profile('Observation', {
      'Observation.component': slicing(type, path),
      'Observation.component:s': { min: 1, max: '1' },
      ...Object.fromEntries(
        Object.entries(slice).map(([name, element]) => [`Observation.component:s.${name}`, element]),
      ),
    });

  it.each<[title: string, definition: ReturnType<typeof profile>, good: JsonObject, bad: JsonObject]>([
    [
      'pattern',
      sliced('pattern', 'code', { code: { patternCodeableConcept: concept('1') } }),
      { code: { ...concept('1'), text: 'x' }, valueInteger: 1 },
      { code: concept('2'), valueInteger: 1 },
    ],
    [
      'value, by the elements below the path',
      sliced('value', 'code', { 'code.coding': { min: 1 }, 'code.coding.code': { min: 1, fixedCode: '1' } }),
      { code: concept('1'), valueInteger: 1 },
      { code: concept('2'), valueInteger: 1 },
    ],
    [
      'value, by a required binding',
      sliced('value', 'value', {
        'value[x]': {
          min: 1,
          type: [{ code: 'CodeableConcept' }],
          binding: { strength: 'required', valueSet: 'http://hl7.org/fhir/ValueSet/days-of-week' },
        },
      }),
      component('x', {
        valueCodeableConcept: { coding: [{ system: 'http://hl7.org/fhir/days-of-week', code: 'mon' }] },
      }),
      component('x', {
        valueCodeableConcept: { coding: [{ system: 'urn:x', code: 'mon' }] },
      }),
    ],
    [
      'exists, where it must',
      sliced('exists', 'dataAbsentReason', { dataAbsentReason: { min: 1 } }),
      component('x', { dataAbsentReason: { text: 'unknown' } }),
      component('x'),
    ],
    [
      'exists, where it must not',
      sliced('exists', 'dataAbsentReason', { dataAbsentReason: { max: '0' } }),
      component('x'),
      component('x', { dataAbsentReason: { text: 'unknown' } }),
    ],
    [
      'type',
      sliced('type', 'value', { 'value[x]': { type: [{ code: 'string' }] } }),
      component('x', { valueString: 'x' }),
      component('x'),
    ],
  ])('by %s', (_title, definition, good, bad) => {
    expect(against(definition, observation({ component: [good] }))).toEqual([]);
    expect(against(definition, observation({ component: [bad] }))).toEqual([
      'error Observation.component:s min at Observation.component',
    ]);
  });

  it.each<[title: string, fixed: string, own: JsonObject, value: JsonObject]>([
    ['a fixed one first', 'system', { fixedUri: 'urn:a' }, { system: 'urn:a' }],
    ['a fixed one second', 'type.text', { fixedString: 'kind' }, { type: { text: 'kind' } }],
  ])('accept any value of one that the slice does not constrain: %s', (_title, fixed, own, value) => {
    const paths = ['system', 'type.text', 'use'];
    const definition = profile('Patient', {
      'Patient.identifier': {
        slicing: { discriminator: paths.map(path => ({ type: 'value', path })), rules: 'closed' },
      },
      'Patient.identifier:s': { min: 1, max: '1' },
      [`Patient.identifier:s.${fixed}`]: { min: 1, ...own },
      'Patient.identifier:s.value': { min: 1 },
    });
    const given = (...identifiers: readonly JsonObject[]) => against(definition, patient({ identifier: identifiers }));
    expect(given({ ...value, value: '1' })).toEqual([]);
    expect(given({ ...value, use: 'usual', value: '1' })).toEqual([]);
    expect(given({ ...value, value: '1' }, { ...value, value: '2' })).toEqual([
      'error Patient.identifier:s max at Patient.identifier',
    ]);
    expect(given(value)).toEqual(['error Patient.identifier:s.value min at Patient.identifier[0].value']);
    expect(given({ system: 'urn:other', value: '1' })).toEqual([
      'error Patient.identifier closed at Patient.identifier[0]',
      'error Patient.identifier:s min at Patient.identifier',
    ]);
  });

  const categories = (slices: Readonly<Record<string, JsonObject>>, paths = ['coding.code', 'coding.system']) =>
    profile('Observation', {
      'Observation.category': {
        slicing: { discriminator: paths.map(path => ({ type: 'value', path })), rules: 'closed' },
      },
      ...slices,
    });
  const coded = (...codes: readonly string[]): JsonObject => ({
    coding: codes.map(code => ({ system: 'urn:s', code })),
  });
  const lab = { 'Observation.category:lab': { min: 1, max: '1', patternCodeableConcept: coded('lab') } };
  const both = { 'Observation.category:both': { min: 1, patternCodeableConcept: coded('a', 'b') } };
  const fixed = { 'Observation.category:fixed': { min: 1, fixedCodeableConcept: coded('lab') } };
  const within = {
    'Observation.category:lab': { min: 1 },
    'Observation.category:lab.coding': { slicing: { discriminator: [{ type: 'value', path: 'code' }], rules: 'open' } },
    'Observation.category:lab.coding:l': { min: 1 },
    'Observation.category:lab.coding:l.code': { min: 1, fixedCode: 'lab' },
  };
  const optional = {
    ...within,
    'Observation.category:lab.coding': {
      min: 1,
      patternCoding: { system: 'urn:s' },
      ...within['Observation.category:lab.coding'],
    },
  };

  it.each<[title: string, definition: ReturnType<typeof profile>, good: JsonObject, bad: JsonObject]>([
    ['a pattern two steps up', categories(lab), coded('x', 'lab'), coded('x')],
    ['a pattern one step up', categories(lab, ['coding']), coded('x', 'lab'), coded('x')],
    ['a pattern of several codings', categories(both), coded('b', 'x', 'a'), coded('a', 'x')],
    ['a fixed value two steps up', categories(fixed), coded('lab'), coded('x')],
    ['a slice at a step of the path', categories(within, ['coding.code']), coded('x', 'lab'), coded('x')],
    ['a slice at a step and a pattern beside it', categories(optional), coded('x', 'lab'), coded('x')],
  ])('by %s', (_title, definition, good, bad) => {
    expect(against(definition, observation({ category: [good] }))).toEqual([]);
    expect(against(definition, observation({ category: [bad] }))).toEqual([
      'error Observation.category closed at Observation.category[0]',
      expect.stringMatching(/^error Observation\.category:\w+ min at Observation\.category$/),
    ]);
  });

  it('by a pattern of the element around it', () => {
    const definition = profile('Patient', {
      'Patient.identifier': slicing('value', 'use', 'closed'),
      'Patient.identifier:official': { min: 1, patternIdentifier: { use: 'official', system: 'urn:a' } },
      'Patient.identifier:old': { max: '1', patternIdentifier: { use: 'old' } },
    });
    const used = (...uses: readonly string[]): JsonObject =>
      patient({ identifier: uses.map(use => ({ use, system: 'urn:a', value: '1' })) });
    expect(against(definition, used('old', 'official'))).toEqual([]);
    expect(against(definition, used('old', 'old'))).toEqual([
      'error Patient.identifier:official min at Patient.identifier',
      'error Patient.identifier:old max at Patient.identifier',
    ]);
    expect(against(definition, used('official', 'usual'))).toEqual([
      'error Patient.identifier closed at Patient.identifier[1]',
    ]);
  });

  it('by whether something is there that a pattern asks for', () => {
    const definition = profile('Patient', {
      'Patient.identifier': slicing('exists', 'system'),
      'Patient.identifier:known': { max: '1', patternIdentifier: { system: 'urn:a' } },
      'Patient.identifier:unknown': { max: '1' },
      'Patient.identifier:unknown.system': { max: '0' },
    });
    const known = { system: 'urn:a', value: '1' };
    expect(against(definition, patient({ identifier: [known, { value: '2' }] }))).toEqual([]);
    expect(against(definition, patient({ identifier: [known, { ...known, value: '2' }, { value: '3' }] }))).toEqual([
      'error Patient.identifier:known max at Patient.identifier',
    ]);
  });

  it('not by a binding that the type has in any case', () => {
    const definition = profile('Patient', {
      'Patient.identifier': slicing('value', 'use'),
      'Patient.identifier:a': { min: 1, max: '1' },
    });
    expect(against(definition, patient({ identifier: [{ use: 'old' }, { use: 'usual' }] }))).toEqual([]);
  });

  it('distinguishes the components of a blood pressure by the profile of R4', () => {
    const pressure = (...codes: readonly string[]): JsonObject =>
      observation({
        category: [
          { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'vital-signs' }] },
        ],
        code: { coding: [{ system: 'http://loinc.org', code: '85354-9' }] },
        subject: { reference: 'Patient/a' },
        effectiveDateTime: '2024-01-01',
        component: codes.map(code => ({
          code: { coding: [{ system: 'http://loinc.org', code }] },
          valueQuantity: { value: 1, unit: 'mmHg', system: 'http://unitsofmeasure.org', code: 'mm[Hg]' },
        })),
      });
    const bp = { profiles: ['http://hl7.org/fhir/StructureDefinition/bp'] };
    expect(problems(validatorOf(), pressure('8480-6', '8462-4'), bp)).toEqual([]);
    expect(problems(validatorOf(), pressure('8480-6', '8480-6'), bp)).toEqual([
      'error Observation.component:SystolicBP max at Observation.component',
      'error Observation.component:DiastolicBP min at Observation.component',
    ]);
  });

  it('by profile of what a reference resolves to', () => {
    const male = profile('Patient', { 'Patient.gender': { min: 1, fixedCode: 'male' } }, { name: 'male' });
    const definition = profile('Observation', {
      'Observation.focus': slicing('profile', 'resolve()'),
      'Observation.focus:male': { min: 1, type: [{ code: 'Reference', targetProfile: [url('male')] }] },
    });
    const of = (gender: string): JsonObject =>
      observation({ contained: [{ resourceType: 'Patient', id: 'p', gender }], focus: [{ reference: '#p' }] });
    expect(against(definition, of('male'), male)).toEqual([]);
    expect(against(definition, of('female'), male)).toEqual(['error Observation.focus:male min at Observation.focus']);
  });

  it.each([
    ['a relative reference', { reference: 'Device/1' }, []],
    ['an absolute one', { reference: 'https://example.org/fhir/Device/1/_history/2' }, []],
    ['a urn beside its type', { reference: 'urn:uuid:0b8b9f4e-0d3f-4d1c-9a5e-1f0c1b2a3d4e', type: 'Device' }, []],
    [
      'one of another type',
      { reference: 'Patient/1' },
      ['error Observation.focus closed at Observation.focus[0]', 'error Observation.focus:s min at Observation.focus'],
    ],
    ['one that names no type', { display: 'x' }, []],
  ])('by the type that a reference names if its target is not available: %s', (_title, focus, expected) => {
    const definition = profile('Observation', {
      'Observation.focus': { slicing: { discriminator: [{ type: 'type', path: 'resolve()' }], rules: 'closed' } },
      'Observation.focus:s': {
        min: 1,
        type: [{ code: 'Reference', targetProfile: ['http://hl7.org/fhir/StructureDefinition/Device'] }],
      },
    });
    expect(against(definition, observation({ focus: [focus] }))).toEqual(expected);
  });

  it('requires no minimum if the target is not available', () => {
    const definition = profile('Observation', {
      'Observation.focus': slicing('value', 'resolve().code'),
      'Observation.focus:s': { min: 1, type: [{ code: 'Reference', targetProfile: [url('other')] }] },
    });
    const other = profile(
      'Observation',
      { 'Observation.code': { patternCodeableConcept: concept('1') } },
      { name: 'other' },
    );
    expect(against(definition, observation({ focus: [{ reference: 'Observation/1' }] }), other)).toEqual([]);
  });

  it('by type for a choice that is sliced without saying how', () => {
    const definition = profile('Observation', {
      'Observation.value[x]': { slicing: { discriminator: [{ type: 'type', path: '$this' }], rules: 'closed' } },
      'Observation.value[x]:valueQuantity': { type: [{ code: 'Quantity' }] },
      'Observation.value[x]:valueQuantity.code': { min: 1 },
    });
    expect(against(definition, observation({ valueQuantity: { value: 1, system: 'u', code: 'mg' } }))).toEqual([]);
    expect(against(definition, observation({ valueQuantity: { value: 1 } }))).toEqual([
      'error Observation.value[x]:valueQuantity.code min at Observation.value.code',
    ]);
  });

  it('asks a value of another type than any may have no more than to be of one', () => {
    const definition = profile('Observation', {
      'Observation.value[x]': {
        type: [{ code: 'Quantity' }],
        slicing: { discriminator: [{ type: 'type', path: '$this' }], rules: 'closed' },
      },
      'Observation.value[x]:valueQuantity': { type: [{ code: 'Quantity' }] },
    });
    expect(against(definition, observation({ valueString: 'x' }))).toEqual([
      'error Observation.value[x] type at Observation.value',
    ]);
  });
});
