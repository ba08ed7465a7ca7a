import { asString, isObject } from '../../definitions/json-object.ts';
import type { Node } from './node.ts';

/** What an expression yields: a value of the resource, or one that was computed. */
export type Item = Node | Quantity | Temporal | string | number | boolean;

/** A date, a time or both, as it was written. */
export interface Temporal {
  readonly kind: 'temporal';
  readonly text: string;
}

export interface Quantity {
  readonly kind: 'quantity';
  readonly value: number;
  readonly unit: string;
}

export type Computed = Exclude<Item, Node>;

/** The value without its place: of a primitive or a Quantity; undefined for other objects and where there is no value. */
export function plain(item: Item): Computed | undefined {
  if (typeof item !== 'object') return item;
  if (item.kind !== 'node') return item;
  const { value } = item;
  if (typeof value === 'string') return temporals.has(item.code) ? { kind: 'temporal', text: value } : value;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (!isObject(value) || !quantities.has(item.code)) return undefined;
  const { value: number, code, unit } = value;
  if (typeof number !== 'number') return undefined;
  return { kind: 'quantity', value: number, unit: asString(code) ?? asString(unit) ?? '1' };
}

const temporals: ReadonlySet<string> = new Set(['date', 'dateTime', 'instant', 'time']);
const quantities: ReadonlySet<string> = new Set(['Quantity', 'Age', 'Count', 'Distance', 'Duration']);

/** A text that is the same for values that are equal: what `distinct`, `in`, `intersect` go by. */
export function keyOf(item: Item): string {
  const value = plain(item);
  if (value === undefined) return `o${canonical((item as Node).value)}`; // only a node has no plain value
  if (typeof value === 'number') return `n${value}`;
  if (typeof value === 'string') return `s${value}`;
  if (typeof value === 'boolean') return `b${value}`;
  return value.kind === 'temporal' ? `s${value.text}` : `q${value.value} ${value.unit}`;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? '';
  const keys = Object.keys(value).sort();
  return `{${keys.map(key => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}
