import { isExactObject } from '../../fhir/exact-json.ts';
import type { ExactJson } from '../../fhir/exact-json.ts';

/** The names and indexes of a JSON Pointer; undefined for an invalid one. https://www.rfc-editor.org/rfc/rfc6901 */
export function parsePointer(text: string): readonly string[] | undefined {
  if (text === '') return [];
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return undefined;
  return text
    .slice(1)
    .split('/')
    .map(token => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a pointer, through own properties and existing items only; undefined if there is none. */
export function valueAt(document: ExactJson, tokens: readonly string[]): ExactJson | undefined {
  let value: ExactJson | undefined = document;
  for (const token of tokens) value = childOf(value, token);
  return value;
}

/** Whether a value may be added there: to an object, or within an array or at its end. */
export function isAddable(document: ExactJson, tokens: readonly string[]): boolean {
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
