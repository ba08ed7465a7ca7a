// What an operator does who has the published CA Core+ package: drop it into profiles/, and nothing else.
import { describe, expect, it } from 'vitest';
import { asObject, objectsOf } from '../../src/fhir/json-object.ts';
import { loadModel } from '../../src/engine/definitions/load-model.ts';
import type { TypeDefinitions } from '../../src/model/element.ts';
import type { Model } from '../../src/model/model.ts';
import { createValidator } from '../../src/validation/profile/validator.ts';
import { fhirPackage, folderWith, loadWith, profile } from '../support/definition-files.ts';
import { join } from 'node:path';

const base = 'http://fhir.infoway-inforoute.ca/cacore/StructureDefinition/';
const named = [
  'patient',
  'observation',
  'appointment',
  'condition',
  'medicationrequest',
  'familymemberhistory',
  'encounter',
];
const types = [
  'Patient',
  'Observation',
  'Appointment',
  'Condition',
  'MedicationRequest',
  'FamilyMemberHistory',
  'Encounter',
];

const slicing = { discriminator: [{ type: 'value', path: 'url' }], rules: 'open' };
const differentials: Readonly<Record<string, readonly object[]>> = {
  Patient: [
    { id: 'Patient.extension', path: 'Patient.extension', slicing },
    {
      id: 'Patient.extension:racializedGroup',
      path: 'Patient.extension',
      sliceName: 'racializedGroup',
      min: 0,
      max: '*',
      type: [{ code: 'Extension', profile: [`${base}racialized-group-ca-core`] }],
    },
    { id: 'Patient.identifier.type', path: 'Patient.identifier.type', min: 1, mustSupport: true },
    { id: 'Patient.name.use', path: 'Patient.name.use', min: 1 },
  ],
  Encounter: [
    { id: 'Encounter.type', path: 'Encounter.type', min: 1 },
    {
      id: 'Encounter.subject',
      path: 'Encounter.subject',
      min: 1,
      type: [{ code: 'Reference', targetProfile: [`${base}patient-ca-core`] }],
    },
  ],
};

/**
 * A package of the shape of the published one: profiles without snapshots, an extension, a value set, examples beside.
 */
function caCore(version: string): Buffer {
  const profiles = types.map((type, at) => {
    const id = `${named[at]}-ca-core`;
    const element = [{ id: type, path: type }, ...(differentials[type] ?? [])];
    return [
      `StructureDefinition-${id}.json`,
      profile('x', type, { id, url: base + id, version, title: 'Published', differential: { element } }),
    ] as const;
  });
  const extension = {
    ...profile('x', 'Extension', { url: `${base}racialized-group-ca-core`, version, kind: 'complex-type' }),
    context: [{ type: 'element', expression: 'Patient' }],
    differential: {
      element: [
        { id: 'Extension', path: 'Extension' },
        { id: 'Extension.url', path: 'Extension.url', fixedUri: `${base}racialized-group-ca-core` },
        {
          id: 'Extension.value[x]',
          path: 'Extension.value[x]',
          type: [{ code: 'CodeableConcept' }],
          binding: {
            strength: 'extensible',
            valueSet: 'https://fhir.infoway-inforoute.ca/ValueSet/racializedgroupcode',
          },
        },
      ],
    },
  };
  const valueSet = {
    resourceType: 'ValueSet',
    url: 'https://fhir.infoway-inforoute.ca/ValueSet/racializedgroupcode',
    status: 'active',
    compose: { include: [{ system: 'http://snomed.info/sct' }] },
  };
  const manifest = {
    name: 'ca.infoway.io.core',
    version: '1.1.0-dft-preballot',
    fhirVersions: ['4.0.1'],
    dependencies: { 'hl7.fhir.r4.core': '4.0.1' },
  };
  return fhirPackage(manifest, {
    '.index.json': { 'index-version': 1, files: [] },
    ...Object.fromEntries(profiles),
    'StructureDefinition-racialized-group-ca-core.json': extension,
    'ValueSet-racializedgroupcode.json': valueSet,
    'examples/Patient-example.json': { resourceType: 'Patient', id: 'example' },
  });
}

function baseTypesOf(model: Model | undefined): TypeDefinitions {
  if (model === undefined) throw new Error('The definitions do not load.');
  return model.definitions;
}

const documentation = (model: Model | undefined): string =>
  objectsOf(objectsOf(model?.statement['rest'])[0]?.['resource'])
    .map(resource => String(resource['documentation']))
    .join('\n');

const minimum = (model: Model | undefined, canonical: string, id: string): unknown =>
  asObject(model?.snapshot(canonical)?.elements.find(element => element['id'] === id))['min'];

describe('the published CA Core+ package', () => {
  it('takes the place of the profiles that are written here, with nothing else to do', async () => {
    const { model, problems, warnings, notices } = await loadWith({
      'profiles/ca.infoway.io.core.tgz': caCore('1.1.0'),
    });
    expect([problems, warnings]).toEqual([[], []]);
    expect(notices.toSorted()).toEqual(
      named
        .map(
          id =>
            `profiles/ca.infoway.io.core.tgz/package/StructureDefinition-${id}-ca-core.json replaces ` +
            `${base}${id}-ca-core|1.1.0 of profiles/${id}-ca-core.json.`,
        )
        .toSorted(),
    );
    for (const canonical of [`${base}patient-ca-core`, `${base}patient-ca-core|1.1.0`]) {
      expect(model?.snapshot(canonical)?.structure['title']).toBe('Published');
      expect([
        minimum(model, canonical, 'Patient.identifier.type'),
        minimum(model, canonical, 'Patient.name.use'),
        minimum(model, canonical, 'Patient.identifier.system'),
      ]).toEqual([1, 1, 0]);
    }
    expect(model?.snapshot(`${base}patient-ca-core`)?.problems).toEqual([]);
    expect(minimum(model, `${base}encounter-ca-core|1.1.0`, 'Encounter.subject')).toBe(1);
    expect(documentation(model)).not.toContain('not the published one');
  });

  it('is what records are held against, in place of those', async () => {
    const errorsWith = async (files: Readonly<Record<string, unknown>>): Promise<readonly string[]> => {
      const { model, definitions } = await loadWith(files);
      const validator = createValidator(definitions, baseTypesOf(model));
      const resource = { resourceType: 'Patient', identifier: [{ value: '1' }], name: [{ family: 'A' }] };
      const issues = validator.validate(resource, { profiles: [`${base}patient-ca-core`] });
      return issues.filter(({ severity }) => severity === 'error').map(({ expression = '' }) => expression);
    };
    // The published one does not ask for the system of an identifier, and asks for its type and the use of a name.
    expect(await errorsWith({ 'profiles/none.txt': '' })).toContain('Patient.identifier[0].system');
    expect(await errorsWith({ 'profiles/ca.tgz': caCore('1.1.0') })).toEqual([
      'Patient.identifier[0].type',
      'Patient.name[0].use',
    ]);
  });

  it('may be named itself', async () => {
    const folder = folderWith({ 'ca.infoway.io.core.tgz': caCore('1.1.0') });
    const { model, problems } = await loadModel({ definitions: [join(folder, 'ca.infoway.io.core.tgz')] });
    expect(problems).toEqual([]);
    expect(model?.snapshot(`${base}patient-ca-core|1.1.0`)?.structure['title']).toBe('Published');
  });

  it('of another version is what a canonical without version means, beside those of 1.1.0', async () => {
    const { model, problems } = await loadWith({ 'profiles/ca.tgz': caCore('1.1.0-dft-preballot') });
    expect(problems).toEqual([]);
    const title = (canonical: string): unknown => model?.snapshot(base + canonical)?.structure['title'];
    expect([title('condition-ca-core'), title('patient-ca-core|1.1.0')]).toEqual([
      'Published',
      'Patient (CA Core+, as far as known)',
    ]);
    expect(documentation(model).match(/is not the published one/g)).toHaveLength(3);
  });

  it('is missed while it is not here, in what the service says of itself', async () => {
    const { model } = await loadModel({ definitions: [] });
    expect(documentation(model).match(/is not the published one/g)).toHaveLength(named.length);
    const elements = named.flatMap(id => model?.snapshot(`${base}${id}-ca-core`)?.problems);
    expect(elements).toEqual([]);
    expect(minimum(model, `${base}patient-ca-core`, 'Patient.identifier.system')).toBe(1);
  });
});
