// HL7's cases. https://hl7.org/fhir/R4/fhirpatch.html, https://www.rfc-editor.org/rfc/rfc6902
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FhirError } from '../../../src/fhir/error.ts';
import { patched } from './patched.ts';

const read = (name: string): string => readFileSync(join(import.meta.dirname, '../../fixtures/patch', name), 'utf8');

interface PathCase {
  readonly name: string;
  readonly input: object;
  readonly diff: object;
  readonly output?: object;
  readonly error?: true;
}

describe('FHIRPath Patch', () => {
  const cases = read('fhirpath-patch.ndjson')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as PathCase); // as made

  it('has all cases', () => {
    expect(cases).toHaveLength(33);
  });

  it.each(cases.filter(({ error }) => error === undefined))('$name', ({ input, diff, output }) => {
    expect(JSON.parse(patched(input, diff))).toEqual(output);
  });

  it.each(cases.filter(({ error }) => error === true))('is an error: $name', ({ input, diff }) => {
    expect(() => patched(input, diff)).toThrow(FhirError);
  });
});

interface JsonCase {
  readonly comment: string;
  readonly doc: object;
  readonly patch: readonly object[];
  readonly expected?: object;
  readonly error?: string;
}

describe('JSON Patch', () => {
  const cases = JSON.parse(read('json-patch.json')) as readonly JsonCase[]; // as published

  it('has all cases', () => {
    expect(cases).toHaveLength(16);
  });

  it.each(cases.filter(({ error }) => error === undefined))('$comment', ({ doc, patch, expected }) => {
    expect(JSON.parse(patched(doc, patch))).toEqual(expected);
  });

  it.each(cases.filter(({ error }) => error !== undefined))('is an error: $comment', ({ doc, patch }) => {
    expect(() => patched(doc, patch)).toThrow(FhirError);
  });
});
