import { TooCostly } from './errors.ts';
import type { TypeDefinitions } from '../../model/element.ts';
import type { Item } from './item.ts';
import type { Node } from './node.ts';

/**
 * Spends the cost of comparing values: each value in an object costs as much as four visited values, and a hundred
 * characters of a text as one.
 */
export function payFor(items: readonly Item[], budget: Budget): void {
  budget.spend(items.length < 2 ? items.length : 4 * items.length);
  for (const item of items) {
    if (typeof item === 'string') budget.spend(item.length / 100);
    else if (typeof item === 'object' && item.kind === 'node') payForValue(item.value, budget);
  }
}

function payForValue(value: unknown, budget: Budget): void {
  if (typeof value === 'string') budget.spend(value.length / 100);
  if (typeof value !== 'object' || value === null) return;
  budget.spend(4);
  for (const part of Object.values(value)) payForValue(part, budget);
  if (Array.isArray(value)) budget.spend(4 * value.length);
}

/** Maximum length of a text that an expression builds: more than a record has. */
const longest = 10_000_000;

/** Spends the cost of building a text of this length. Throws TooCostly, also for a text over the maximum. */
export function payForText(length: number, budget: Budget): void {
  if (length > longest) throw new TooCostly('text');
  budget.spend(length / 1000);
}

/** The context in which an expression is evaluated. `this`, `index` and `total` change while it runs. */
export interface Environment {
  readonly types: TypeDefinitions;
  /** `%resource`, `%rootResource`, `%context`. https://hl7.org/fhir/R4/fhirpath.html#variables */
  readonly resource: Node;
  readonly rootResource: Node;
  readonly context: Node;
  readonly budget: Budget;
  /** The target of a Reference if it is available: contained, or in the same Bundle. */
  readonly resolve: (reference: Node) => Node | undefined;
  /** `memberOf`; undefined if undecided. */
  readonly memberOf: (item: Node, valueSet: string) => boolean | undefined;
  /** `conformsTo`; undefined if the profile is unknown. */
  readonly conformsTo: (item: Node, profile: string) => boolean | undefined;
  /** The digits of a decimal of the record as written, if they are known and another text than its number has. */
  readonly digits?: (decimal: Node) => string | undefined;
  this: Item | undefined;
  index: number;
  total: readonly Item[];
}

export type Evaluate = (input: readonly Item[], environment: Environment) => readonly Item[];

/** The remaining budget of the checks of one resource; each visited value costs one. */
export class Budget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** Throws TooCostly when the budget is exhausted. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooCostly();
  }

  get left(): number {
    return this.#left;
  }
}
