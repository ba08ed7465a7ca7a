import { exactOf, printExact } from '../fhir/exact-json.ts';
import type { Decimals } from '../fhir/json.ts';
import { isObject } from '../fhir/json-object.ts';
import type { Item } from '../fhirpath/evaluate/item.ts';
import type { Node } from '../fhirpath/evaluate/node.ts';

/** The value of a column: null for none; a JSON text for collections, complex values, and decimals with more digits. */
export type Cell = null | string | number | boolean | JsonCell;

export interface JsonCell {
  /** `1.50`, `["a"]`, `{"value":1.50}`. */
  readonly json: string;
}

/** The cell of one value; undefined for an element without a value, such as one with extensions only. */
export function cellOf(item: Item, decimals: Decimals | undefined): Exclude<Cell, null> | undefined {
  if (typeof item !== 'object') return item;
  if (item.kind === 'temporal') return item.text;
  if (item.kind === 'decimal') return numberCell(item.value, item.text);
  if (item.kind === 'quantity')
    return { json: JSON.stringify({ value: item.value, unit: item.unit.replaceAll("'", '') }) };
  const { value } = item;
  if (typeof value === 'number')
    return numberCell(value, decimals === undefined ? undefined : digitsOf(item, decimals));
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (!isObject(value)) return undefined;
  return { json: decimals === undefined ? JSON.stringify(value) : printExact(exactOf({ value, decimals })) };
}

const numberCell = (value: number, text: string | undefined): number | JsonCell =>
  text === undefined || text === String(value) ? value : { json: text };

/** The text of a cell in JSON. */
export function printCell(cell: Cell): string {
  return typeof cell === 'object' && cell !== null ? cell.json : JSON.stringify(cell);
}

/** The digits of a number of the record as written; undefined if `String` prints the same. */
export function digitsOf({ parent, element, code, index }: Node, decimals: Decimals): string | undefined {
  if (parent === undefined || element === undefined || !isObject(parent.value)) return undefined;
  const property = element.types.find(type => type.code === code)?.property ?? element.name;
  if (index < 0) return decimals.get(parent.value)?.[property];
  const list = parent.value[property];
  return Array.isArray(list) ? decimals.get(list)?.[index] : undefined;
}

/** The text of a cell in formats without types: a decimal has the digits of the record; null for none. */
export function cellText(cell: Cell): string | null {
  if (cell === null) return null;
  return typeof cell === 'object' ? cell.json : String(cell);
}

/** The value of a cell that is a whole number; undefined for any other. */
export function wholeNumber(cell: Cell): bigint | undefined {
  const text = typeof cell === 'number' || typeof cell === 'object' ? cellText(cell) : null;
  return text !== null && /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
}
