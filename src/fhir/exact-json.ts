import { decimalText } from './json.ts';
import type { ParsedJson } from './json.ts';
import { isObject } from './json-object.ts';

/**
 * A JSON value in which each number is its text after U+0000, which no string of a parsed text contains: it may be
 * moved and copied without a change of its digits. Property names are own ones, also `__proto__`.
 */
export type ExactJson = string | boolean | null | ExactJson[] | ExactObject;
export type ExactObject = { [name: string]: ExactJson };

/** The exact form of a parsed JSON text that is an object or an array. */
export function exactOf({ value, decimals }: Pick<ParsedJson, 'value' | 'decimals'>): ExactJson {
  const child = (parent: object, key: string | number, own: unknown): ExactJson =>
    typeof own === 'number' ? mark + decimalText(decimals, parent, key, own) : exact(own);
  const exact = (one: unknown): ExactJson => {
    if (typeof one === 'number') throw new Error('A number has no parent');
    if (Array.isArray(one)) return one.map((item, at) => child(one, at, item));
    if (isObject(one))
      return Object.fromEntries(Object.entries(one).map(([name, own]) => [name, child(one, name, own)]));
    return typeof one === 'string' || typeof one === 'boolean' ? one : null;
  };
  return exact(value);
}

/** The JSON text, compact. */
export function printExact(value: ExactJson): string {
  if (typeof value === 'string') return isNumber(value) ? value.slice(1) : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(printExact).join(',')}]`;
  if (value === null || typeof value === 'boolean') return String(value);
  const properties = Object.entries(value).map(([name, own]) => `${JSON.stringify(name)}:${printExact(own)}`);
  return `{${properties.join(',')}}`;
}

/** The value as JSON.parse would return it. */
export function plainOf(value: ExactJson): unknown {
  if (typeof value === 'string') return isNumber(value) ? Number(value.slice(1)) : value;
  if (Array.isArray(value)) return value.map(plainOf);
  if (value === null || typeof value === 'boolean') return value;
  return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, plainOf(own)]));
}

/** True for the same value: numbers are compared numerically. https://www.rfc-editor.org/rfc/rfc6902#section-4.6 */
export function isSameJson(one: ExactJson, other: ExactJson): boolean {
  if (typeof one === 'string' && typeof other === 'string')
    return one === other || (isNumber(one) && isNumber(other) && numberKey(one) === numberKey(other));
  if (Array.isArray(one))
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, at) => isSameJson(item, other[at] as ExactJson)) // of the same length
    );
  if (!isExactObject(one) || !isExactObject(other)) return one === other;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(
      name => Object.hasOwn(other, name) && isSameJson(one[name] as ExactJson, other[name] as ExactJson), // own ones
    )
  );
}

export const isExactObject = (value: unknown): value is ExactObject => isObject(value);

const mark = '\u0000';

const isNumber = (text: string): boolean => text.startsWith(mark);

/** One text for all equal numbers: significant digits and exponent. */
function numberKey(marked: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(marked.slice(1)) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
