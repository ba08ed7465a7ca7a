import { isExactObject } from '../../fhir/exact-json.ts';
import type { ExactJson, ExactObject } from '../../fhir/exact-json.ts';
import { plainOf } from '../../fhir/exact-json.ts';
import { shorten } from '../../validation/report.ts';
import { malformed } from './failure.ts';
import type { OperationPlace } from './failure.ts';
import { mostOperations } from './limits.ts';

/** An operation of a FHIRPath Patch. https://hl7.org/fhir/R4/fhirpatch.html */
export interface PathOperation {
  readonly type: Type;
  readonly path: string;
  /** Only `add` has it. */
  readonly name: string;
  /** The part of `add`, `insert` and `replace`. */
  readonly value: ExactObject;
  /** Only `insert` has it. */
  readonly index: number;
  /** Only `move` has it. */
  readonly source: number;
  readonly destination: number;
  readonly place: OperationPlace;
  /** The index of each part, for errors. */
  readonly parts: ReadonlyMap<string, number>;
}

const needed = {
  add: ['path', 'name', 'value'],
  insert: ['path', 'index', 'value'],
  delete: ['path'],
  replace: ['path', 'value'],
  move: ['path', 'source', 'destination'],
} as const;
type Type = keyof typeof needed;
const types: readonly string[] = Object.keys(needed);
const isType = (code: unknown): code is Type => typeof code === 'string' && types.includes(code);

/** Longest path, in characters. */
const longestPath = 1_000;

/**
 * The operations of a Parameters resource whose structure has been checked. Throws FhirError 400 if it is not a
 * FHIRPath Patch. https://hl7.org/fhir/R4/fhirpatch.html
 */
export function readPathOperations(parameters: ExactObject): readonly PathOperation[] {
  const list = objects(parameters['parameter']);
  if (list.length > mostOperations)
    throw malformed(`it has ${list.length} operations, but the limit is ${mostOperations}.`, 'Parameters.parameter');
  return list.map(readOperation);
}

function readOperation(parameter: ExactObject, at: number): PathOperation {
  const expression = `Parameters.parameter[${at}]`;
  if (parameter['name'] !== 'operation') throw malformed('each parameter is named `operation`.', `${expression}.name`);
  const given = objects(parameter['part']);
  const parts = new Map<string, number>();
  for (const [index, { name }] of given.entries()) {
    const here = `${expression}.part[${index}].name`;
    if (typeof name !== 'string' || !known.has(name))
      throw malformed(`the parts of an operation are \`${[...known].join('`, `')}\`.`, here);
    if (parts.has(name)) throw malformed(`\`${name}\` is repeated.`, here);
    parts.set(name, index);
  }
  const partOf = (name: string): ExactObject => {
    const index = parts.get(name);
    const part = index === undefined ? undefined : given[index];
    if (part === undefined) throw malformed(`an operation needs the part \`${name}\`.`, `${expression}.part`);
    return part;
  };
  const at_ = (name: string): string => `${expression}.part[${parts.get(name)}]`;
  const text = (name: string): string => {
    const part = partOf(name);
    const value = part['valueString'] ?? part['valueCode'];
    if (typeof value === 'string') return value;
    throw malformed(`\`${name}\` must have a \`value${name === 'type' ? 'Code' : 'String'}\`.`, at_(name));
  };
  const count = (name: string): number => {
    const part = partOf(name);
    const value = plainOf(part['valueInteger'] ?? part['valueUnsignedInt'] ?? part['valuePositiveInt'] ?? null);
    if (typeof value === 'number' && value >= 0) return value;
    throw malformed(`\`${name}\` must have a \`valueInteger\` from 0.`, at_(name));
  };
  const type = text('type');
  if (!isType(type)) throw malformed(`\`type\` must be one of \`${types.join('`, `')}\`.`, at_('type'));
  const needs: readonly string[] = needed[type];
  for (const name of parts.keys())
    if (name !== 'type' && !needs.includes(name)) throw malformed(`\`${type}\` has no part \`${name}\`.`, at_(name));
  const path = text('path');
  if (path.length > longestPath) throw malformed(`a path has at most ${longestPath} characters.`, at_('path'));
  const has = (name: string): boolean => needs.includes(name);
  return {
    type,
    path,
    name: has('name') ? text('name') : '',
    value: has('value') ? partOf('value') : {},
    index: has('index') ? count('index') : 0,
    source: has('source') ? count('source') : 0,
    destination: has('destination') ? count('destination') : 0,
    place: { index: at, what: `\`${type}\` at \`${shorten(path)}\``, expression },
    parts,
  };
}

const known: ReadonlySet<string> = new Set(['type', ...Object.values(needed).flat()]);

const objects = (list: ExactJson | undefined): readonly ExactObject[] =>
  Array.isArray(list) ? list.filter(isExactObject) : [];
