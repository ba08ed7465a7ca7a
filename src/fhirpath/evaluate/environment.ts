import { TooCostly } from './errors.ts';
import type { TypeDefinitions } from '../../model/element.ts';
import type { Item } from './item.ts';
import type { Node } from './node.ts';

/** What an expression is evaluated with. `this`, `index` and `total` change while it runs. */
export interface Environment {
  readonly types: TypeDefinitions;
  /** `%resource`, `%rootResource`, `%context`. https://hl7.org/fhir/R4/fhirpath.html#variables */
  readonly resource: Node;
  readonly rootResource: Node;
  readonly context: Node;
  readonly budget: Budget;
  /** The target of a Reference where it is at hand: contained, or in the same Bundle. */
  readonly resolve: (reference: Node) => Node | undefined;
  /** `memberOf`; undefined where it cannot be decided. */
  readonly memberOf: (item: Node, valueSet: string) => boolean | undefined;
  /** `conformsTo`; undefined where the profile is not known. */
  readonly conformsTo: (item: Node, profile: string) => boolean | undefined;
  this: Item | undefined;
  index: number;
  total: readonly Item[];
}

export type Evaluate = (input: readonly Item[], environment: Environment) => readonly Item[];

/** How much work the checks of one resource may still cost; each value looked at counts one. */
export class Budget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** Throws TooCostly when it is used up. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooCostly();
  }

  get left(): number {
    return this.#left;
  }
}
