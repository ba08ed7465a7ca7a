import { dividedBy, exactDecimal, nearestNumber, plus, times } from '../../fhir/decimal.ts';
import type { ExactDecimal } from '../../fhir/decimal.ts';
import { Delegated, EvaluationError } from './errors.ts';
import { keyOf, plain } from './item.ts';
import type { Item, Plain, Temporal } from './item.ts';

/**
 * Compares two dates, times or date-times: negative, 0 or positive; undefined if their precision leaves it open (2020
 * against 2020-05), or if only one has a zone. A date without a time is in UTC. Throws Delegated for a time against a
 * date, and for malformed values. https://hl7.org/fhirpath/N1/#comparison
 */
function compareTemporal(left: Temporal, right: Temporal): number | undefined {
  if ((left.type === 'Time') !== (right.type === 'Time')) throw new Delegated('a time and a date');
  const [a, b] = [partsOf(left), partsOf(right)];
  if (a.zone !== b.zone && a.parts.length > 3 && b.parts.length > 3) return undefined;
  const length = Math.max(a.parts.length, b.parts.length);
  for (let index = 0; index < length; index++) {
    const [x, y] = [a.parts[index], b.parts[index]];
    if (x === undefined || y === undefined) return undefined;
    if (x !== y) return x - y;
  }
  return 0;
}

interface TemporalParts {
  readonly parts: readonly number[];
  readonly zone: boolean;
}

/** From the year on (for a time from the hour on), in UTC if there is a zone; seconds include their fraction. */
function partsOf({ type, text }: Temporal): TemporalParts {
  const match = text.length > 64 ? null : (type === 'Time' ? time : dateTime).exec(text);
  if (match === null) throw new Delegated(`a text that is not a ${type}`);
  const [, year, month, day, hour, minute, second, zone] = type === 'Time' ? ['', '', '', ...match] : match;
  const numbers: number[] = [];
  for (const part of type === 'Time' ? [hour, minute, second] : [year, month, day, hour, minute, second]) {
    if (part === undefined || part === '') break;
    numbers.push(Number(part));
  }
  if (type !== 'Time' && !isDate(numbers)) throw new Delegated(`a text that is not a ${type}`);
  if (zone === undefined) return { parts: numbers, zone: false };
  if (minute === undefined) throw new Delegated('an hour with a zone');
  const date = new Date(`${text.slice(0, 10)}T${hour}:${minute}:${(second ?? '00').slice(0, 2)}${zone}`);
  if (Number.isNaN(date.getTime())) throw new Delegated(`a text that is not a ${type}`);
  const parts = [
    date.getUTCFullYear(),
    date.getUTCMonth() + 1,
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
  ];
  if (second !== undefined) parts.push(date.getUTCSeconds() + (Number(second) % 1));
  return { parts, zone: true };
}

function isDate([year = 0, month = 1, day = 1]: readonly number[]): boolean {
  if (month < 1 || month > 12 || day < 1 || day > 31) return false;
  return day < 29 || day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

const dateTime =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(?:(\d\d)(?::(\d\d)(?::(\d\d(?:\.\d+)?))?)?(Z|[+-]\d\d:\d\d)?)?)?)?)?T?$/;
const time = /^(\d\d)(?::(\d\d)(?::(\d\d(?:\.\d+)?))?)?$/;

type Items = readonly Item[];

/**
 * `=`: undefined if a side is empty or precision leaves it open. Throws Delegated.
 * https://hl7.org/fhirpath/N1/#equality
 */
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

function equalItems(left: Item, right: Item): boolean | undefined {
  const [a, b] = [plain(left), plain(right)];
  if (a === undefined || b === undefined) return keyOf(left) === keyOf(right);
  if (typeof a === typeof b && typeof a !== 'object') return a === b;
  const sign = signOf(a, b);
  return sign === undefined ? undefined : sign === 0;
}

/**
 * Negative, 0 or positive for two single values; undefined if one is empty or they have no order.
 * https://hl7.org/fhirpath/N1/#comparison
 */
export function order(left: Items, right: Items): number | undefined {
  const [a, b] = [single(left), single(right)];
  if (a === undefined || b === undefined) return undefined;
  const [x, y] = [plain(a), plain(b)];
  if (x === undefined || y === undefined || typeof x === 'boolean') throw new Delegated('the order of such values');
  return signOf(x, y);
}

/** The order of two values; also undefined if only fhirpath.js compares them, such as quantities with several units. */
export function orderIfSimple(left: Item, right: Item): number | undefined {
  try {
    return order([left], [right]);
  } catch (error) {
    if (error instanceof Delegated) return undefined;
    throw error;
  }
}

function signOf(a: Plain, b: Plain): number | undefined {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'object' && typeof b === 'object') {
    if (a.kind === 'temporal' && b.kind === 'temporal') return compareTemporal(a, b);
    if (a.kind === 'quantity' && b.kind === 'quantity' && a.unit === b.unit) return a.value - b.value;
    if (a.kind === 'quantity' && b.kind === 'quantity') throw new Delegated('quantities of several units');
  }
  throw new Delegated('values of several types');
}

/**
 * The one value; undefined for none. Throws EvaluationError for several.
 * https://hl7.org/fhirpath/N1/#singleton-evaluation-of-collections
 */
export function single(items: Items): Item | undefined {
  if (items.length > 1) throw new EvaluationError(`one value was expected, found ${items.length}`);
  return items[0];
}

/**
 * Reads a condition: a value that is not a boolean counts as true; undefined for empty. Throws EvaluationError for
 * several values.
 */
export function condition(items: Items): boolean | undefined {
  const [first] = items;
  if (first === undefined) return undefined;
  if (typeof first === 'boolean' && items.length === 1) return first;
  single(items);
  if (typeof first !== 'object' || first.kind !== 'node') return true;
  return typeof first.value === 'boolean' ? first.value : true;
}

/**
 * `+ - * / div mod` on integers, `+ - * /` on decimals too, `+` on texts; empty if a side is empty. Throws Delegated
 * for all others.
 * https://hl7.org/fhirpath/N1/#math
 */
export function arithmetic(operator: string, left: Items, right: Items): Items {
  const [a, b] = [single(left), single(right)];
  if (a === undefined || b === undefined) return [];
  const [x, y] = [plain(a), plain(b)];
  if (operator === '+' && typeof x === 'string' && typeof y === 'string') return [x + y];
  if (typeof x !== 'number' || typeof y !== 'number') throw new Delegated('arithmetic on dates or quantities');
  if (operator === '/' && y === 0) return [];
  const operation = isInteger(a) && isInteger(b) ? operations[operator] : undefined;
  if (operation === undefined) {
    const exact = exactOperations[operator];
    if (exact === undefined) throw new Delegated('whole quotients of decimals');
    return [{ kind: 'decimal', value: nearestNumber(exact(exactDecimal(x), exactDecimal(y))) }];
  }
  if (y === 0 && (operator === 'div' || operator === 'mod')) return [];
  const result = operation(x, y);
  if (Math.abs(result) > largest) throw new Delegated('an integer of more than 32 bits');
  return [result === 0 ? 0 : result]; // no negative zero
}

const operations: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  div: (a, b) => Math.trunc(a / b),
  mod: (a, b) => a % b,
};

/** Decimals are computed exactly, and then rounded to the nearest number. */
const exactOperations: Readonly<Record<string, (a: ExactDecimal, b: ExactDecimal) => ExactDecimal>> = {
  '+': plus,
  '-': (a, { digits, exponent }) => plus(a, { digits: -digits, exponent }),
  '*': times,
  '/': dividedBy,
};

/** The largest Integer of FHIRPath. */
export const largest = 2 ** 31 - 1;

const integers: ReadonlySet<string> = new Set(['integer', 'positiveInt', 'unsignedInt']);

const isInteger = (item: Item): boolean =>
  typeof item === 'number' || (typeof item === 'object' && item.kind === 'node' && integers.has(item.code));
