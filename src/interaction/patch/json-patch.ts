import { applyPatch } from 'rfc6902';
import { isExactObject, isSameJson } from '../../fhir/exact-json.ts';
import type { ExactJson } from '../../fhir/exact-json.ts';
import { asString } from '../../fhir/json-object.ts';
import { Budget } from '../../fhirpath/evaluate/environment.ts';
import { shorten } from '../../validation/report.ts';
import { malformed, unprocessable } from './failure.ts';
import type { OperationPlace } from './failure.ts';
import { mostOperations, patchBudget, payForPlacing } from './limits.ts';

/** The names and indexes of a JSON Pointer; undefined for an invalid one. https://www.rfc-editor.org/rfc/rfc6901 */
function parsePointer(text: string): readonly string[] | undefined {
  if (text === '') return [];
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return undefined;
  return text
    .slice(1)
    .split('/')
    .map(token => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a pointer, through own properties and existing items only; undefined if there is none. */
function valueAt(document: ExactJson, tokens: readonly string[]): ExactJson | undefined {
  let value: ExactJson | undefined = document;
  for (const token of tokens) value = childOf(value, token);
  return value;
}

/** Whether a value may be added there: to an object, or within an array or at its end. */
function isAddable(document: ExactJson, tokens: readonly string[]): boolean {
  const parent = valueAt(document, tokens.slice(0, -1));
  const token = tokens.at(-1);
  if (token === undefined || reserved.has(token)) return false;
  if (Array.isArray(parent)) return token === '-' || (isIndex(token) && Number(token) <= parent.length);
  return isExactObject(parent);
}

function childOf(value: ExactJson | undefined, token: string): ExactJson | undefined {
  if (Array.isArray(value)) return isIndex(token) ? value[Number(token)] : undefined;
  return isExactObject(value) && Object.hasOwn(value, token) && !reserved.has(token) ? value[token] : undefined;
}

const isIndex = (token: string): boolean => /^(?:0|[1-9]\d{0,8})$/.test(token);

/** Names that no element has, and that the library for JSON Patch skips. */
const reserved: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** An operation of a JSON Patch, whose members are checked. https://www.rfc-editor.org/rfc/rfc6902#section-4 */
export interface JsonOperation {
  readonly op: Code;
  readonly path: readonly string[];
  /** Only `move` and `copy` have it. */
  readonly from: readonly string[] | undefined;
  /** Only `add`, `replace` and `test` have it. */
  readonly value: ExactJson | undefined;
  readonly place: OperationPlace;
}

const codes = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const;
type Code = (typeof codes)[number];

/** The operations of a document. Throws FhirError 400 if it is not a JSON Patch. */
export function readJsonPatch(document: ExactJson): readonly JsonOperation[] {
  if (!Array.isArray(document)) throw malformed('a JSON Patch is an array of operations.', '$this');
  if (document.length > mostOperations)
    throw malformed(`it has ${document.length} operations, but the limit is ${mostOperations}.`, '$this');
  return document.map(readOperation);
}

function readOperation(given: ExactJson, index: number): JsonOperation {
  const expression = `$this[${index}]`;
  const members = isExactObject(given) ? given : {};
  const own = (name: string): ExactJson | undefined => (Object.hasOwn(members, name) ? members[name] : undefined);
  const op = codes.find(code => code === own('op'));
  if (op === undefined)
    throw malformed(`\`op\` of an operation must be one of \`${codes.join('`, `')}\`.`, `${expression}.op`);
  const pointer = (name: 'path' | 'from'): readonly string[] => {
    const text = own(name);
    const tokens = typeof text === 'string' ? parsePointer(text) : undefined;
    if (tokens !== undefined) return tokens;
    throw malformed(`\`${name}\` of a \`${op}\` must be a JSON Pointer, such as \`/name/0\`.`, `${expression}.${name}`);
  };
  const path = pointer('path');
  const from = op === 'move' || op === 'copy' ? pointer('from') : undefined;
  const takesValue = op === 'add' || op === 'replace' || op === 'test';
  const value = takesValue ? own('value') : undefined;
  if (takesValue && value === undefined) throw malformed(`\`${op}\` needs a \`value\`.`, `${expression}.value`);
  const what = `\`${op}\` of \`${shorten(asString(own('path')) ?? '')}\``;
  return { op, path, from, value, place: { index, what, expression } };
}

/**
 * The document after the operations, which may share parts with the one before: that one must not be used any more.
 * Throws FhirError 422 for an operation that cannot be applied, such as a `test` that fails.
 * https://hl7.org/fhir/R4/http.html#patch
 */
export function applyJsonPatch(operations: readonly JsonOperation[], document: ExactJson): ExactJson {
  const budget = new Budget(patchBudget);
  // The document is a property, so that operations on the whole are like all others.
  const holder = { document };
  for (const one of operations) apply(one, holder, budget);
  return holder.document;
}

/**
 * One operation. Whether it can be applied is decided here, since the library follows pointers through inherited
 * properties and into strings.
 */
function apply({ op, path, from, value, place }: JsonOperation, holder: Holder, budget: Budget): void {
  const there = valueAt(holder.document, path);
  switch (op) {
    case 'test':
      if (there === undefined) throw missing(place, 'path');
      if (!isSameJson(there, value ?? null))
        throw unprocessable(place, 'The record has another value.', '.value', 'conflict');
      return;
    case 'remove':
    case 'replace':
      if (there === undefined) throw missing(place, 'path');
      if (op === 'remove') return edit(holder, { op, path, place });
      payForPlacing(value ?? null, path.length, budget, place);
      return edit(holder, { op, path, value, place });
    case 'add':
      return add(holder, path, value ?? null, { budget, place });
    case 'copy':
    case 'move': {
      const source = from ?? [];
      const moved = valueAt(holder.document, source);
      if (moved === undefined) throw missing(place, 'from');
      const isWithin = source.every((token, at) => token === path[at]);
      if (op === 'move' && isWithin && source.length === path.length) return;
      if (op === 'move' && isWithin) throw unprocessable(place, 'It would move a value into itself.', '.path');
      if (op === 'move') edit(holder, { op: 'remove', path: source, place });
      return add(holder, path, moved, { budget, place });
    }
    default:
      op satisfies never;
  }
}

interface Holder {
  document: ExactJson;
}

function add(
  holder: Holder,
  path: readonly string[],
  value: ExactJson,
  { budget, place }: { readonly budget: Budget; readonly place: OperationPlace },
): void {
  payForPlacing(value, path.length, budget, place);
  if (path.length > 0 && !isAddable(holder.document, path)) throw missing(place, 'path', 'Nothing can be added there.');
  edit(holder, { op: 'add', path, value, place });
}

interface Edit {
  readonly op: 'add' | 'remove' | 'replace';
  readonly path: readonly string[];
  readonly value?: ExactJson | undefined;
  readonly place: OperationPlace;
}

function edit(holder: Holder, { op, path, value, place }: Edit): void {
  if (op === 'remove' && path.length === 0) throw unprocessable(place, 'It would remove the whole record.', '.path');
  const pointer = ['', 'document', ...path].map(token => token.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
  const [error] = applyPatch(holder, [op === 'remove' ? { op, path: pointer } : { op, path: pointer, value }]);
  if (error !== null && error !== undefined) throw unprocessable(place, 'The path does not exist.', '.path');
}

const missing = (
  place: OperationPlace,
  member: 'path' | 'from',
  why = `The record has nothing at its \`${member}\`.`,
) => unprocessable(place, why, `.${member}`, 'not-found');
