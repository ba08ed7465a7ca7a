import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { readTypeDefinitions } from '../../src/model/type-definitions.ts';
import { jsonSchemaOf } from './measure/json-schema.ts';

const published = join(import.meta.dirname, '../../node_modules/hl7.fhir.r4.examples');
const here = existsSync(published); // the package of R4's examples may be left out
// official examples
const read = (name: string): object => JSON.parse(readFileSync(join(published, `${name}.json`), 'utf8')) as object;

describe.runIf(here)('the JSON Schema that ajv is measured with', () => {
  const compile = (name: string) => new Ajv().compile(jsonSchemaOf(name, readTypeDefinitions(), published));
  const [patient, observation] = here ? [compile('Patient'), compile('Observation')] : [];

  it.each(['Patient-example', 'Patient-animal', 'Patient-f001'])('takes %s', name => {
    expect([patient?.(read(name)), patient?.errors]).toEqual([true, null]);
  });

  it.each(['Observation-blood-pressure', 'Observation-f001', 'Observation-example'])('takes %s', name => {
    expect([observation?.(read(name)), observation?.errors]).toEqual([true, null]);
  });

  it.each<[string, object]>([
    ['an unknown property', { status: 'final', code: { text: 'x' }, colour: 'red' }],
    ['a missing element', { status: 'final' }],
    ['an empty array', { status: 'final', code: { text: 'x' }, note: [] }],
    ['an object where many may be', { status: 'final', code: { text: 'x' }, note: { text: 'x' } }],
    ['an empty object', { status: 'final', code: {} }],
    ['two types of a choice', { status: 'final', code: { text: 'x' }, valueString: 'a', valueInteger: 1 }],
    ['another type', { status: 'final', code: { text: 1 } }],
    ['a bad date', { status: 'final', code: { text: 'x' }, effectiveDateTime: '2020-13-01' }],
    ['an integer out of range', { status: 'final', code: { text: 'x' }, valueInteger: 2147483648 }],
  ])('refuses %s', (_fault, fields) => {
    expect(observation?.({ resourceType: 'Observation', ...fields })).toBe(false);
  });

  it('accepts a primitive with an extension only, and gaps in arrays of primitives', () => {
    const absent = { extension: [{ url: 'http://example.org/absent', valueCode: 'unknown' }] };
    const code = { text: 'x' };
    expect(observation?.({ resourceType: 'Observation', _status: absent, code })).toBe(true);
    const name = [{ given: ['Ann', null], _given: [null, absent] }];
    expect(patient?.({ resourceType: 'Patient', name })).toBe(true);
  });
});
