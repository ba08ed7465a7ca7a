import { EvaluationError } from './environment.ts';
import { keyOf, plain } from './item.ts';
import type { Computed, Item } from './item.ts';
import { compareTemporal } from './temporal.ts';

type Items = readonly Item[];

/** `=`: undefined where a side is empty or precision leaves it open. https://hl7.org/fhirpath/N1/#equality */
export function equal(left: Items, right: Items): boolean | undefined {
  if (left.length === 0 || right.length === 0) return undefined;
  if (left.length !== right.length) return false;
  let result: boolean | undefined = true;
  for (const [index, item] of left.entries()) {
    const same = equalItems(item, right[index] as Item); // of the same length
    if (same === false) return false;
    if (same === undefined) result = undefined;
  }
  return result;
}

export function equalItems(left: Item, right: Item): boolean | undefined {
  const [a, b] = [plain(left), plain(right)];
  if (a === undefined || b === undefined) return a === b && keyOf(left) === keyOf(right);
  if (typeof a !== 'object' || typeof b !== 'object') return typeof a === typeof b ? a === b : keyOf(a) === keyOf(b);
  if (a.kind === 'temporal' && b.kind === 'temporal') {
    const order = compareTemporal(a.text, b.text);
    return order === undefined ? (a.text === b.text ? true : undefined) : order === 0;
  }
  if (a.kind === 'quantity' && b.kind === 'quantity') {
    return a.unit === b.unit ? a.value === b.value : undefined;
  }
  return false;
}

/** `~`: as `=`, but whatever the order, letter case and white space; both empty are equivalent. https://hl7.org/fhirpath/N1/#equivalence */
export function equivalent(left: Items, right: Items): boolean {
  if (left.length !== right.length) return false;
  const keys = (items: Items): string => items.map(looseKey).sort().join('\u0000');
  return keys(left) === keys(right);
}

const looseKey = (item: Item): string => {
  const value = plain(item);
  return typeof value === 'string' ? value.trim().toLowerCase().replace(/\s+/g, ' ') : keyOf(item);
};

/** Negative, 0 or positive for two single values; undefined where one is empty or they cannot be ordered. https://hl7.org/fhirpath/N1/#comparison */
export function order(left: Items, right: Items): number | undefined {
  const [a, b] = [single(left), single(right)];
  if (a === undefined || b === undefined) return undefined;
  const [x, y] = [plain(a), plain(b)];
  if (x === undefined || y === undefined) return undefined;
  if (typeof x === 'number' && typeof y === 'number') return x - y;
  if (typeof x === 'string' && typeof y === 'string') return x < y ? -1 : x > y ? 1 : 0;
  if (isTemporal(x) || isTemporal(y)) {
    const [one, other] = [textOf(x), textOf(y)];
    return one === undefined || other === undefined ? undefined : compareTemporal(one, other);
  }
  const [p, q] = [asQuantity(x), asQuantity(y)];
  return p === undefined || q === undefined || p.unit !== q.unit ? undefined : p.value - q.value;
}

const isTemporal = (value: Computed): boolean => typeof value === 'object' && value.kind === 'temporal';

const textOf = (value: Computed): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'object' && value.kind === 'temporal' ? value.text : undefined;

const asQuantity = (value: Computed): { readonly value: number; readonly unit: string } | undefined =>
  typeof value === 'number'
    ? { value, unit: '1' }
    : typeof value === 'object' && value.kind === 'quantity'
      ? value
      : undefined;

/** The one value; undefined for none. Throws EvaluationError for several. https://hl7.org/fhirpath/N1/#singleton-evaluation-of-collections */
export function single(items: Items): Item | undefined {
  if (items.length > 1) throw new EvaluationError(`One value was expected, and there are ${items.length}`);
  return items[0];
}

/** As a condition: what is there but no boolean counts as true; undefined for empty. */
export function condition(items: Items): boolean | undefined {
  const [first] = items;
  if (first === undefined) return undefined;
  if (items.length > 1) return true; // what the reference implementation does
  const value = plain(first);
  return typeof value === 'boolean' ? value : true;
}

/** `+ - * / div mod` on numbers, `+` on texts; empty where a side is empty or they do not fit. https://hl7.org/fhirpath/N1/#math */
export function arithmetic(operator: string, left: Items, right: Items): Items {
  const [a, b] = [single(left), single(right)];
  if (a === undefined || b === undefined) return [];
  const [x, y] = [plain(a), plain(b)];
  if (operator === '+' && typeof x === 'string' && typeof y === 'string') return [x + y];
  if (typeof x !== 'number' || typeof y !== 'number') return [];
  const result = operations[operator]?.(x, y);
  return result === undefined || !Number.isFinite(result) ? [] : [result];
}

const operations: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  div: (a, b) => Math.trunc(a / b),
  mod: (a, b) => a % b,
};
