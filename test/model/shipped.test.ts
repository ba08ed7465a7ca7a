import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { asObject, asString, objectsOf } from '../../src/fhir/json-object.ts';
import type { JsonObject } from '../../src/fhir/json-object.ts';
import { loadModel } from '../../src/engine/definitions/load-model.ts';
import type { LoadedModel } from '../../src/engine/definitions/load-model.ts';
import { extensionBase, extensionShapes } from '../../src/model/extension-shapes.ts';
import type { Model, ResourceType } from '../../src/model/model.ts';

// The interface that the shipped files declare: eight types, as the specification of the service lists them.

const root = join(import.meta.dirname, '../..');
let loaded: LoadedModel;
let model: Model;
const type = (name: string): ResourceType => {
  const found = model.types.get(name);
  if (found === undefined) throw new Error(name);
  return found;
};

beforeAll(async () => {
  loaded = await loadModel({ definitions: [] });
  if (loaded.model === undefined) throw new Error(JSON.stringify(loaded.problems));
  model = loaded.model;
});

const ca = 'http://fhir.infoway-inforoute.ca/cacore/StructureDefinition/';
const common = ['_id token', '_lastUpdated date'];

describe('the shipped interface', () => {
  it('loads without a word', () => {
    expect([loaded.problems, loaded.warnings, loaded.notices]).toEqual([[], [], []]);
    expect(model.systemInteractions.size).toBe(0);
  });

  it.each<[string, string[], string, string, string | undefined, string[], string[]]>([
    [
      'Patient',
      [
        'identifier token',
        'name string',
        'family string',
        'given string',
        'birthdate date',
        'gender token',
        'phone token',
        'email token',
        'active token',
      ],
      `${ca}patient-ca-core|1.1.0`,
      'patient/Patient.r patient/Patient.rs user/Patient.rs system/Patient.rs',
      undefined,
      [],
      [],
    ],
    [
      'Observation',
      ['patient reference', 'category token', 'code token', 'date date'],
      `${ca}observation-ca-core`,
      'system/Observation.rs',
      'date',
      ['patient+category', 'patient+code'],
      [],
    ],
    [
      'Appointment',
      ['date date', 'patient reference', 'practitioner reference', 'status token'],
      `${ca}appointment-ca-core`,
      'patient/Appointment.rs user/Appointment.rs system/Appointment.rs',
      'date',
      ['patient+status'],
      [],
    ],
    [
      'Condition',
      [
        'patient reference',
        'clinical-status token',
        'verification-status token',
        'category token',
        'code token',
        'onset-date date',
        'recorded-date date',
      ],
      `${ca}condition-ca-core`,
      'patient/Condition.rs user/Condition.rs system/Condition.rs',
      'recorded-date',
      ['patient+clinical-status', 'patient+verification-status', 'patient+category', 'patient+code'],
      [],
    ],
    [
      'MedicationRequest',
      ['patient reference', 'status token'],
      `${ca}medicationrequest-ca-core`,
      'patient/MedicationRequest.rs',
      'authoredon',
      ['patient+status'],
      ['authoredon'],
    ],
    [
      'FamilyMemberHistory',
      ['patient reference', 'status token'],
      `${ca}familymemberhistory-ca-core|1.1.0`,
      'patient/FamilyMemberHistory.rs',
      undefined,
      ['patient+status'],
      [],
    ],
    [
      'Encounter',
      ['patient reference', 'practitioner reference', 'appointment reference', 'date date', 'status token'],
      `${ca}encounter-ca-core|1.1.0`,
      'patient/Encounter.rs user/Encounter.rs system/Encounter.rs',
      'date',
      ['patient+status'],
      [],
    ],
  ])('offers read and search of %s', (name, parameters, profile, scopes, sortDate, pairs, indexedOnly) => {
    const found = type(name);
    expect([...found.interactions]).toEqual(['read', 'search-type']);
    expect([...found.parameters.values()].map(param => `${param.code} ${param.type}`)).toEqual([
      ...common,
      ...parameters,
    ]);
    expect([...found.indexed.keys()]).toEqual([...parameters.map(text => text.split(' ')[0]), ...indexedOnly]);
    expect(found.supportedProfiles).toEqual([profile]);
    expect(found.smartScopes.join(' ')).toBe(scopes);
    expect(found.sortDate?.code).toBe(sortDate);
    expect(found.pairs.map(({ code }) => code)).toEqual(pairs);
    expect(found.accessLinks).toEqual(name === 'Patient' ? [] : [{ compartment: 'Patient', parameter: 'patient' }]);
    expect(found.pageSize).toEqual({ default: 50, max: 1000 });
  });

  it('takes Media and gives none back', () => {
    const media = type('Media');
    expect([...media.interactions]).toEqual(['create']);
    expect([media.parameters.size, [...media.indexed.keys()]]).toEqual([0, ['patient']]);
    expect([media.profile, media.supportedProfiles]).toEqual([`${extensionBase}media-capture`, []]);
    expect(media.smartScopes).toEqual(['user/Media.c']);
    expect(media.attachment).toMatchObject({ path: 'Media.content.data', maxBytes: 20 * 1024 ** 2 });
    expect(media.attachment?.contentTypes).toContainEqual({ type: 'image/jpeg', signature: 'ffd8ff' });
    expect(media.serverSet).toEqual([{ path: 'Media.createdDateTime', value: 'now' }]);
  });

  it('cuts expressions to the type and knows what they yield', () => {
    const patient = type('Encounter').parameters.get('patient');
    expect(patient).toMatchObject({
      expression: 'Encounter.subject.where(resolve() is Patient)',
      targets: ['Patient'],
      dataTypes: new Set(['Reference']),
      url: 'http://hl7.org/fhir/SearchParameter/clinical-patient|4.0.1',
      single: true,
    });
    expect(type('FamilyMemberHistory').parameters.get('patient')?.targets).toEqual(['Patient']);
    const single = (name: string, code: string) => type(name).parameters.get(code)?.single;
    expect([single('Patient', 'birthdate'), single('Condition', 'onset-date'), single('Encounter', 'date')]).toEqual([
      true,
      true,
      true,
    ]);
    expect([single('Appointment', 'patient'), single('Patient', 'name'), single('Condition', 'code')]).toEqual([
      false,
      false,
      false,
    ]);
    expect(type('Condition').parameters.get('code')?.description).toBe('Code for the condition');
  });

  it('has the patient compartment of R4', () => {
    expect(model.compartments.get('Patient')?.parameters.get('Observation')).toEqual(['subject', 'performer']);
    expect(model.compartments.get('Patient')?.parameters.has('Practitioner')).toBe(false);
  });

  it('knows where case matters, and the system of a required code', () => {
    expect(model.caseSensitive('http://hl7.org/fhir/administrative-gender')).toBe(true);
    expect(model.caseSensitive('https://fhir.infoway-inforoute.ca/NamingSystem/ca-on-patient-hcn')).toBe(false);
    expect(model.valueSetSystem('http://hl7.org/fhir/ValueSet/administrative-gender|4.0.1')).toBe(
      'http://hl7.org/fhir/administrative-gender',
    );
    expect(model.valueSetSystem('https://example.org/none')).toBeUndefined();
  });

  it('has a digest that is the same for the same files and another for others', async () => {
    const again = await loadModel({ definitions: [] });
    const more = await loadModel({ definitions: [join(root, 'test/fixtures/ninth-type')] });
    expect(again.model?.digest).toBe(model.digest);
    expect(more.model?.digest).not.toBe(model.digest);
    const digest = (from: Model | undefined) => from?.types.get('Patient')?.parameters.get('name')?.digest;
    expect(digest(more.model)).toBe(digest(model));
  });

  it('is frozen', () => {
    const patient: { name: string } = type('Patient');
    expect(() => (patient.name = 'x')).toThrow(TypeError);
    expect(Object.isFrozen(model)).toBe(true);
  });
});

const profiles = (): readonly JsonObject[] =>
  readdirSync(join(root, 'profiles'))
    .filter(file => file.endsWith('.json'))
    .map(file => asObject(JSON.parse(readFileSync(join(root, 'profiles', file), 'utf8'))))
    .filter(({ resourceType }) => resourceType === 'StructureDefinition');

describe('the shipped profiles', () => {
  it('of R4 itself are known, and its extensions', () => {
    const elements = (name: string): readonly unknown[] =>
      model.snapshot(`http://hl7.org/fhir/StructureDefinition/${name}`)?.elements.map(({ id }) => id) ?? [];
    expect(elements('bp')).toContain('Observation.component:SystolicBP.code.coding:SBPCode.code');
    expect(elements('patient-nationality')).toContain('Extension.extension:period.value[x]');
  });

  it('of CA Core+ say what they rest on and that they are not the published ones', () => {
    const found = profiles().filter(({ url }) => String(url).startsWith(ca));
    expect(found).toHaveLength(7);
    for (const { extension, description } of found) {
      expect(objectsOf(extension)[0]?.['url']).toBe(`${extensionBase}incomplete`);
      expect(asString(description)).toMatch(/^Written for this server, not by Canada Health Infoway\. Rests on: /);
    }
  });

  it('of our extensions have the same places, numbers and values as the compiler', () => {
    const found = profiles().filter(({ type: of }) => of === 'Extension');
    expect(found.map(({ url }) => String(url).slice(extensionBase.length)).sort()).toEqual(
      Object.keys(extensionShapes).sort(),
    );
    for (const { id, context, differential } of found) {
      const shape = extensionShapes[String(id)];
      const elements = objectsOf(asObject(differential)['element']);
      expect(objectsOf(context).map(({ expression }) => expression)).toEqual(shape?.on);
      expect(elements[0]?.['max']).toBe(shape?.max === Infinity ? '*' : String(shape?.max));
      const named = elements.filter(({ path, sliceName }) => path === 'Extension.extension' && sliceName !== undefined);
      expect(named.map(({ sliceName }) => sliceName)).toEqual(
        shape !== undefined && 'parts' in shape ? Object.keys(shape.parts) : [],
      );
      const [value] = objectsOf(elements.find(({ path }) => path === 'Extension.value[x]')?.['type']);
      const expected = shape !== undefined && 'value' in shape ? shape.value.toLowerCase() : undefined;
      expect(value === undefined ? undefined : `value${String(value['code'])}`.toLowerCase()).toBe(expected);
    }
  });
});

describe('the shipped search parameters', () => {
  it('say what the official ones say', () => {
    // A difference from the R4 pack would be reported as a replacement.
    expect(loaded.notices).toEqual([]);
    const folder = join(root, 'searchparameters');
    const urls = readdirSync(folder).map(file => String(JSON.parse(readFileSync(join(folder, file), 'utf8')).url));
    const [official, own] = ['http://hl7.org/fhir/', 'https://clinical-records.example/fhir/'].map(start =>
      urls.filter(url => url.startsWith(`${start}SearchParameter/`)),
    );
    expect([official?.length, own?.sort()]).toEqual([
      31,
      ['Binary-security-context', 'List-member', 'Resource-list'].map(
        id => `https://clinical-records.example/fhir/SearchParameter/${id}`,
      ),
    ]);
  });
});
