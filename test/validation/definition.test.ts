// https://hl7.org/fhir/R4/profiling.html: mistakes in profiles, in the profile's own file.
import { describe, expect, it } from 'vitest';
import { loadModel } from '../support/loaded-once.ts';
import { checkProfile } from '../../src/validation/definition/check-profile.ts';
import { fhirPackage, loadOnly, loadWith, ours, profile, statement } from '../support/definition-files.ts';

const r4 = 'http://hl7.org/fhir/StructureDefinition/';
const example = 'https://example.org/StructureDefinition/';

/** Loads profiles that types name, each in a file of its own; what is reported of each, and whether the start stops. */
async function loadAll(profiles: readonly { readonly type: string; readonly fields: object }[]) {
  const urlOf = (at: number): string => `https://example.org/StructureDefinition/p${at}`;
  const resources = [...new Set(profiles.map(({ type }) => type))].map(type => ({
    type,
    extension: [ours('smart-scope', { valueString: `system/${type}.r` })],
    supportedProfile: profiles.flatMap((one, at) => (one.type === type ? [urlOf(at)] : [])),
    interaction: [{ code: 'read' }],
  }));
  const files = profiles.map(
    ({ type, fields }, at) => [`profiles/p${at}.json`, profile(`p${at}`, type, fields)] as const,
  );
  const { problems, warnings, model } = await loadOnly(statement(resources), Object.fromEntries(files));
  const fileOf = (at: number): string => `beside/profiles/p${at}.json`;
  const known = new Set(profiles.map((_, at) => fileOf(at)));
  return {
    model,
    elsewhere: problems.filter(({ file }) => !known.has(file)),
    problemsOf: (at: number) =>
      problems.filter(({ file }) => file === fileOf(at)).map(({ path, text }) => [path, text]),
    warningsOf: (at: number) =>
      warnings.filter(line => line.startsWith(`${fileOf(at)} `)).map(line => line.slice(fileOf(at).length + 1)),
  };
}

const loadRows = (
  rows: readonly (readonly [title: string, type: string, elements: readonly object[], ...unknown[]])[],
) => loadAll(rows.map(([, type, elements]) => ({ type, fields: { differential: { element: elements } } })));

/** Made by the first test that asks, which also removes its files. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}

const element = (id: string, fields: object = {}) => {
  const path = id.replace(/:[^.]*/g, '');
  const slice = /:([^.:]*)$/.exec(id)?.[1];
  return { id, path, ...(slice === undefined ? {} : { sliceName: slice }), ...fields };
};
const constraintOf = (expression: string) => ({ key: 'x-1', severity: 'error', human: 'As it must be', expression });
const constraint = (expression: string) => ({ constraint: [constraintOf(expression)] });
const discriminator = (path: string, type = 'value') => ({
  slicing: { discriminator: [{ type, path }], rules: 'open' },
});
const reference = (...targetProfile: string[]) => ({ type: [{ code: 'Reference', targetProfile }] });

type Row = readonly [title: string, type: string, elements: readonly object[], path: string, text: unknown];

const mistakes: readonly Row[] = [
  [
    'an unknown function',
    'Patient',
    [element('Patient.name', constraint('family.exist()'))],
    'differential.element[0].constraint[0].expression',
    '`Patient.name`: The constraint `x-1`: There is no function `exist()`. Did you mean `exists`?',
  ],
  [
    'an unknown variable',
    'Patient',
    [element('Patient', constraint('%resourc.name.exists()'))],
    'differential.element[0].constraint[0].expression',
    '`Patient`: The constraint `x-1`: There is no variable `%resourc`. Did you mean `%resource`?',
  ],
  [
    'a %resource of another type on `contained`',
    'Observation',
    [element('Observation.contained', constraint('%resource.gender.exists()'))],
    'differential.element[0].constraint[0].expression',
    expect.stringContaining('`gender`'),
  ],
  [
    'an unknown type',
    'Observation',
    [element('Observation.value[x]', constraint('$this is Quantty'))],
    'differential.element[0].constraint[0].expression',
    '`Observation.value[x]`: The constraint `x-1`: There is no type `Quantty`. Did you mean `Quantity`?',
  ],
  [
    'what is no FHIRPath',
    'Patient',
    [element('Patient', constraint('name.exists('))],
    'differential.element[0].constraint[0].expression',
    '`Patient`: The constraint `x-1`: The expression ends where an element, a function or a value ' +
      'was expected (character 13 of `name.exists(`).',
  ],
  [
    'a misspelt element in a constraint',
    'Patient',
    [element('Patient', constraint('name.where(famly.exists()).exists()'))],
    'differential.element[0].constraint[0].expression',
    '`Patient`: The constraint `x-1`: There is no element `famly` in HumanName. Did you mean `family`?',
  ],
  [
    'a misspelt element of the resource',
    'Patient',
    [element('Patient.name', constraint('%resource.nmae.exists()'))],
    'differential.element[0].constraint[0].expression',
    '`Patient.name`: The constraint `x-1`: There is no element `nmae` in Patient. Did you mean `name`?',
  ],
  [
    'a misspelt element in a path',
    'Patient',
    [element('Patient.nmae', { min: 1 })],
    'differential.element[0].path',
    '`Patient.nmae`: There is no element `nmae` in Patient. Did you mean `name`?',
  ],
  [
    'a misspelt element of a primitive',
    'Patient',
    [element('Patient', constraint('birthDate.extnsion.exists()'))],
    'differential.element[0].constraint[0].expression',
    '`Patient`: The constraint `x-1`: There is no element `extnsion` in date. Did you mean `extension`?',
  ],
  [
    'a misspelt element further down',
    'Patient',
    [element('Patient.contact.nam.family', { min: 1 })],
    'differential.element[0].path',
    '`Patient.contact.nam.family`: There is no element `nam` in Patient.contact. Did you mean `name`?',
  ],
  [
    'elements of another type',
    'Patient',
    [element('Observation.status', { min: 1 })],
    'differential.element[0].path',
    '`Observation.status`: The profile is of Patient.',
  ],
  [
    'a discriminator that leads nowhere',
    'Patient',
    [element('Patient.identifier', discriminator('systm'))],
    'differential.element[0].slicing.discriminator[0].path',
    '`Patient.identifier`: The discriminator: There is no element `systm` in Identifier. Did you mean `system`?',
  ],
  [
    'a discriminator that calls more than it may',
    'Patient',
    [element('Patient.name', discriminator('given.first()'))],
    'differential.element[0].slicing.discriminator[0].path',
    '`Patient.name`: The discriminator `given.first()` calls `first()`; it may call `extension()`, ' +
      '`ofType()` and `resolve()` alone.',
  ],
  [
    'a slice without slicing',
    'Patient',
    [element('Patient.identifier:mrn', { min: 1 })],
    'differential.element[0].sliceName',
    '`Patient.identifier:mrn`: `Patient.identifier` has no `slicing`, so items cannot be matched to ' +
      'the slice `mrn`; give `Patient.identifier` a `slicing` with a `discriminator`.',
  ],
  [
    'a slice named by its id alone',
    'Patient',
    [{ id: 'Patient.identifier:mrn', path: 'Patient.identifier', min: 1 }],
    'differential.element[0].sliceName',
    '`Patient.identifier:mrn`: The id names the slice `mrn`, and `sliceName` is missing, so this would apply to all ' +
      'of `Patient.identifier`; write `"sliceName": "mrn"`.',
  ],
  [
    'a reference that the base does not take',
    'Observation',
    [element('Observation.subject', reference('http://hl7.org/fhir/StructureDefinition/Practitioner'))],
    'differential.element[0].type[0].targetProfile[0]',
    '`Observation.subject`: The base takes no reference to Practitioner here; it takes `Patient`, `Group`, ' +
      '`Device`, `Location`.',
  ],
  [
    'an element of a slice that no element defines',
    'Patient',
    [element('Patient.identifier:mrn.system', { min: 1 })],
    'differential.element[0].id',
    '`Patient.identifier:mrn.system`: The id names the slice `mrn` of `Patient.identifier`, which no element ' +
      'defines, so this would apply to all of them; add the element `Patient.identifier:mrn` with its ' +
      '`sliceName`, and a `slicing` with a `discriminator` to `Patient.identifier`.',
  ],
  [
    'an element that is written twice',
    'Patient',
    [element('Patient.name', { min: 1 }), element('Patient.name', { max: '1' })],
    'differential.element[1].id',
    '`Patient.name`: Another element, differential.element[0], has this id; write what both require in one.',
  ],
  [
    'two constraints with one key',
    'Patient',
    [element('Patient', { constraint: ['name.exists()', 'gender.exists()'].map(constraintOf) })],
    'differential.element[0].constraint[1].key',
    '`Patient`: Another constraint of the element has the key `x-1`; give each its own.',
  ],
  [
    'a misspelt severity of a constraint',
    'Patient',
    [element('Patient', { constraint: [{ key: 'x-1', severity: 'eror', human: 'x', expression: 'true' }] })],
    'differential.element[0].constraint[0].severity',
    '`eror` is not a code of `ElementDefinition.constraint.severity`. Did you mean `error`? Write one of `error`, ' +
      '`warning`.',
  ],
  [
    'a misspelt strength of a binding',
    'Patient',
    [element('Patient.gender', { binding: { strength: 'requird', valueSet: `${r4}x` } })],
    'differential.element[0].binding.strength',
    expect.stringMatching(/^`requird` is not a code of `ElementDefinition.binding.strength`. Did you mean `required`/),
  ],
  [
    'misspelt rules of a slicing',
    'Patient',
    [element('Patient.name', { slicing: { discriminator: [{ type: 'value', path: 'use' }], rules: 'close' } })],
    'differential.element[0].slicing.rules',
    expect.stringMatching(/^`close` is not a code of `ElementDefinition.slicing.rules`. Did you mean `closed`/),
  ],
  [
    'a misspelt type of a discriminator',
    'Patient',
    [element('Patient.name', discriminator('use', 'valeu'))],
    'differential.element[0].slicing.discriminator[0].type',
    expect.stringMatching(/^`valeu` is not a code of `ElementDefinition.slicing.discriminator.type`./),
  ],
  [
    'slices without slicing',
    'Patient',
    [element('Patient.name', {}), element('Patient.name:a'), element('Patient.name:b')],
    'differential.element[1].sliceName',
    expect.stringContaining('matched to the slice `a`'),
  ],
  [
    'a minimum above the maximum',
    'Patient',
    [element('Patient.name', { min: 3, max: '2' })],
    'differential.element[0].min',
    '`Patient.name`: `min` 3 is above `max` 2: no record could meet this.',
  ],
  [
    'a minimum above the maximum of the base',
    'Patient',
    [element('Patient.gender', { min: 2 })],
    'differential.element[0].min',
    '`Patient.gender`: `min` 2 is above `max` 1: no record could meet this.',
  ],
  [
    'a maximum below the minimum of the base',
    'Observation',
    [element('Observation.code', { max: '0' })],
    'differential.element[0].max',
    '`Observation.code`: `min` 1 is above `max` 0: no record could meet this.',
  ],
  [
    'a maximum that is no number',
    'Patient',
    [element('Patient.name', { max: 'many' })],
    'differential.element[0].max',
    '`Patient.name`: `max` is `many`; write a whole number or `*`.',
  ],
  [
    'a fixed value of another type',
    'Observation',
    [element('Observation.status', { fixedString: 'final' })],
    'differential.element[0].fixedString',
    '`Observation.status`: `fixedString` does not fit its type; write `fixedCode`.',
  ],
  [
    'a pattern of another type',
    'Observation',
    [element('Observation.code', { patternCoding: { code: 'x' } })],
    'differential.element[0].patternCoding',
    '`Observation.code`: `patternCoding` does not fit its type; write `patternCodeableConcept`.',
  ],
  [
    'a fixed value of a type that is taken away',
    'Observation',
    [element('Observation.value[x]', { type: [{ code: 'Quantity' }], fixedString: 'x' })],
    'differential.element[0].fixedString',
    '`Observation.value[x]`: `fixedString` does not fit its type; write `fixedQuantity`.',
  ],
  [
    'a target that does not exist',
    'Observation',
    [element('Observation.subject', reference(`${r4}Pateint`))],
    'differential.element[0].type[0].targetProfile[0]',
    `\`Observation.subject\`: The target \`${r4}Pateint\` is not loaded. Did you mean \`Patient\`?`,
  ],
  [
    'a type that does not exist',
    'Observation',
    [element('Observation.value[x]', { type: [{ code: 'Quantty' }] })],
    'differential.element[0].type[0].code',
    '`Observation.value[x]`: There is no type `Quantty`. Did you mean `Quantity`?',
  ],
  [
    'a type that the base does not have',
    'Observation',
    [element('Observation.code', { type: [{ code: 'Coding' }] })],
    'differential.element[0].type[0].code',
    '`Observation.code`: The base takes no `Coding` here; it takes `CodeableConcept`.',
  ],
];

describe('a mistake in a profile stops the start, with the file of the profile and the id of the element', () => {
  const loaded = once(() => loadRows(mistakes));
  it.each(mistakes.map((row, at) => [row[0], at] as const))('%s', async (_title, at) => {
    const [path, text] = (mistakes[at] ?? []).slice(3);
    expect((await loaded()).problemsOf(at)[0]).toEqual([path, text]);
  });

  it('and nothing else is reported', async () => {
    const { elsewhere, model } = await loaded();
    expect([elsewhere, model]).toEqual([[], undefined]);
  });

  const heads: readonly (readonly [string, object, path: string, text: string])[] = [
    ['no type', { type: undefined }, 'type', expect.stringContaining('`type`')],
    [
      'a type that does not exist',
      { type: 'Pateint' },
      'type',
      'There is no type `Pateint` in FHIR R4. Did you mean `Patient`?',
    ],
    [
      'no base',
      { baseDefinition: undefined },
      'baseDefinition',
      `The profile has no \`baseDefinition\`; write \`${r4}Patient\`, or the profile that it narrows.`,
    ],
    [
      'a base of another type',
      { baseDefinition: `${r4}Group` },
      'type',
      `The profile is of Patient, its base \`${r4}Group\` of Group; they must be of one type.`,
    ],
  ];
  const loadedHeads = once(() =>
    loadAll(
      heads.map(([, fields]) => ({
        type: 'Patient',
        fields: { differential: { element: [element('Patient')] }, ...fields },
      })),
    ),
  );
  it.each(heads.map((row, at) => [row[0], at] as const))('%s', async (_title, at) => {
    const { problemsOf, elsewhere } = await loadedHeads();
    expect(problemsOf(at)[0]).toEqual(heads[at]?.slice(2));
    expect(elsewhere).toEqual([]);
  });
});

describe('what cannot be decided here is a warning', () => {
  const rows: readonly Row[] = [
    [
      'a required ValueSet that is not loaded',
      'Patient',
      [
        element('Patient.maritalStatus', {
          binding: { strength: 'required', valueSet: 'https://example.org/ValueSet/vs' },
        }),
      ],
      'differential.element[0].binding.valueSet',
      '`Patient.maritalStatus`: The required ValueSet `https://example.org/ValueSet/vs` is not loaded; ' +
        'only a terminology server can decide its codes.',
    ],
    [
      'a misspelt ValueSet',
      'Patient',
      [
        element('Patient.maritalStatus', {
          binding: { strength: 'required', valueSet: 'http://hl7.org/fhir/ValueSet/marital-stauts' },
        }),
      ],
      'differential.element[0].binding.valueSet',
      '`Patient.maritalStatus`: The required ValueSet `http://hl7.org/fhir/ValueSet/marital-stauts` is ' +
        'not loaded; only a terminology server can decide its codes. Did you mean `marital-status`?',
    ],
    [
      'a target of elsewhere',
      'Observation',
      [element('Observation.subject', reference('https://example.org/patient'))],
      'differential.element[0].type[0].targetProfile[0]',
      '`Observation.subject`: The target `https://example.org/patient` is not loaded.',
    ],
    [
      'a function that nothing evaluates',
      'Patient',
      [element('Patient', constraint('name.elementDefinition().exists()'))],
      'differential.element[0].constraint[0].expression',
      '`Patient`: The constraint `x-1`: Neither this server nor fhirpath.js evaluates `elementDefinition()`.',
    ],
  ];
  const loaded = once(() => loadRows(rows));
  it.each(rows.map((row, at) => [row[0], at] as const))('%s', async (_title, at) => {
    const { problemsOf, warningsOf, model } = await loaded();
    const [path = '', text] = (rows[at] ?? []).slice(3).map(String);
    expect(problemsOf(at)).toEqual([]);
    expect(warningsOf(at)).toEqual([`${path}: ${text}`]);
    expect(model).toBeDefined();
  });
});

describe('a mistake in a package', () => {
  const packaged = (fields: object) => {
    const resource = profile('p', 'Group', fields);
    const manifest = { name: 'example.guide', version: '1.0.0', fhirVersions: ['4.0.1'] };
    const group = {
      type: 'Group',
      extension: [ours('smart-scope', { valueString: 'system/Group.r' })],
      supportedProfile: ['https://example.org/StructureDefinition/p'],
      interaction: [{ code: 'read' }],
    };
    return loadOnly(statement([group]), {
      'profiles/guide.tgz': fhirPackage(manifest, { 'StructureDefinition-p.json': resource }),
    });
  };
  const file = 'beside/profiles/guide.tgz/package/StructureDefinition-p.json';

  it('is a warning', async () => {
    const { problems, warnings, model } = await packaged({
      differential: { element: [element('Group.nmae'), element('Group.code', constraint('codin.exists()'))] },
    });
    expect([problems, model === undefined]).toEqual([[], false]);
    expect(warnings).toEqual([
      `${file} differential.element[0].path: \`Group.nmae\`: There is no element \`nmae\` in Group. ` +
        'Did you mean `name`?',
      `${file} differential.element[1].constraint[0].expression: \`Group.code\`: The constraint ` +
        '`x-1`: There is no element `codin` in CodeableConcept. Did you mean `coding`?',
    ]);
  });

  it('stops the start where nothing of the profile can be checked', async () => {
    const { problems } = await packaged({
      baseDefinition: 'https://example.org/none',
      differential: { element: [element('Group')] },
    });
    expect(problems.map(one => [one.file, one.path])).toEqual([[file, 'baseDefinition']]);
  });
});

describe('an extension', () => {
  const load = async (fields: object) => {
    const { problems, warnings } = await loadWith({
      'profiles/p.json': profile('p', 'Extension', { kind: 'complex-type', ...fields }),
    });
    return [...problems.map(({ path, text }) => `${path}: ${text}`), ...warnings];
  };
  const context = (expression: string) => ({ context: [{ type: 'element', expression }] });
  const fixed = (fixedUri: string) => ({ differential: { element: [element('Extension.url', { fixedUri })] } });

  it.each<[title: string, fields: object, reported: readonly string[]]>([
    ['with its own url and a context of R4 is valid', { ...fixed(`${example}p`), ...context('Patient.name') }, []],
    ['for an element of a choice is valid', context('Observation.value[x]'), []],
    ['for a group of types of a later release is valid', context('CanonicalResource'), []],
    [
      'with another url stops the start',
      fixed(`${example}q`),
      [
        `differential.element[0].fixedUri: The url of the extension is fixed to \`${example}q\`; write its own, ` +
          `\`${example}p\`.`,
      ],
    ],
    [
      'with a misspelt type as context is a warning',
      context('Patiant'),
      [
        'profiles/p.json context[0].expression: There is no type `Patiant`. Did you mean `Patient`? The extension is ' +
          'allowed only where a context is.',
      ],
    ],
    [
      'with a misspelt element as context is a warning',
      context('Patient.nmae'),
      [
        'profiles/p.json context[0].expression: There is no element `nmae` in Patient. Did you mean `name`? The ' +
          'extension is allowed only where a context is.',
      ],
    ],
  ])('%s', async (_title, fields, reported) => {
    expect(await load(fields)).toEqual(reported);
  });

  it('that is a profile of another extension has the url of that', async () => {
    const { problems } = await loadWith({
      'profiles/p.json': profile('p', 'Extension', { kind: 'complex-type', ...fixed(`${example}p`) }),
      'profiles/q.json': profile('q', 'Extension', {
        kind: 'complex-type',
        baseDefinition: `${example}p`,
        ...fixed(`${example}p`),
      }),
    });
    expect(problems).toEqual([]);
  });
});

describe('what is right is let be', () => {
  const rows: readonly (readonly [title: string, type: string, elements: readonly object[]])[] = [
    [
      'names of choices',
      'Observation',
      [
        element('Observation.valueQuantity', { min: 1 }),
        { id: 'Observation.component.value[x]:valueRange', path: 'Observation.component.valueRange', min: 1 },
        element(
          'Observation.value[x]',
          constraint('$this is Quantity implies (code.exists() or %resource.valueQuantity.empty())'),
        ),
      ],
    ],
    [
      'elements of one of several types',
      'Observation',
      [
        element(
          'Observation',
          constraint(
            'value.coding.exists() or (value as Quantity).unit.exists() or value.ofType(Period).start.empty()',
          ),
        ),
      ],
    ],
    [
      'what is found again and again',
      'QuestionnaireResponse',
      [
        element(
          'QuestionnaireResponse',
          constraint('repeat(item | answer).linkId.exists() and descendants().anything.empty()'),
        ),
      ],
    ],
    [
      'what a reference leads to',
      'Observation',
      [element('Observation', constraint('subject.resolve().anything.empty()'))],
    ],
    [
      'what is contained',
      'Patient',
      [element('Patient', constraint('contained.code.empty() and contained.where($this is Group).member.empty()'))],
    ],
    [
      'extensions of primitives',
      'Patient',
      [element('Patient.birthDate', constraint("extension('x').value.exists() or $this.hasValue()"))],
    ],
    [
      'content that is referred to',
      'Observation',
      [element('Observation.component', constraint('referenceRange.low.value > 0'))],
    ],
    [
      'constants and value sets',
      'Patient',
      [
        element(
          'Patient',
          constraint(
            "%sct.exists() and %`vs-name`.exists() and %'ext-name'.exists() and " +
              '%rootResource.anything.empty() and %context.name.exists()',
          ),
        ),
      ],
    ],
    [
      'outer values as arguments',
      'Patient',
      [
        element(
          'Patient.name',
          constraint(
            "given.first().startsWith(family.substring(0, 1)) or iif(use = 'old', period.exists(), text.exists())",
          ),
        ),
      ],
    ],
    [
      'discriminators by type, profile and what is referred to',
      'Composition',
      [
        element('Composition.section', discriminator('entry.resolve()', 'profile')),
        element('Composition.author', discriminator('resolve().anything', 'value')),
        element('Composition.extension', discriminator('url')),
      ],
    ],
    [
      'discriminators through extensions and types',
      'Observation',
      [element('Observation.component', discriminator("value.ofType(CodeableConcept).coding.extension('x').value"))],
    ],
    [
      'patterns of derived types',
      'Observation',
      [element('Observation.referenceRange.low', { patternQuantity: { unit: 'mg' } })],
    ],
    [
      'targets that are profiles of R4',
      'Observation',
      [element('Observation.hasMember', reference(`${r4}vitalsigns`))],
    ],
  ];
  const loaded = once(() => loadRows(rows));
  it.each(rows.map((row, at) => [row[0], at] as const))('%s', async (_title, at) => {
    const { problemsOf, warningsOf } = await loaded();
    expect([problemsOf(at), warningsOf(at)]).toEqual([[], []]);
  });

  it('each profile of R4, but for one that is wrong', async () => {
    const { definitions, model } = await loadModel({ definitions: [] });
    if (model === undefined) throw new Error('The shipped definitions do not load');
    const loaded = {
      types: model.definitions,
      snapshots: (canonical: string) => model.snapshot(canonical),
      has: (resourceType: string, canonical: string) => definitions.find(resourceType, canonical) !== undefined,
      urls: (resourceType: string) => definitions.all(resourceType).map(({ url: one }) => one),
    };
    const structures = definitions.all('StructureDefinition').map(one => one.resource());
    const found = structures.flatMap(structure =>
      checkProfile({ ...structure, derivation: 'constraint' }, String(structure['url']), loaded)
        .filter(({ undecided }) => !undecided)
        .map(({ path, text }) => [String(structure['url']).slice(r4.length), path, text]),
    );
    expect(structures.length).toBeGreaterThan(600);
    const inv1 = 'snapshot.element[0].constraint[2].expression';
    expect(found.filter(([, path]) => path !== 'baseDefinition' && path !== 'type')).toEqual([
      [
        'ChargeItemDefinition',
        'snapshot.element[0].constraint[0].expression',
        '`ChargeItemDefinition`: The constraint `cid-0`: There is no element `name` in ChargeItemDefinition.',
      ],
      ['allergyintolerance-substanceExposureRisk', inv1, expect.stringContaining('`substanceExposureRisk`')],
      ['allergyintolerance-substanceExposureRisk', inv1, expect.stringContaining('`code`')],
    ]);
  });
});
