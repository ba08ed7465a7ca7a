import type { Clause } from './clause.ts';
import type { After, Key } from './order.ts';

/** A resolved search: plain data, which can be sent to a reader worker. */
export interface LoweredSearch {
  readonly t: number;
  readonly clause: Clause;
  readonly keys: readonly Key[];
  readonly limit: number;
  readonly after: After | undefined;
}
