import { evaluate } from 'fhirpath';
import r4 from 'fhirpath/fhir-context/r4';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { asObject, objectsOf } from '../../src/fhir/json-object.ts';
import type { JsonObject } from '../../src/fhir/json-object.ts';
import { packFile, readPack } from '../../src/definitions/pack.ts';
import { loadModel } from '../../src/engine/load-model.ts';
import { capabilityStatement } from '../../src/model/capability-statement.ts';
import type { Model } from '../../src/model/model.ts';
import { checkStructure } from '../../src/validation/structure.ts';
import { loadOnly, statement } from '../support/definition-files.ts';

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
      format: ['application/fhir+json', 'json'],
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
