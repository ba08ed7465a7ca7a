import { ExpressionError } from '../syntax.ts';
import type { Expression } from '../syntax.ts';
import type { TypeDefinitions } from '../../model/element.ts';
import { EvaluationError } from './errors.ts';
import type { Environment, Evaluate } from './environment.ts';
import { keyOf, plain } from './item.ts';
import type { Item } from './item.ts';
import { single } from './operators.ts';

/** Functions and variables beyond those of FHIRPath. */
export interface Extras {
  /** Without a prototype, since names of functions come from expressions. */
  readonly functions?: Readonly<Record<string, Build>>;
  readonly variables?: ReadonlyMap<string, () => readonly Item[]>;
}

/** The context in which the parts of an expression are compiled. */
export interface Compiling extends Extras {
  readonly text: string;
  readonly types: TypeDefinitions;
  /** True within criteria that run for each value, where `$index` is defined. */
  readonly iterating: boolean;
  compile(this: void, tree: Expression, compiling: Compiling): Evaluate;
}

/** Compiles a function call from its arguments; throws ExpressionError for wrong arguments, and Delegated. */
export type Build = (args: readonly Expression[], compiling: Compiling, at: number) => Evaluate;

/** A boolean as a collection; undefined is empty. */
export const answer = (value: boolean | undefined): readonly Item[] =>
  value === undefined ? [] : value ? truth : untruth;

const truth = [true] as const;
const untruth = [false] as const;

/** Removes values that equal an earlier one. https://hl7.org/fhirpath/N1/#distinct--collection */
export function distinct(items: readonly Item[]): readonly Item[] {
  if (items.length < 2) return items;
  const seen = new Map<string, Item>();
  for (const item of items) {
    const key = keyOf(item);
    if (!seen.has(key)) seen.set(key, item);
  }
  return [...seen.values()];
}

/** Runs an expression for one value of a collection. */
export function forOne(evaluate: Evaluate, item: Item, index: number, environment: Environment): readonly Item[] {
  const { this: outer, index: place } = environment;
  environment.this = item;
  environment.index = index;
  const result = evaluate([item], environment);
  environment.this = outer;
  environment.index = place;
  return result;
}

export type Items = readonly Item[];

/** A function without arguments. */
export const plainly =
  (run: (input: Items, environment: Environment) => Items): Build =>
  (args, { text }, at) => {
    if (args.length > 0) throw new ExpressionError(text, at, 'This function takes no arguments');
    return run;
  };

/** A function whose arguments are values, evaluated where the function is called. */
export const withValues =
  (least: number, run: (input: Items, values: readonly Items[], environment: Environment) => Items): Build =>
  (args, compiling, at) => {
    if (args.length < least) throw new ExpressionError(compiling.text, at, 'An argument is missing');
    const values = args.map(arg => compiling.compile(arg, compiling));
    return (input, environment) => {
      const outer = environment.this === undefined ? input : [environment.this];
      return run(
        input,
        values.map(value => value(outer, environment)),
        environment,
      );
    };
  };

/** A function whose argument is evaluated for each value of the input. */
export const withEach =
  (run: (input: Items, each: (item: Item, index: number) => Items, environment: Environment) => Items): Build =>
  (args, compiling, at) => {
    const [criteria] = args;
    if (criteria === undefined || args.length > 1)
      throw new ExpressionError(compiling.text, at, 'This function takes one argument');
    const evaluate = compiling.compile(criteria, { ...compiling, iterating: true });
    return (input, environment) => {
      environment.budget.spend(2 * input.length);
      return run(input, (item, index) => forOne(evaluate, item, index, environment), environment);
    };
  };

/** The single text of a collection; '' for an empty one. */
export function textOf(items: Items): string {
  const item = single(items);
  if (item === undefined) return '';
  const value = plain(item);
  if (typeof value !== 'string') throw new EvaluationError('a text was expected');
  return value;
}
