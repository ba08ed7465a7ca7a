// https://hl7.org/fhir/R4/profiling.html#snapshot and https://hl7.org/fhir/R4/profiling.html#slicing
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asObject, asString, objectsOf } from '../../../src/fhir/json-object.ts';
import type { JsonObject } from '../../../src/fhir/json-object.ts';
import { packFile, readPack } from '../../../src/definitions/pack.ts';
import { createSnapshots } from '../../../src/model/snapshot/snapshots.ts';
import type { Snapshot } from '../../../src/model/snapshot/snapshot.ts';
import { profile } from '../../support/definition-files.ts';

const pack = new Map(
  readPack(join(import.meta.dirname, '../../../profiles', packFile), packFile)
    .definitions.filter(({ resourceType }) => resourceType === 'StructureDefinition')
    .map(definition => [definition.url, definition.resource()]),
);
const r4 = 'http://hl7.org/fhir/StructureDefinition/';
const example = 'https://example.org/StructureDefinition/';

/** The snapshot of the last of some profiles of example.org, each `[name, base, elements]`. */
function snapshot(...profiles: readonly (readonly [string, string, readonly object[]])[]): Snapshot {
  const own = new Map<string, JsonObject>();
  for (const [name, base, element] of profiles) {
    const type = asString((own.get(base) ?? pack.get(base))?.['type']) ?? '';
    const fields = { kind: 'resource', baseDefinition: base, differential: { element } };
    own.set(example + name, profile(name, type, fields));
  }
  const last = profiles.at(-1);
  const made = createSnapshots(canonical => own.get(canonical) ?? pack.get(canonical))(example + String(last?.[0]));
  if (made === undefined) throw new Error('There is no such profile.');
  return made;
}

/** `id min..max types` of the elements whose id begins so, those below them left out where `deep` is not said. */
function outline({ elements }: Snapshot, start: string, deep = true): readonly string[] {
  return elements
    .filter(({ id }) => String(id).startsWith(start) && (deep || !String(id).slice(start.length).includes('.')))
    .map(({ id, min, max, type }) =>
      [id, `${String(min)}..${String(max)}`, ...objectsOf(type).map(({ code }) => code)].join(' '),
    );
}

const at = ({ elements }: Snapshot, id: string): JsonObject => asObject(elements.find(element => element['id'] === id));
const codes = { discriminator: [{ type: 'pattern', path: 'code' }], rules: 'open' };

describe('a slice', () => {
  const sliced = [
    { id: 'Observation.component', path: 'Observation.component', slicing: codes, min: 1 },
    { id: 'Observation.component.code', path: 'Observation.component.code', short: 'of all' },
    { id: 'Observation.component:a', path: 'Observation.component', sliceName: 'a', min: 1, max: '1' },
    { id: 'Observation.component:a.value[x]', path: 'Observation.component.value[x]', min: 1 },
    { id: 'Observation.component:b', path: 'Observation.component', sliceName: 'b' },
  ];
  const base = ['base', `${r4}Observation`, sliced] as const;

  it('has the elements of what it slices, is optional where nothing else is said, and follows it', () => {
    const made = snapshot(base);
    expect(made.problems).toEqual([]);
    expect(outline(made, 'Observation.component', false)).toEqual([
      'Observation.component 1..* BackboneElement',
      'Observation.component:a 1..1 BackboneElement',
      'Observation.component:b 0..* BackboneElement',
    ]);
    expect(outline(made, 'Observation.component:a.value')).toEqual([
      expect.stringMatching(/^Observation\.component:a\.value\[x\] 1\.\.1 Quantity CodeableConcept /),
    ]);
    expect(outline(made, 'Observation.component:b.value')[0]).toMatch(/value\[x\] 0\.\.1/);
    expect(at(made, 'Observation.component:a')).toMatchObject({ path: 'Observation.component', sliceName: 'a' });
    expect(at(made, 'Observation.component:a')).not.toHaveProperty('slicing');
    expect(at(made, 'Observation.component:a.code')['short']).toBe('of all');
  });

  it('is constrained further by its name, beside new ones', () => {
    const made = snapshot(base, [
      'next',
      `${example}base`,
      [
        { id: 'Observation.component:c', path: 'Observation.component', sliceName: 'c', max: '2' },
        { id: 'Observation.component:b', path: 'Observation.component', sliceName: 'b', max: '1' },
      ],
    ]);
    expect(outline(made, 'Observation.component', false)).toEqual([
      'Observation.component 1..* BackboneElement',
      'Observation.component:a 1..1 BackboneElement',
      'Observation.component:b 0..1 BackboneElement',
      'Observation.component:c 0..2 BackboneElement',
    ]);
    expect(at(made, 'Observation.component')['slicing']).toEqual(codes);
  });

  it('is sliced again, with what it says itself', () => {
    const further = { discriminator: [{ type: 'value', path: 'interpretation' }], rules: 'closed' };
    const made = snapshot(base, [
      'next',
      `${example}base`,
      [
        { id: 'Observation.component:a', path: 'Observation.component', sliceName: 'a', slicing: further },
        { id: 'Observation.component:a/high', path: 'Observation.component', sliceName: 'a/high', max: '1' },
        { id: 'Observation.component:a/low', path: 'Observation.component', sliceName: 'a/low', min: 1 },
      ],
    ]);
    expect(outline(made, 'Observation.component', false)).toEqual([
      'Observation.component 1..* BackboneElement',
      'Observation.component:a 1..1 BackboneElement',
      'Observation.component:a/high 0..1 BackboneElement',
      'Observation.component:a/low 1..1 BackboneElement',
      'Observation.component:b 0..* BackboneElement',
    ]);
    expect(outline(made, 'Observation.component:a/low.value')[0]).toMatch(/value\[x\] 1\.\.1/);
    expect(at(made, 'Observation.component:a')['slicing']).toEqual(further);
    expect(at(made, 'Observation.component:a/high')).not.toHaveProperty('slicing');
  });

  it('is found by path and order where ids are missing', () => {
    const made = snapshot(['base', `${r4}Observation`, sliced.map(element => ({ ...element, id: undefined }))]);
    expect(made).toEqual({ ...snapshot(base), structure: made.structure });
  });

  it('of an extension needs no slicing to be written', () => {
    const made = snapshot([
      'p',
      `${r4}Patient`,
      [
        {
          id: 'Patient.extension:race',
          path: 'Patient.extension',
          sliceName: 'race',
          max: '1',
          type: [{ code: 'Extension', profile: ['https://example.org/race'] }],
        },
      ],
    ]);
    expect(outline(made, 'Patient.extension')).toEqual([
      'Patient.extension 0..* Extension',
      'Patient.extension:race 0..1 Extension',
    ]);
    expect(at(made, 'Patient.extension')['slicing']).toMatchObject({
      discriminator: [{ type: 'value', path: 'url' }],
      rules: 'open',
    });
  });

  it('without a discriminator is the element itself', () => {
    const made = snapshot([
      'p',
      `${r4}Patient`,
      [{ id: 'Patient.name:official', path: 'Patient.name', sliceName: 'official', min: 1 }],
    ]);
    expect(outline(made, 'Patient.name')).toEqual(['Patient.name 1..* HumanName']);
  });
});

describe('a choice', () => {
  it('keeps its path where it takes one type', () => {
    const made = snapshot([
      'p',
      `${r4}Observation`,
      [{ id: 'Observation.value[x]', path: 'Observation.value[x]', type: [{ code: 'string' }] }],
    ]);
    expect(outline(made, 'Observation.value')).toEqual(['Observation.value[x] 0..1 string']);
  });

  it('that is called by a type is sliced by type, and takes no other', () => {
    const made = snapshot([
      'p',
      `${r4}Observation`,
      [
        { id: 'Observation.valueQuantity', path: 'Observation.valueQuantity', max: '1' },
        { id: 'Observation.valueQuantity.unit', path: 'Observation.valueQuantity.unit', min: 1 },
        { id: 'Observation.valueString', path: 'Observation.valueString', max: '1' },
      ],
    ]);
    expect(outline(made, 'Observation.value').filter(line => !/\.(id|extension) /.test(line))).toEqual([
      'Observation.value[x] 0..1 Quantity string',
      'Observation.value[x]:valueQuantity 0..1 Quantity',
      'Observation.value[x]:valueQuantity.value 0..1 decimal',
      'Observation.value[x]:valueQuantity.comparator 0..1 code',
      'Observation.value[x]:valueQuantity.unit 1..1 string',
      'Observation.value[x]:valueQuantity.system 0..1 uri',
      'Observation.value[x]:valueQuantity.code 0..1 code',
      'Observation.value[x]:valueString 0..1 string',
    ]);
    expect(at(made, 'Observation.value[x]')['slicing']).toMatchObject({
      discriminator: [{ type: 'type', path: '$this' }],
      rules: 'closed',
    });
  });

  it('gives a slice the rules for all values that its type can have', () => {
    const value = { id: 'Observation.value[x]', path: 'Observation.value[x]' };
    const slice = (name: string, code: string) => ({
      ...value,
      id: `${value.id}:${name}`,
      sliceName: name,
      type: [{ code }],
    });
    const binding = { strength: 'preferred', valueSet: 'https://example.org/vs' };
    const made = snapshot([
      'p',
      `${r4}Observation`,
      [
        { ...value, min: 1, binding, maxLength: 9, minValueInteger: 0 },
        slice('valueQuantity', 'Quantity'),
        slice('valueInteger', 'integer'),
        slice('text', 'string'),
      ],
    ]);
    const kept = (name: string): readonly string[] =>
      ['min', 'binding', 'maxLength', 'minValueInteger'].flatMap(key => {
        const said = at(made, `${value.id}:${name}`)[key];
        return said === undefined ? [] : [`${key} ${JSON.stringify(said)}`];
      });
    expect([kept('valueQuantity'), kept('valueInteger'), kept('text')]).toEqual([
      ['min 0', `binding ${JSON.stringify(binding)}`],
      ['min 0', 'minValueInteger 0'],
      ['min 0', `binding ${JSON.stringify(binding)}`, 'maxLength 9'],
    ]);
  });

  it('takes the others too where it is sliced openly', () => {
    const made = snapshot([
      'p',
      `${r4}Observation`,
      [
        { id: 'Observation.value[x]', path: 'Observation.value[x]', min: 1 },
        { id: 'Observation.value[x]:valueQuantity', path: 'Observation.value[x]', sliceName: 'valueQuantity' },
        { id: 'Observation.value[x]:valueQuantity.system', path: 'Observation.value[x].system', min: 1 },
      ],
    ]);
    expect(outline(made, 'Observation.value[x]', false)).toEqual([
      expect.stringMatching(/^Observation\.value\[x\] 1\.\.1 Quantity CodeableConcept string /),
      'Observation.value[x]:valueQuantity 0..1 Quantity',
    ]);
    expect(outline(made, 'Observation.value[x]:valueQuantity.system')).toEqual([
      'Observation.value[x]:valueQuantity.system 1..1 uri',
    ]);
    expect(at(made, 'Observation.value[x]')['slicing']).toMatchObject({ rules: 'open' });
  });
});

describe('an element below another', () => {
  it('is that of its data type', () => {
    const made = snapshot(['p', `${r4}Patient`, [{ id: 'Patient.name.family', path: 'Patient.name.family', min: 1 }]]);
    expect(outline(made, 'Patient.name.f')).toEqual(['Patient.name.family 1..1 string']);
    expect(outline(made, 'Patient.name.g')).toEqual(['Patient.name.given 0..* string']);
    expect(outline(made, 'Patient.contact.name')).toEqual(['Patient.contact.name 0..1 HumanName']);
  });

  it('is that of the profile of its type', () => {
    const made = snapshot(
      ['name', `${r4}HumanName`, [{ id: 'HumanName.use', path: 'HumanName.use', min: 1 }]],
      [
        'p',
        `${r4}Patient`,
        [
          { id: 'Patient.name', path: 'Patient.name', type: [{ code: 'HumanName', profile: [`${example}name`] }] },
          { id: 'Patient.name.text', path: 'Patient.name.text', max: '0' },
        ],
      ],
    );
    expect([outline(made, 'Patient.name.use'), outline(made, 'Patient.name.text')]).toEqual([
      ['Patient.name.use 1..1 code'],
      ['Patient.name.text 0..0 string'],
    ]);
  });

  it('is that of the type if its profile is not loaded, which is reported', () => {
    const made = snapshot([
      'p',
      `${r4}Patient`,
      [
        { id: 'Patient.name', path: 'Patient.name', type: [{ code: 'HumanName', profile: [`${example}none`] }] },
        { id: 'Patient.name.use', path: 'Patient.name.use', min: 1 },
      ],
    ]);
    expect(outline(made, 'Patient.name.use')).toEqual(['Patient.name.use 1..1 code']);
    expect(made.problems).toEqual([
      { element: 'Patient.name', text: `\`${example}none\`, which its type names, is not loaded.`, undecided: true },
    ]);
  });

  it('is that of the type where its profile is the one that is being made', () => {
    const name = (id: string, fields: object) => ({ id, path: id, ...fields });
    const made = snapshot([
      'meta',
      `${r4}Meta`,
      [
        name('Meta.extension', { type: [{ code: 'Meta', profile: [`${example}meta`] }] }),
        name('Meta.extension.source', { min: 1 }),
      ],
    ]);
    expect(outline(made, 'Meta.extension.source')).toEqual(['Meta.extension.source 1..1 uri']);
    expect(made.problems.map(({ text }) => text)).toEqual([
      `\`${example}meta\` refers to itself, by its bases or its type profiles.`,
    ]);
  });

  it('is that of the element that a content reference names', () => {
    const made = snapshot([
      'p',
      `${r4}Questionnaire`,
      [{ id: 'Questionnaire.item.item.item.text', path: 'Questionnaire.item.item.item.text', min: 1 }],
    ]);
    expect(made.problems).toEqual([]);
    expect(outline(made, 'Questionnaire.item.item', false)).toEqual(['Questionnaire.item.item 0..* BackboneElement']);
    expect(outline(made, 'Questionnaire.item.item.item.text')).toEqual([
      'Questionnaire.item.item.item.text 1..1 string',
    ]);
    expect(at(made, 'Questionnaire.item.item.item.item')['contentReference']).toBe('#Questionnaire.item');
    expect(at(made, 'Questionnaire.item.item')).not.toHaveProperty('contentReference');
  });

  it('is that of a content reference also in a slice that writes its type', () => {
    const part = 'Parameters.parameter.part';
    const made = snapshot([
      'p',
      `${r4}Parameters`,
      [
        { id: part, path: part, slicing: { discriminator: [{ type: 'value', path: 'name' }], rules: 'open' } },
        { id: `${part}:a`, path: part, sliceName: 'a', type: [{ code: 'BackboneElement' }] },
        { id: `${part}:a.name`, path: `${part}.name`, fixedString: 'a' },
      ],
    ]);
    expect(made.problems).toEqual([]);
    expect(at(made, `${part}:a`)).toMatchObject({ type: [{ code: 'BackboneElement' }] });
    expect(at(made, `${part}:a`)).not.toHaveProperty('contentReference');
    expect(at(made, `${part}:a.name`)).toMatchObject({ min: 1, fixedString: 'a' });
    expect(at(made, `${part}:a.part`)['contentReference']).toBe('#Parameters.parameter');
  });

  it('is what all elements have where there are several types', () => {
    const made = snapshot([
      'p',
      `${r4}Patient`,
      [{ id: 'Patient.deceased[x].extension', path: 'Patient.deceased[x].extension', max: '0' }],
    ]);
    expect(outline(made, 'Patient.deceased')).toEqual([
      'Patient.deceased[x] 0..1 boolean dateTime',
      expect.stringMatching(/^Patient\.deceased\[x\]\.id 0\.\.1 /),
      'Patient.deceased[x].extension 0..0 Extension',
    ]);
  });
});

describe('what a differential says', () => {
  const constraint = (key: string, expression: string) => ({ key, severity: 'error', human: key, expression });

  it.each<[string, object, object, object]>([
    ['never widens a minimum', { min: 1 }, { min: 0 }, { min: 1 }],
    ['never widens a maximum', { max: '2' }, { max: '*' }, { max: '2' }],
    ['narrows a maximum', { max: '2' }, { max: '0' }, { max: '0' }],
    ['leaves must-support', { mustSupport: true }, { mustSupport: false }, { mustSupport: true }],
    [
      'adds invariants, those of one key once',
      { constraint: [constraint('a', 'old'), constraint('b', 'kept')] },
      { constraint: [constraint('a', 'new'), constraint('c', 'added')] },
      { constraint: [constraint('a', 'new'), constraint('b', 'kept'), constraint('c', 'added')] },
    ],
    [
      'keeps the parts of a binding that are not repeated',
      { binding: { strength: 'preferred', valueSet: 'https://example.org/vs' } },
      { binding: { strength: 'required' } },
      { binding: { strength: 'required', valueSet: 'https://example.org/vs' } },
    ],
    [
      'adds discriminators and keeps a closed slicing closed',
      { slicing: { discriminator: [{ type: 'value', path: 'use' }], rules: 'closed' } },
      { slicing: { discriminator: [{ type: 'value', path: 'system' }], rules: 'open' } },
      {
        slicing: {
          discriminator: [
            { type: 'value', path: 'use' },
            { type: 'value', path: 'system' },
          ],
          rules: 'closed',
        },
      },
    ],
    [
      'keeps a pattern beside a fixed value',
      { patternIdentifier: { use: 'usual' } },
      { fixedIdentifier: { use: 'usual', value: 'x' } },
      { patternIdentifier: { use: 'usual' }, fixedIdentifier: { use: 'usual', value: 'x' } },
    ],
  ])('%s', (_rule, first, second, merged) => {
    const element = { id: 'Patient.identifier', path: 'Patient.identifier' };
    const made = snapshot(
      ['base', `${r4}Patient`, [{ ...element, ...first }]],
      ['p', `${example}base`, [{ ...element, ...second }]],
    );
    expect(at(made, 'Patient.identifier')).toMatchObject(merged);
  });

  it('keeps no maximum of a ValueSet that it replaces, as in published snapshots', () => {
    const language = { id: 'Patient.communication.language', path: 'Patient.communication.language' };
    const binding = { strength: 'extensible', valueSet: 'https://example.org/languages' };
    const made = snapshot(['p', `${r4}Patient`, [{ ...language, binding }]]);
    expect(at(made, language.id)['binding']).toEqual(binding);
  });

  it('of no element of the base is reported and left out', () => {
    const made = snapshot(['p', `${r4}Patient`, [{ id: 'Patient.nmae', path: 'Patient.nmae', min: 1 }]]);
    expect(made.problems).toEqual([
      { element: 'Patient.nmae', text: 'The base has no such element, so this was left out.' },
    ]);
    expect(made.elements).toHaveLength(objectsOf(asObject(pack.get(`${r4}Patient`)?.['snapshot'])['element']).length);
  });
});
