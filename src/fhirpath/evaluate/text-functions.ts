import { ExpressionError } from '../syntax.ts';
import type { Build, Compiling } from './compiling.ts';
import type { Environment } from './environment.ts';
import { plain } from './item.ts';
import type { Computed, Item } from './item.ts';
import { single } from './operators.ts';
import { payForText } from './price.ts';
import { matchesPattern, replaceMatches } from './pattern.ts';

type Value = Computed | undefined;

/** A function of one value; empty where there is none, or where it gives undefined. */
const ofOne =
  (
    run: (value: Computed, values: readonly Value[], environment: Environment) => Item | readonly Item[] | undefined,
    least = 0,
  ): Build =>
  (args, compiling: Compiling, at) => {
    if (args.length < least) throw new ExpressionError(compiling.text, at, 'An argument is missing');
    const values = args.map(arg => compiling.compile(arg, compiling));
    return (input, environment) => {
      const item = single(input);
      const value = item === undefined ? undefined : plain(item);
      if (value === undefined) return [];
      const outer = environment.this === undefined ? input : [environment.this];
      const given = values.map(one => {
        const found = single(one(outer, environment));
        return found === undefined ? undefined : plain(found);
      });
      const result = run(value, given, environment);
      if (result === undefined) return [];
      return Array.isArray(result) ? (result as readonly Item[]) : [result as Item]; // an item is no array
    };
  };

/** Of one text. Texts of any length are only searched, never matched without a deadline. */
const ofText = (
  run: (text: string, values: readonly Value[], environment: Environment) => Item | readonly Item[] | undefined,
  least = 0,
): Build =>
  ofOne((value, values, environment) => {
    const text = textOf(value);
    if (text === undefined) return undefined;
    environment.budget.spend(1 + text.length / 1000);
    return run(text, values, environment);
  }, least);

const textOf = (value: Value): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'object' && value.kind === 'temporal' ? value.text : undefined;

const withText = (run: (text: string, other: string, environment: Environment) => Item | undefined): Build =>
  ofText((text, [other], environment) => {
    const given = textOf(other);
    if (given === undefined) return undefined;
    environment.budget.spend((text.length * given.length) / 100_000); // what a search for it costs at worst
    return run(text, given, environment);
  }, 1);

const ofNumber = (run: (value: number, other: number | undefined) => number | undefined): Build =>
  ofOne((value, [other]) => {
    if (typeof value !== 'number') return undefined;
    const result = run(value, typeof other === 'number' ? other : undefined);
    return result === undefined || !Number.isFinite(result) ? undefined : result;
  });

const printed = (value: Computed): string => {
  if (typeof value !== 'object') return String(value);
  return value.kind === 'temporal' ? value.text : `${value.value} '${value.unit}'`;
};

const toNumber = (value: Computed, pattern: RegExp): number | undefined => {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number') return pattern.test(String(value)) ? value : undefined;
  return typeof value === 'string' && value.length < 40 && pattern.test(value) ? Number(value) : undefined;
};

const toBoolean = (value: Computed): boolean | undefined => {
  if (typeof value === 'boolean') return value;
  const text = String(typeof value === 'object' ? '' : value).toLowerCase();
  return /^(true|t|yes|y|1|1\.0)$/.test(text) ? true : /^(false|f|no|n|0|0\.0)$/.test(text) ? false : undefined;
};

const toTemporal = (value: Computed, pattern: RegExp): Item | undefined => {
  const text = textOf(value);
  return text !== undefined && text.length < 64 && pattern.test(text) ? { kind: 'temporal', text } : undefined;
};

const integer = /^[+-]?\d+$/;
const decimal = /^[+-]?\d+(\.\d+)?$/;
const date = /^\d{4}(-\d\d(-\d\d)?)?$/;
const dateTime = /^\d{4}(-\d\d(-\d\d(T.*)?)?)?$/;
const time = /^T?\d\d(:\d\d(:\d\d(\.\d+)?)?)?$/;

/** Functions of single values. https://hl7.org/fhirpath/N1/#string-manipulation, https://hl7.org/fhirpath/N1/#conversion */
export const textFunctions: Readonly<Record<string, Build>> = {
  startsWith: withText((text, other) => text.startsWith(other)),
  endsWith: withText((text, other) => text.endsWith(other)),
  contains: withText((text, other) => text.includes(other)),
  indexOf: withText((text, other) => text.indexOf(other)),
  matches: withText((text, pattern, { budget }) => matchesPattern(text, pattern, steps => budget.spend(steps))),
  matchesFull: withText((text, pattern, { budget }) =>
    matchesPattern(text, `^(?:${pattern})$`, steps => budget.spend(steps)),
  ),
  replace: ofText((text, [from, to], { budget }) => {
    const [one, other] = [textOf(from), textOf(to)];
    if (one === undefined || other === undefined) return undefined;
    budget.spend((text.length * one.length) / 100_000);
    if (one === '') budget.spend(text.length);
    const parts = text.split(one);
    payForText(text.length + parts.length * other.length, budget);
    return parts.join(other);
  }, 2),
  replaceMatches: ofText((text, [pattern, to], { budget }) => {
    const [one, other] = [textOf(pattern), textOf(to)];
    if (one === undefined || other === undefined) return undefined;
    const quoted = other.split('$').length - 1; // each of which may stand for all of the text
    payForText(text.length + (text.length + 1) * (other.length + quoted * text.length), budget);
    return replaceMatches(text, one, other, steps => budget.spend(steps));
  }, 2),
  substring: ofText((text, [start, length]) => {
    if (typeof start !== 'number' || start < 0 || start >= text.length) return undefined;
    return text.slice(start, typeof length === 'number' ? start + length : undefined);
  }, 1),
  length: ofText(text => text.length),
  upper: ofText(text => text.toUpperCase()),
  lower: ofText(text => text.toLowerCase()),
  trim: ofText(text => text.trim()),
  toChars: ofText((text, _values, { budget }) => {
    budget.spend(text.length);
    return Array.from(text);
  }),
  split: ofText((text, [separator], { budget }) => {
    budget.spend(text.length);
    const given = textOf(separator);
    return given === undefined ? undefined : text.split(given);
  }, 1),
  toString: ofOne(printed),
  toInteger: ofOne(value => toNumber(value, integer)),
  toDecimal: ofOne(value => toNumber(value, decimal)),
  toBoolean: ofOne(toBoolean),
  toDate: ofOne(value => toTemporal(value, date)),
  toDateTime: ofOne(value => toTemporal(value, dateTime)),
  toTime: ofOne(value => toTemporal(value, time)),
  convertsToInteger: ofOne(value => toNumber(value, integer) !== undefined),
  convertsToDecimal: ofOne(value => toNumber(value, decimal) !== undefined),
  convertsToBoolean: ofOne(value => toBoolean(value) !== undefined),
  convertsToString: ofOne(() => true),
  convertsToDate: ofOne(value => toTemporal(value, date) !== undefined),
  convertsToDateTime: ofOne(value => toTemporal(value, dateTime) !== undefined),
  convertsToTime: ofOne(value => toTemporal(value, time) !== undefined),
  abs: ofNumber(Math.abs),
  ceiling: ofNumber(Math.ceil),
  floor: ofNumber(Math.floor),
  truncate: ofNumber(Math.trunc),
  sqrt: ofNumber(Math.sqrt),
  exp: ofNumber(Math.exp),
  ln: ofNumber(Math.log),
  power: ofNumber((value, exponent) => (exponent === undefined ? undefined : value ** exponent)),
  round: ofNumber((value, digits) => Math.round(value * 10 ** (digits ?? 0)) / 10 ** (digits ?? 0)),
};
