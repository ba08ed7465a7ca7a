import type { SortKind } from '../../search/sort-value.ts';

/** To be raised whenever sort values of the same definitions are stored differently: sort indexes are then rebuilt. */
export const sortVersion = 2;

/**
 * A sort value as a text that is in the same order as the values of its parameter, by code point. It begins with `=`,
 * so that no value is an empty text.
 */
export function sortText(value: number | string): string {
  return `=${typeof value === 'string' ? value : numberText(value)}`;
}

/** The sort value in a text. */
export function sortTextValue(text: string, kind: SortKind): number | string {
  return kind === 'text' ? text.slice(1) : numberIn(text.slice(1));
}

/** 16 hex digits: the bits of the number, changed so that they are in its order. */
function numberText(value: number): string {
  bytes.setFloat64(0, value);
  const bits = bytes.getBigUint64(0);
  const ordered = (bits & sign) === 0n ? bits | sign : ~bits & all;
  return ordered.toString(16).padStart(16, '0');
}

function numberIn(text: string): number {
  const ordered = BigInt(`0x${text}`);
  bytes.setBigUint64(0, (ordered & sign) === 0n ? ~ordered & all : ordered & ~sign);
  return bytes.getFloat64(0);
}

const bytes = new DataView(new ArrayBuffer(8));
const sign = 1n << 63n;
const all = (1n << 64n) - 1n;

/**
 * A sort key that orders documents by a number and then by id: eleven digits of base 36 that sort like its whole part
 * (up to 9e15 either way, in milliseconds for a time), three more for the fraction if there is one, \u0001, and the id.
 * A key without a value is \u0001 and the id: before all others, so last in a descending order.
 */
export function orderKey(value: number | undefined, id: string): string {
  return `${value === undefined ? '' : orderedText(value)}${separator}${id}`;
}

/** The number in an order key; null if there is none. */
export function orderValue(key: string): number | null {
  if (key.startsWith(separator)) return null;
  const high = Number.parseInt(key.slice(0, highDigits), 36) - offset;
  const whole = high * unit + Number.parseInt(key.slice(highDigits, wholeDigits), 36);
  const rest = key.slice(wholeDigits, key.indexOf(separator));
  return rest === '' ? whole : whole + Number.parseInt(rest, 36) / restUnit;
}

/** The sort key of a text of a sort index, which has no \u0001. */
export function textOrderKey(text: string | undefined, id: string): string {
  return `${text ?? ''}${separator}${id}`;
}

/** The text in an order key; empty if there is none. */
export function orderTextIn(key: string): string {
  return key.slice(0, key.indexOf(separator));
}

/** The digits of a number: the order key before all ids with it. */
export function orderedText(value: number): string {
  const whole = Math.floor(value);
  const high = Math.floor(whole / unit);
  const low = whole - high * unit;
  const text = (high + offset).toString(36).padStart(highDigits, '0') + low.toString(36).padStart(lowDigits, '0');
  return whole === value ? text : text + ((value - whole) * restUnit).toString(36).padStart(restDigits, '0');
}

/** The key before all keys of greater numbers, and after all keys of this one. */
export function behindOrdered(value: number): string {
  return `${orderedText(value)}${firstValue}`;
}

const separator = '\u0001';

/** After every order key without a value, and before all with one. */
export const firstValue = '\u0002';

/** Times are split into two integers, since both are then exact in base 36. */
const unit = 2 ** 30;
const offset = 2 ** 24;
const highDigits = 5;
const lowDigits = 6;
const wholeDigits = highDigits + lowDigits;

/** No time is finer (fhir/instant-range.ts). */
const restUnit = 2 ** 12;
const restDigits = 3;
