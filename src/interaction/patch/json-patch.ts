import { applyPatch } from 'rfc6902';
import { isExactObject, isSameJson } from '../../fhir/exact-json.ts';
import type { ExactJson } from '../../fhir/exact-json.ts';
import { asString } from '../../fhir/json-object.ts';
import { Budget } from '../../fhirpath/evaluate/environment.ts';
import { shorten } from '../../validation/report.ts';
import { malformed, unprocessable } from './failure.ts';
import type { OperationPlace } from './failure.ts';
import { mostOperations, patchBudget, payForPlacing } from './limits.ts';
import { isAddable, parsePointer, valueAt } from './pointer.ts';

/** An operation of a JSON Patch, whose members are checked. https://www.rfc-editor.org/rfc/rfc6902#section-4 */
export interface JsonOperation {
  readonly op: Code;
  readonly path: readonly string[];
  /** Of `move` and `copy`. */
  readonly from: readonly string[] | undefined;
  /** Of `add`, `replace` and `test`. */
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
