import type { TypeDefinitions } from '../../model/element.ts';
import { namedType } from '../named-type.ts';
import { isA } from '../result-type.ts';
import type { Expression } from '../syntax.ts';
import type { Environment, Evaluate } from './environment.ts';
import { keyOf } from './item.ts';
import type { Item } from './item.ts';

/** What the parts of an expression are compiled with. */
export interface Compiling {
  readonly text: string;
  readonly types: TypeDefinitions;
  compile(this: void, tree: Expression, compiling: Compiling): Evaluate;
}

/** Makes the function that a call stands for from its arguments; throws ExpressionError where they do not fit. */
export type Build = (args: readonly Expression[], compiling: Compiling, at: number) => Evaluate;

/** A test for a type specifier. https://hl7.org/fhirpath/N1/#is-type-specifier */
export function typeTest(tree: Expression | undefined, { text, types }: Compiling): (item: Item) => boolean {
  const code = namedType(tree, text, types);
  return item => isA(typeOf(item), code, types);
}

/** The FHIR type of a value; those of FHIRPath itself count as their FHIR namesakes. */
export function typeOf(item: Item): string {
  if (typeof item === 'string') return 'string';
  if (typeof item === 'boolean') return 'boolean';
  if (typeof item === 'number') return Number.isInteger(item) ? 'integer' : 'decimal';
  if (item.kind === 'node') return item.definition?.kind === 'complex-type' ? item.definition.name : item.code;
  return item.kind === 'quantity' ? 'Quantity' : item.text.includes('T') ? 'dateTime' : 'date';
}

/** A boolean as a collection; undefined is empty. */
export const answer = (value: boolean | undefined): readonly Item[] =>
  value === undefined ? [] : value ? truth : untruth;

const truth = [true] as const;
const untruth = [false] as const;

/** Without what is equal to one before it. https://hl7.org/fhirpath/N1/#distinct--collection */
export function distinct(items: readonly Item[]): readonly Item[] {
  if (items.length < 2) return items;
  return [...new Map(items.map(item => [keyOf(item), item])).values()];
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
