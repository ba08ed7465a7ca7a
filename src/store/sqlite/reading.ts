import type { Failure } from '../files/failures.ts';
import type { FoundRow } from './found.ts';
import type { LoweredCount } from './count.ts';
import type { Budget } from './budget.ts';
import type { LoweredSearch } from './lowered-search.ts';
import type { Traced } from './trace.ts';

/** A request to a reader worker. */
export type Question =
  | { readonly kind: 'page'; readonly search: LoweredSearch; readonly budget: Budget }
  | { readonly kind: 'count'; readonly count: LoweredCount; readonly budget: Budget }
  | { readonly kind: 'bytes'; readonly tree: string };

export interface ReaderRequest {
  readonly question: Question;
  /** Records the statements. */
  readonly explain: boolean;
  /** Its deadline, in milliseconds. */
  readonly deadline: number;
}

export type ReaderAnswer =
  | { readonly kind: 'page'; readonly rows: readonly FoundRow[]; readonly trace?: Traced }
  | { readonly kind: 'count'; readonly count: number; readonly trace?: Traced }
  | { readonly kind: 'bytes'; readonly bytes: number; readonly trace?: Traced }
  | { readonly kind: 'late' }
  /** `failure` is undefined for a bug of the engine. */
  | { readonly kind: 'failed'; readonly failure: Failure | undefined; readonly error: unknown };
