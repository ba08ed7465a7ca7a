import { TooCostly } from './errors.ts';
import type { TypeDefinitions } from '../../model/element.ts';
import type { Item } from './item.ts';
import type { Node } from './node.ts';

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
