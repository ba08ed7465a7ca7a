import { ExpressionError } from '../syntax.ts';
import { forOne } from './compiling.ts';
import type { Build } from './compiling.ts';
import { EvaluationError } from './errors.ts';
import type { Environment } from './environment.ts';
import { plain } from './item.ts';
import type { Item } from './item.ts';
import { single } from './operators.ts';

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
