import { FhirError } from '../fhir/error.ts';
import type { Model, ResourceType } from '../model/model.ts';
import type { Query } from '../search/ast.ts';
import { isCriterion } from '../search/parse/criterion.ts';
import { parsePairs } from '../search/parse/pairs.ts';
import { parseSearch } from '../search/parse/search.ts';

/** The partition and the time for which a rule is evaluated. */
export interface AccessPlace {
  readonly model: Model;
  /** `{publicUrl}/r4/{partition}`. */
  readonly base: string;
  /** IANA zone of the partition. */
  readonly zone: string;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
}

/**
 * The query of a search expression (`category=laboratory&status=final`) that restricts access; `fill` replaces
 * placeholders in its values. Undefined if it is not a valid search on the type, which must grant nothing: an ignored
 * part would widen access.
 */
export function criteriaQuery(
  type: ResourceType,
  criteria: string,
  { model, base, zone, now }: AccessPlace,
  fill: (value: string) => string | undefined = value => value,
): Query | undefined {
  try {
    const pairs: [string, string][] = [];
    for (const [name, text] of parsePairs(criteria)) {
      const value = fill(text);
      if (value === undefined || !isCriterion(name)) return undefined;
      pairs.push([name, value]);
    }
    if (pairs.length === 0) return undefined;
    return parseSearch(type, pairs, { model, base, zone, handling: 'strict', now }).query;
  } catch (error) {
    if (error instanceof FhirError) return undefined;
    throw error;
  }
}
