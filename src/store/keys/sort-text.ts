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
