import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../src/fhir/json-object.ts';

/** A case of HL7's test suite for FHIRPath on R4 (test/fixtures/fhirpath). */
export interface Case {
  readonly group: string;
  readonly name: string;
  readonly expression: string;
  readonly inputfile?: string;
  readonly expect: 'value' | 'error';
  /** True where the result counts as a condition: what is there and no boolean is true. */
  readonly predicate: boolean;
  readonly outputs?: readonly { readonly type?: string; readonly value: string }[];
}

const folder = new URL('../fixtures/fhirpath/', import.meta.url);

export const cases = readFileSync(new URL('cases.ndjson', folder), 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as Case);

const inputs = new Map<string, JsonObject>();

/** The resource that a case is about; an empty Patient where it is about none. */
export function inputOf({ inputfile }: Case): JsonObject {
  if (inputfile === undefined) return { resourceType: 'Patient' };
  let input = inputs.get(inputfile);
  if (input === undefined) {
    const text = readFileSync(new URL(`inputs/${inputfile.replace(/\.xml$/, '.json')}`, folder), 'utf8');
    input = JSON.parse(text) as JsonObject;
    inputs.set(inputfile, input);
  }
  return input;
}

/** One result as the cases write it: `integer 4`, `date 1974-12-25`; without a type where the case gives none. */
export interface Printed {
  readonly type: string;
  readonly value: string;
}

/** Whether results are those of a case. */
export function isExpected({ predicate, outputs = [] }: Case, results: readonly Printed[]): boolean {
  if (predicate) {
    const held = results.length > 0 && !(results.length === 1 && results[0]?.value === 'false');
    return String(held) === outputs[0]?.value;
  }
  return (
    results.length === outputs.length &&
    outputs.every(({ type, value }, index) => {
      const own = results[index];
      const typed = type === undefined || own?.type.toLowerCase() === type.toLowerCase();
      return typed && own !== undefined && plain(own.value) === plain(value);
    })
  );
}

const plain = (value: string): string => value.replace(/^@T?/, '');
