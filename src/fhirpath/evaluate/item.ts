import { isObject } from '../../fhir/json-object.ts';
import { Delegated } from './errors.ts';
import type { Node } from './node.ts';

/** A result: a value of the resource, or a computed one. A computed number is an Integer. */
export type Item = Node | Quantity | Temporal | Decimal | string | number | boolean;

/** A date, a time or both, as written, without `@` and the `T` of a time. */
export interface Temporal {
  readonly kind: 'temporal';
  readonly type: 'Date' | 'DateTime' | 'Time';
  readonly text: string;
}

export interface Quantity {
  readonly kind: 'quantity';
  readonly value: number;
  /** Identifies the unit: quantities with one unit are compared by their values. */
  readonly unit: string;
}

/** A literal such as `1.0`, or a computed decimal. */
export interface Decimal {
  readonly kind: 'decimal';
  readonly value: number;
  /** Its digits as written, if they are known. */
  readonly text?: string;
}

/** A value without its position. Integers and decimals are numbers, which compare alike. */
export type Plain = Quantity | Temporal | string | number | boolean;

/** The value of a primitive or a Quantity; undefined for other objects and without a value. Throws Delegated. */
export function plain(item: Item): Plain | undefined {
  if (typeof item !== 'object') return item;
  if (item.kind === 'decimal') return item.value;
  if (item.kind !== 'node') return item;
  const { value } = item;
  if (typeof value === 'string') {
    const type = temporals[item.code];
    return type === undefined ? value : { kind: 'temporal', type, text: value };
  }
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return isObject(value) && isQuantity(item) ? quantityOf(value) : undefined;
}

const temporals: Readonly<Record<string, Temporal['type'] | undefined>> = {
  date: 'Date',
  dateTime: 'DateTime',
  instant: 'DateTime',
  time: 'Time',
};

/** True for a Quantity and the types derived from it. https://hl7.org/fhir/R4/datatypes.html#quantity */
export const isQuantity = ({ code }: Node): boolean => quantities.has(code);

const quantities: ReadonlySet<string> = new Set(['Quantity', 'Age', 'Count', 'Distance', 'Duration']);

function quantityOf(object: Record<string, unknown>): Quantity | undefined {
  const { value, code, unit, system, comparator } = object;
  if (comparator !== undefined) throw new Delegated('a quantity with a comparator');
  if (typeof value !== 'number') return undefined;
  if (system === ucum && typeof code === 'string') return { kind: 'quantity', value, unit: ucumUnit(code) };
  return { kind: 'quantity', value, unit: JSON.stringify([system, code, code === undefined ? unit : '']) };
}

const ucum = 'http://unitsofmeasure.org';

/** A UCUM unit, as in literals: `4 'mg'`. */
export const ucumUnit = (code: string): string => `'${code}'`;

/**
 * Returns one text for all equal values, for `distinct`, `in`, `intersect`. Throws Delegated for values whose equality
 * depends on more than their text: dates of several precisions, quantities with several units.
 */
export function keyOf(item: Item): string {
  const value = plain(item);
  if (typeof value === 'string') return `s${value}`;
  if (typeof value === 'number') return `n${value}`;
  if (typeof value === 'boolean') return `b${value}`;
  if (value !== undefined)
    throw new Delegated(`the equality of several ${value.kind === 'temporal' ? 'dates' : 'quantities'}`);
  const node = item as Node; // only a node has no plain value
  if (node.value === undefined) throw new Delegated('the equality of elements without a value');
  if (isQuantity(node)) throw new Delegated('the equality of several quantities');
  return `o${canonical(node.value)}`;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? '';
  const keys = Object.keys(value).sort();
  return `{${keys.map(key => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}

/** A value of a definition (a date, a time, a number, a Quantity) as FHIRPath compares it; undefined for any other. */
export function jsonItem(value: unknown): Item | undefined {
  if (typeof value === 'number') return value;
  if (isObject(value)) return quantityOf(value);
  if (typeof value !== 'string') return undefined;
  const type = /^\d\d:/.test(value) ? 'Time' : value.includes('T') ? 'DateTime' : 'Date';
  return { kind: 'temporal', type, text: value };
}
