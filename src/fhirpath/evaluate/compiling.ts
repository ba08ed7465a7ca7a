import type { TypeDefinitions } from '../../model/element.ts';
import type { Expression } from '../syntax.ts';
import type { Environment, Evaluate } from './environment.ts';
import { keyOf } from './item.ts';
import type { Item } from './item.ts';

/** The context in which the parts of an expression are compiled. */
export interface Compiling {
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
