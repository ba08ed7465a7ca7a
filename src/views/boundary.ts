import { decimalOf, plus } from '../fhir/decimal.ts';
import type { ExactDecimal } from '../fhir/decimal.ts';
import { isObject } from '../fhir/json-object.ts';
import { ExpressionError } from '../fhirpath/syntax.ts';
import type { Build } from '../fhirpath/evaluate/function-forms.ts';
import { Delegated } from '../fhirpath/evaluate/errors.ts';
import type { Environment } from '../fhirpath/evaluate/environment.ts';
import { isQuantity, plain } from '../fhirpath/evaluate/item.ts';
import type { Decimal, Item, Temporal } from '../fhirpath/evaluate/item.ts';
import { nodesAt } from '../fhirpath/evaluate/node.ts';
import type { Node } from '../fhirpath/evaluate/node.ts';
import { single } from '../fhirpath/evaluate/operators.ts';
import { isNode } from '../fhirpath/evaluate/type-test.ts';

/**
 * The least and the greatest value that a value of limited precision may mean: of a decimal by its digits, of a date or
 * time by its parts, of a Quantity by its value, of a Period by its ends. An optional argument is the precision of the
 * result in digits. https://hl7.org/fhirpath/#lowboundaryprecision-integer-decimal--date--datetime--time
 */
export const boundaryFunctions: Readonly<Record<string, Build>> = {
  lowBoundary: boundary('low'),
  highBoundary: boundary('high'),
};

type End = 'low' | 'high';

function boundary(end: End): Build {
  return (args, compiling, at) => {
    if (args.length > 1) throw new ExpressionError(compiling.text, at, 'This function takes at most one argument');
    const [given] = args.map(arg => compiling.compile(arg, compiling));
    return (input, environment) => {
      const item = single(input);
      if (item === undefined) return [];
      const outer = environment.this === undefined ? input : [environment.this];
      const precision = given === undefined ? undefined : single(given(outer, environment));
      if (precision !== undefined && !(typeof precision === 'number' && Number.isInteger(precision)))
        throw new Delegated('a precision that is computed');
      environment.budget.spend(1);
      const result = boundaryOf(item, end, precision, environment);
      return result === undefined ? [] : [result];
    };
  };
}

function boundaryOf(item: Item, end: End, precision: number | undefined, environment: Environment): Item | undefined {
  if (isNode(item) && isObject(item.value)) return boundaryOfObject(item, item.value, end, precision, environment);
  const value = plain(item);
  if (typeof value === 'number') return decimalBoundary(digitsOf(item, value, environment), end, precision);
  if (typeof value === 'object' && value.kind === 'temporal') return temporalBoundary(value, end, precision);
  if (value === undefined) return undefined;
  throw new Delegated('the boundary of such a value');
}

function boundaryOfObject(
  item: Node,
  value: Record<string, unknown>,
  end: End,
  precision: number | undefined,
  environment: Environment,
): Item | undefined {
  const name = item.code === 'Period' ? (end === 'low' ? 'start' : 'end') : 'value';
  const element = isQuantity(item) || item.code === 'Period' ? item.definition?.elements.get(name) : undefined;
  if (element === undefined) throw new Delegated('the boundary of such a value');
  const [child] = nodesAt(item, element, environment.types);
  const found = child && boundaryOf(child, end, precision, environment);
  if (typeof found !== 'object' || found.kind === 'node') return undefined;
  return found.kind === 'decimal' ? { ...item, value: { ...value, value: found.value } } : found;
}

function digitsOf(item: Item, value: number, { digits }: Environment): string {
  if (isNode(item)) return digits?.(item) ?? String(value);
  return (typeof item === 'object' && item.kind === 'decimal' ? item.text : undefined) ?? String(value);
}

const mostDigits = 28;

/** Half a unit of the last digit below or above; with a precision rounded away from the value. */
function decimalBoundary(text: string, end: End, precision: number | undefined): Decimal | undefined {
  if (precision !== undefined && (precision < 0 || precision > mostDigits)) return undefined;
  const { digits, exponent } = decimalOf(text.toLowerCase());
  const half: ExactDecimal = { digits: end === 'low' ? -5n : 5n, exponent: exponent - 1 };
  const exact = plus({ digits, exponent }, half);
  const rounded = precision === undefined ? exact : atPrecision(exact, precision, end);
  const written = printDecimal(rounded);
  return { kind: 'decimal', value: Number(written), text: written };
}

function atPrecision({ digits, exponent }: ExactDecimal, precision: number, end: End): ExactDecimal {
  const dropped = -exponent - precision;
  if (dropped <= 0) return { digits: digits * 10n ** BigInt(-dropped), exponent: -precision };
  const unit = 10n ** BigInt(dropped);
  const below = digits / unit - (digits < 0n && digits % unit !== 0n ? 1n : 0n);
  return { digits: end === 'high' && digits % unit !== 0n ? below + 1n : below, exponent: -precision };
}

function printDecimal({ digits, exponent }: ExactDecimal): string {
  if (exponent >= 0) return String(digits * 10n ** BigInt(exponent));
  const [sign, size] = digits < 0n ? ['-', -digits] : ['', digits];
  const text = String(size).padStart(1 - exponent, '0');
  return `${sign}${text.slice(0, exponent)}.${text.slice(exponent)}`;
}

const temporalForm =
  /^(?:(\d{4})(?:-(\d\d)(?:-(\d\d))?)?)?T?(?:(\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?)?(Z|[+-]\d\d:\d\d)?$/;

/** The least and the greatest month, day, hour, minute, second and millisecond. */
const lowest = ['01', '01', '00', '00', '00', '000'] as const;
const highest = ['12', '31', '23', '59', '59', '999'] as const;

/** Counts of digits at which a date or time may end: year, month, day, hour, minute, second, millisecond. */
const places = [4, 6, 8, 10, 12, 14, 17];

function temporalBoundary({ type, text }: Temporal, end: End, precision: number | undefined): Temporal | undefined {
  const isTime = type === 'Time';
  const match = temporalForm.exec(isTime ? `T${text}` : text);
  if (match === null) throw new Delegated(`a text that is not a ${type}`);
  const [, year = '', month, day, hour, minute, second, fraction, zone] = match;
  const count = precision ?? (isTime ? 9 : type === 'Date' ? 8 : 17);
  const last = places.indexOf(isTime ? count + 8 : count);
  if (last === -1 || (isTime && last < 3)) return undefined;
  const given = [month, day, hour, minute, second, fraction?.padEnd(3, '0').slice(0, 3)];
  const parts = given.map((part, at) => part ?? (end === 'low' ? lowest : highest)[at] ?? '');
  if (day === undefined && !isTime && end === 'high') parts[1] = String(daysIn(Number(year), Number(parts[0])));
  const [m, d, h, min, s, ms] = parts;
  const date = [year, m, d].slice(0, Math.min(last, 2) + 1).join('-');
  const clock = last < 3 ? '' : `${[h, min, s].slice(0, last - 2).join(':')}${last > 5 ? `.${ms}` : ''}`;
  if (isTime) return { kind: 'temporal', type, text: clock };
  const widest = end === 'low' ? '+14:00' : '-12:00';
  return { kind: 'temporal', type, text: clock === '' ? date : `${date}T${clock}${zone ?? widest}` };
}

const daysIn = (year: number, month: number): number => new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
