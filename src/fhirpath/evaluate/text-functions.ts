import { ExpressionError } from '../syntax.ts';
import type { Build } from './function-forms.ts';
import { payForText } from './environment.ts';
import { Delegated, EvaluationError } from './errors.ts';
import type { Environment } from './environment.ts';
import { plain } from './item.ts';
import type { Item, Plain } from './item.ts';
import { single } from './operators.ts';
import { matchesPattern, replaceMatches } from './pattern.ts';

type TextFunction = (text: string, values: readonly Plain[], environment: Environment) => Item | undefined;

/**
 * A function of one text and values; empty if one of them is empty. Long texts are only searched, never matched without
 * a time limit.
 */
const ofText =
  (least: number, most: number, run: TextFunction): Build =>
  (args, compiling, at) => {
    if (args.length < least || args.length > most)
      throw new ExpressionError(
        compiling.text,
        at,
        `This function takes ${least === most ? least : `${least} to ${most}`} arguments`,
      );
    const values = args.map(arg => compiling.compile(arg, compiling));
    return (input, environment) => {
      const item = single(input);
      const text = item === undefined ? undefined : plain(item);
      if (item !== undefined && typeof text !== 'string') {
        // Only texts have these functions, but dates convert to texts.
        if (typeof text === 'object' && text.kind === 'temporal') throw new Delegated('a date as a text');
        throw new EvaluationError('a text was expected');
      }
      const outer = environment.this === undefined ? input : [environment.this];
      const given: Plain[] = [];
      for (const value of values) {
        const found = single(value(outer, environment));
        const one = found === undefined ? undefined : plain(found);
        if (one === undefined) {
          if (found !== undefined) throw new EvaluationError('a text or a number was expected');
          return [];
        }
        given.push(one);
      }
      if (typeof text !== 'string') return [];
      environment.budget.spend(1 + text.length / 1000);
      const result = run(text, given, environment);
      return result === undefined ? [] : [result];
    };
  };

function textOf(value: Plain | undefined): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object') throw new Delegated('a date or a quantity as a text');
  throw new EvaluationError('a text was expected');
}

function integerOf(value: Plain | undefined): number {
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  throw new EvaluationError('an integer was expected');
}

/** With another text that is searched for. */
const withText = (run: (text: string, other: string, environment: Environment) => Item | undefined): Build =>
  ofText(1, 1, (text, [other], environment) => {
    const given = textOf(other);
    environment.budget.spend((text.length * given.length) / 100_000); // the cost of the search in the worst case
    return run(text, given, environment);
  });

const replace = ofText(2, 2, (text, [from, to], { budget }) => {
  const [one, other] = [textOf(from), textOf(to)];
  budget.spend((text.length * one.length) / 100_000 + (one === '' ? text.length : 0));
  const found = one === '' ? text.length + 1 : text.split(one).length - 1;
  payForText(text.length + found * other.length, budget);
  return text.replaceAll(one, () => other);
});

const replacePattern = ofText(2, 2, (text, [pattern, to], { budget }) => {
  const [one, other] = [textOf(pattern), textOf(to)];
  if (one === '') return text;
  if (other.includes('$') || other.includes('\\')) throw new Delegated('parts of a match in its replacement');
  payForText(text.length + (text.length + 1) * other.length, budget);
  return replaceMatches(text, one, other, steps => budget.spend(steps));
});

const substring = ofText(1, 2, (text, [start, length]) => {
  const from = integerOf(start);
  if (from < 0 || from >= text.length) return undefined;
  return text.slice(from, length === undefined ? undefined : from + Math.max(0, integerOf(length)));
});

/**
 * The result of converting a single value; undefined if it does not convert. Dates, decimals and quantities are
 * delegated to fhirpath.js.
 */
const converted =
  (convert: (value: string | number | boolean) => Item | undefined, test: boolean): Build =>
  (args, { text }, at) => {
    if (args.length > 0) throw new ExpressionError(text, at, 'This function takes no arguments');
    return input => {
      const item = single(input);
      if (item === undefined) return [];
      const value = plain(item);
      const decimal =
        typeof item === 'object' && (item.kind === 'decimal' || (item.kind === 'node' && item.code === 'decimal'));
      if (value === undefined || typeof value === 'object' || decimal)
        throw new Delegated('the conversion of such a value');
      const result = convert(value);
      return test ? [result !== undefined] : result === undefined ? [] : [result];
    };
  };

/** Dates as written; decimals as in JSON, without trailing zeros. */
const toText: Build = (args, { text }, at) => {
  if (args.length > 0) throw new ExpressionError(text, at, 'This function takes no arguments');
  return input => {
    const item = single(input);
    if (item === undefined) return [];
    const value = plain(item);
    if (typeof value === 'object' && value.kind === 'temporal' && !value.text.endsWith('T')) return [value.text];
    const literal = typeof item === 'object' && item.kind === 'decimal';
    if (
      value === undefined ||
      typeof value === 'object' ||
      literal ||
      /e/.test(typeof value === 'number' ? String(value) : '')
    )
      throw new Delegated('the text of such a value');
    return [String(value)];
  };
};

function toInteger(value: string | number | boolean): number | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number') return value;
  if (!/^[+-]?\d{1,12}$/.test(value)) return undefined;
  const number = Number(value);
  if (Math.abs(number) >= 2 ** 31) throw new Delegated('an integer of more than 32 bits');
  return number === 0 ? 0 : number;
}

function toBoolean(value: string | number | boolean): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const text = String(value).toLowerCase();
  return /^(true|t|yes|y|1|1\.0)$/.test(text) ? true : /^(false|f|no|n|0|0\.0)$/.test(text) ? false : undefined;
}

/**
 * Functions of single values. https://hl7.org/fhirpath/N1/#string-manipulation,
 * https://hl7.org/fhirpath/N1/#conversion
 */
export const textFunctions: Readonly<Record<string, Build>> = {
  startsWith: withText((text, other) => text.startsWith(other)),
  endsWith: withText((text, other) => text.endsWith(other)),
  contains: withText((text, other) => text.includes(other)),
  indexOf: withText((text, other) => text.indexOf(other)),
  matches: withText((text, pattern, { budget }) => matchesPattern(text, pattern, steps => budget.spend(steps))),
  matchesFull: withText((text, pattern, { budget }) =>
    matchesPattern(text, `^(?:${pattern})$`, steps => budget.spend(steps)),
  ),
  replace,
  replaceMatches: replacePattern,
  substring,
  length: ofText(0, 0, text => text.length),
  upper: ofText(0, 0, text => text.toUpperCase()),
  lower: ofText(0, 0, text => text.toLowerCase()),
  trim: ofText(0, 0, text => text.trim()),
  toString: toText,
  toInteger: converted(toInteger, false),
  toBoolean: converted(toBoolean, false),
  convertsToInteger: converted(toInteger, true),
  convertsToBoolean: converted(toBoolean, true),
};
