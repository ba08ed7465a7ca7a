import { evaluate } from 'fhirpath';
import r4 from 'fhirpath/fhir-context/r4';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { asObject, objectsOf } from '../../src/fhir/json-object.ts';
import type { JsonObject } from '../../src/fhir/json-object.ts';
import { packFile, readPack } from '../../src/definitions/pack.ts';
import { loadModel } from '../../src/engine/definitions/load-model.ts';
import { capabilityStatement } from '../../src/model/capability-statement.ts';
import type { Model } from '../../src/model/model.ts';
import { checkStructure } from '../../src/validation/structure.ts';
import { loadOnly, ours, searchParameter, statement } from '../support/definition-files.ts';

// https://hl7.org/fhir/R4/http.html#capabilities

const root = join(import.meta.dirname, '../..');
const deployment = { base: 'http://localhost/r4/demo', date: '2025-11-21T10:00:00Z' };
let model: Model;
let served: JsonObject;

beforeAll(async () => {
  const loaded = await loadModel({ definitions: [] });
  if (loaded.model === undefined) throw new Error(JSON.stringify(loaded.problems));
  model = loaded.model;
  served = capabilityStatement(model, deployment);
});

const resources = (of: JsonObject): readonly JsonObject[] => objectsOf(objectsOf(of['rest'])[0]?.['resource']);

/** What a FHIRPath expression yields, without the lines that `trace()` prints. */
function values(of: unknown, expression: unknown): readonly unknown[] {
  const result = evaluate(of as object, String(expression), { resource: served }, r4, { traceFn: () => {} });
  return Array.isArray(result) ? result : [];
}

describe('the served CapabilityStatement', () => {
  it('names the software and the implementation', () => {
    expect(served).toMatchObject({
      resourceType: 'CapabilityStatement',
      status: 'active',
      kind: 'instance',
      date: '2025-11-21T10:00:00Z',
      fhirVersion: '4.0.1',
      format: ['application/fhir+json', 'application/fhir+xml', 'json', 'xml'],
      software: { name: 'Clinical Records Service' },
      implementation: { url: 'http://localhost/r4/demo' },
    });
    expect(served).not.toHaveProperty('instantiates');
  });

  it('declares exactly what is compiled', () => {
    const declared = resources(served).map(resource => [
      resource['type'],
      objectsOf(resource['interaction']).map(({ code }) => code),
      objectsOf(resource['searchParam']).map(({ name, definition, type }) => [name, definition, type]),
    ]);
    const compiled = [...model.types.values()].map(({ name, interactions, parameters }) => [
      name,
      [...interactions],
      [...parameters.values()].map(({ code, url, type }) => [code, url, type]),
    ]);
    expect(declared).toEqual(compiled);
    expect(resources(served).some(resource => 'searchInclude' in resource)).toBe(false);
  });

  it('says of a profile why it is not the published one', () => {
    const patient = resources(served).find(({ type }) => type === 'Patient');
    expect(patient?.['supportedProfile']).toEqual([
      'http://fhir.infoway-inforoute.ca/cacore/StructureDefinition/patient-ca-core|1.1.0',
    ]);
    expect(patient?.['documentation']).toMatch(
      /patient-ca-core\|1\.1\.0 is not the published one: the published CA Core\+ 1\.1\.0 text could not be read whole/,
    );
  });

  it('documents each parameter', () => {
    const parameters = resources(served).flatMap(resource => objectsOf(resource['searchParam']));
    expect(
      parameters.filter(({ documentation }) => typeof documentation !== 'string' || documentation.includes('Multiple')),
    ).toEqual([]);
  });

  it('is the same for the same definitions', async () => {
    const again = await loadModel({ definitions: [] });
    if (again.model === undefined) throw new Error('no model');
    expect(JSON.stringify(capabilityStatement(again.model, deployment))).toBe(JSON.stringify(served));
  });

  it('has the structure of R4', () => {
    expect(checkStructure(served, model, 'CapabilityStatement')).toEqual([]);
  });

  it('keeps the invariants of R4', () => {
    const { definitions } = readPack(join(root, 'profiles', packFile), packFile);
    const structure = definitions.find(
      ({ url }) => url === 'http://hl7.org/fhir/StructureDefinition/CapabilityStatement',
    );
    const elements = objectsOf(asObject(structure?.resource()['snapshot'])['element']);
    let checked = 0;
    for (const { path, constraint } of elements)
      for (const { key, severity, expression } of objectsOf(constraint)) {
        // dom-6 recommends a narrative, which has no reader here.
        if (severity !== 'error') continue;
        for (const context of values(served, path)) {
          const result = values(context, expression);
          expect([key, result]).toEqual([key, [true]]);
          checked++;
        }
      }
    expect(checked).toBeGreaterThanOrEqual(20);
  });

  it('reports a type that no token can grant', async () => {
    expect((await loadOnly(statement([{ type: 'Group' }]))).notices).toEqual([
      'Group has no smart-scope, so no token can grant access to it.',
    ]);
  });
});

describe('everything that a file declares and that is not refused is shown', () => {
  const note = (text: string) => ({ url: 'https://example.org/StructureDefinition/note', valueString: text });
  const noted = (text: string) => ({ extension: [note(text)] });
  const base = 'https://example.org/fhir';
  const group = {
    ...noted('type'),
    type: 'Group',
    interaction: [{ code: 'read', documentation: 'By id.', ...noted('read') }, { code: 'search-type' }],
    supportedProfile: ['http://hl7.org/fhir/StructureDefinition/Group'],
    _supportedProfile: [noted('profile')],
    versioning: 'versioned',
    _versioning: noted('versioning'),
    searchParam: [{ name: 'code', type: 'token', documentation: 'The kind of members.', ...noted('code') }],
    operation: [
      {
        ...noted('operation'),
        name: 'validate',
        definition: 'http://hl7.org/fhir/OperationDefinition/Resource-validate',
        documentation: 'Before a write.',
      },
    ],
  };
  const rest = { ...noted('rest'), interaction: [{ code: 'batch', documentation: 'At most ten.', ...noted('batch') }] };
  const whole = {
    ...statement([group], rest),
    extension: [note('statement')],
    url: `${base}/CapabilityStatement/ours`,
    title: 'Ours',
    _title: noted('title'),
    status: 'draft',
    experimental: true,
    useContext: [
      {
        code: { system: 'http://terminology.hl7.org/CodeSystem/usage-context-type', code: 'program' },
        valueCodeableConcept: { text: 'A pilot' },
      },
    ],
    instantiates: [`${base}/CapabilityStatement/guide|1.0.0`],
    _instantiates: [noted('instantiates')],
    implementationGuide: [`${base}/ImplementationGuide/guide`],
    format: ['json', 'application/json'],
    _format: [noted('json'), null],
    implementation: { description: 'Our site', custodian: { display: 'Our clinic' } },
  };

  it('of the statement, its types, interactions, parameters and operations', async () => {
    const { model: ownModel, problems } = await loadOnly({ ...whole, kind: 'instance' });
    expect(problems).toEqual([]);
    const shown = capabilityStatement(ownModel as Model, deployment);
    const {
      rest: _rest,
      kind: _kind,
      date: _date,
      format: _format,
      _format: _f,
      implementation,
      ...prose
    } = whole as Partial<Record<string, unknown>>;
    expect(shown).toMatchObject({ ...prose, kind: 'instance' });
    expect(shown['implementation']).toMatchObject({ ...(implementation as object), url: deployment.base });
    expect(shown['format']).toEqual([
      'application/fhir+json',
      'application/fhir+xml',
      'json',
      'xml',
      'application/json',
    ]);
    expect(shown['_format']).toEqual([null, null, noted('json'), null, null]);
    const [server = {}] = objectsOf(shown['rest']);
    expect(server).toMatchObject(rest);
    expect(resources(shown)[0]).toMatchObject(group);
    expect(checkStructure(shown, ownModel as Model, 'CapabilityStatement')).toEqual([]);
  });

  it('once where several files declare it, and with our extensions', async () => {
    const scoped = {
      ...group,
      extension: [...group.extension, ours('smart-scope', { valueString: 'system/Group.rs' })],
    };
    const { model: ownModel, problems } = await loadOnly(
      { ...whole, rest: [{ ...statement([scoped], rest).rest[0] }] },
      {
        'capability/other.json': {
          ...whole,
          instantiates: [`${base}/CapabilityStatement/other`],
          _instantiates: undefined,
        },
        'searchparameters/a.json': searchParameter('a', { base: ['Group'], type: 'token', expression: 'Group.code' }),
      },
    );
    expect(problems).toEqual([]);
    const shown = capabilityStatement(ownModel as Model, deployment);
    expect(shown['instantiates']).toEqual([...whole.instantiates, `${base}/CapabilityStatement/other`]);
    expect(shown['_instantiates']).toEqual([noted('instantiates'), null]);
    expect(shown['extension']).toEqual(whole.extension);
    expect(resources(shown)[0]).toMatchObject(scoped);
  });
});
