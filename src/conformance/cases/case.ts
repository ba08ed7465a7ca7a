import type { QueryPair } from '../../search/request.ts';
import type { CheckId } from '../clauses.ts';

/** A search that is derived from the sample. */
export interface Case {
  readonly check: CheckId;
  readonly pairs: readonly QueryPair[];
  /** The meanings that the standard allows, as searches; usually the pairs alone. */
  readonly alternatives: readonly (readonly QueryPair[])[];
  /** True if a server may refuse it: R4 requires no modifier, prefix, chain or `_has` of all servers. */
  readonly optional: boolean;
  /** True if the standard leaves open which further records match. */
  readonly mayFindMore: boolean;
}

/** A case of one pair. */
export function caseOf(
  check: CheckId,
  name: string,
  value: string,
  { as = [value], optional = false, mayFindMore = false }: Partial<Omit<Case, 'alternatives'>> & { as?: string[] } = {},
): Case {
  const alternatives = as.map((text): readonly QueryPair[] => [[name, text]]);
  return { check, pairs: [[name, value]], alternatives, optional, mayFindMore };
}
