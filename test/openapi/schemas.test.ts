// The schemas of records, compared with R4's examples and with profiles. https://hl7.org/fhir/R4/json.html
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { asObject } from '../../src/fhir/json-object.ts';
import type { JsonObject } from '../../src/fhir/json-object.ts';
import { examples } from '../fhirpath/judge.ts';
import { interfaces, openApi } from './support.ts';

const here = existsSync(join(import.meta.dirname, '../../node_modules/hl7.fhir.r4.examples')); // it may be left out
/** Of all types of R4 one in this many; with `CRS_TEST_LONG` each. */
const step = process.env['CRS_TEST_LONG'] === undefined ? 12 : 1;

type Validate = (name: string, value: unknown) => string | undefined;

/** Gives the first error of a value by the schema with this name. */
function validator(document: JsonObject): Validate {
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema(document, 'document');
  return (name, value) => {
    const validate = ajv.getSchema(`document#/components/schemas/${name}`);
    if (validate === undefined) throw new Error(`no schema ${name}`);
    const [error] = validate(value) === true ? [] : (validate.errors ?? []);
    return error === undefined ? undefined : `${error.instancePath} ${error.message}`;
  };
}

const schemasOf = (document: JsonObject): JsonObject => asObject(asObject(document['components'])['schemas']);

describe.each(interfaces)('the schemas of %s', (_, capability) => {
  let document: JsonObject;
  let validate: Validate;
  beforeAll(async () => {
    document = await openApi(capability);
    validate = validator(document);
  }, 120_000);

  it.runIf(here)(
    'take the official examples of R4, except for those that are no R4',
    () => {
      const schemas = schemasOf(document);
      const names = new Set(Object.keys(schemas).filter((_, at) => capability === undefined || at % step === 0));
      const refused = [...examples()].flatMap(({ file, resource }) => {
        // The required profile of the shipped Media is stricter than R4.
        if (!names.has(resource.resourceType) || schemas[resource.resourceType] === undefined) return [];
        if (capability === undefined && resource.resourceType === 'Media') return [];
        const error = validate(resource.resourceType, resource);
        return error === undefined ? [] : [`${file} ${error}`];
      });
      expect(refused.filter(line => !invalid.test(line))).toEqual([]);
    },
    300_000,
  );

  it('take the example of each type', () => {
    const given = Object.entries(asObject(asObject(document['components'])['examples']));
    const some = given.filter(([name], at) => /^[A-Z]/.test(name) && (capability === undefined || at % step === 0));
    expect(some.length).toBeGreaterThan(5);
    for (const [name, example] of some)
      expect([name, validate(name, asObject(example)['value'])]).toEqual([name, undefined]);
  }, 120_000);
});

/** Examples that break R4 itself: elements that are missing, an id and a code that are none. */
const invalid = /must have required property '(?:base|linkId)'|SearchParameter.*\/id must|CodeSystem.*\/code must/;

describe('a schema', () => {
  let schemas: JsonObject;
  let validate: Validate;
  beforeAll(async () => {
    const document = await openApi();
    schemas = schemasOf(document);
    validate = validator(document);
  });

  const patient = { resourceType: 'Patient', id: 'p1' };

  it.each<[string, string, object, string | undefined]>([
    ['a record', 'Patient', patient, undefined],
    ['another type', 'Patient', { resourceType: 'Person' }, '/resourceType must be equal to constant'],
    ['a code that is not in the value set', 'Patient', { ...patient, gender: 'm' }, '/gender must be equal to one of'],
    ['one value where there may be several', 'Patient', { ...patient, name: { family: 'Roy' } }, '/name must be array'],
    ['a partial date', 'Patient', { ...patient, birthDate: '1980-02' }, undefined],
    ['a text that is no date', 'Patient', { ...patient, birthDate: '29.2.1980' }, '/birthDate must match pattern'],
    [
      'a record without a mandatory element',
      'Observation',
      { resourceType: 'Observation' },
      ' must have required prop',
    ],
    [
      'a nested element',
      'Patient',
      { ...patient, link: [{ type: 'refer' }] },
      "/link/0 must have required property 'other'",
    ],
    ['a content reference', 'Observation', component({ referenceRange: [{ low: { value: 1 } }] }), undefined],
    ['a wrong content reference', 'Observation', component({ referenceRange: [{ low: 1 }] }), '/component/0/reference'],
    ['a primitive extension', 'Patient', { ...patient, _birthDate: { extension: [{ url: 'u' }] } }, undefined],
  ])('decides %s', (_, name, value, expected) => {
    const error = validate(name, value);
    expect(error?.slice(0, expected?.length)).toBe(expected);
  });

  it('of a type has the elements of its required profile, and the content is for requests only', () => {
    expect(asObject(schemas['Media'])['description']).toContain('media-capture');
    const media = { resourceType: 'Media', status: 'completed', subject: { reference: 'Patient/1' } };
    expect(validate('Media', media)).toContain("must have required property 'content'");
    expect(validate('Media', { ...media, content: { contentType: 'image/gif' } })).toBeUndefined();
    const content = asObject(asObject(schemas['Media.content'])['properties']);
    expect(content['data']).toMatchObject({ writeOnly: true });
    expect(content).not.toHaveProperty('url'); // the profile has removed it
  });

  it('of a supported profile is one of its own, which the type names', () => {
    const name = 'Patient-patient-ca-core';
    expect(asObject(schemas['Patient'])['description']).toContain(name);
    expect(validate('Patient', patient)).toBeUndefined();
    const identified = { ...patient, identifier: [{ value: '1' }] };
    expect(validate('Patient', identified)).toBeUndefined();
    expect(validate(name, identified)).toBe("/identifier/0 must have required property 'system'");
  });
});

function component(fields: object): object {
  const code = { text: 'text' };
  return { resourceType: 'Observation', status: 'final', code, component: [{ code, ...fields }] };
}
