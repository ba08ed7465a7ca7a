import { FhirError } from '../fhir/error.ts';
import type { Model, ResourceType } from '../model/model.ts';
import type { Query } from '../search/ast.ts';
import { parsePairs } from '../search/parse/pairs.ts';
import { controls } from '../search/parse/result-parameters.ts';
import { parseSearch } from '../search/parse/search.ts';

/** Where and when a rule is read. */
export interface Place {
  readonly model: Model;
  /** `{publicUrl}/r4/{partition}`. */
  readonly base: string;
  /** IANA zone of the partition. */
  readonly zone: string;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
}

/**
 * What a search expression (`category=laboratory&status=final`) that confines somebody means; `fill` gives the values as they
 * are to be read. Undefined where it is no search that works on the type, which is to give nothing: a part that were left out
 * would widen what is seen.
 */
export function criteriaQuery(
  type: ResourceType,
  criteria: string,
  { model, base, zone, now }: Place,
  fill: (value: string) => string | undefined = value => value,
): Query | undefined {
  try {
    const pairs: [string, string][] = [];
    for (const [name, text] of parsePairs(criteria)) {
      const value = fill(text);
      if (value === undefined || (controls as readonly string[]).includes(name.split(':')[0] ?? '')) return undefined;
      pairs.push([name, value]);
    }
    if (pairs.length === 0) return undefined;
    return parseSearch(type, pairs, { model, base, zone, handling: 'strict', now }).query;
  } catch (error) {
    if (error instanceof FhirError) return undefined;
    throw error;
  }
}
