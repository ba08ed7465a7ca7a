import { FhirError } from '../fhir/error.ts';
import type { Model, ResourceType } from '../model/model.ts';
import type { Query } from '../search/ast.ts';
import { matches } from '../search/matches.ts';
import { Ignorable } from '../search/parse/ignorable.ts';
import { parseSearch } from '../search/parse/search.ts';
import type { QueryPair } from '../search/request.ts';
import { readings } from './readings.ts';
import type { Known, Records } from './records.ts';

/** Whether a record matches: `open` if the readings differ, or if this tester cannot decide. */
export type Verdict = 'yes' | 'no' | 'open';

/** The meaning of a search, in each reading and each alternative. */
export interface Meaning {
  verdict(known: Known): Verdict;
}

/**
 * The meaning of a search of a type. `alternatives` are texts with the meanings that the standard allows for one
 * search; usually one. Undefined if the definitions do not give it a meaning, such as a value set that is not loaded.
 */
export function meaningOf(
  type: ResourceType,
  alternatives: readonly (readonly QueryPair[])[],
  { model, records, base }: { readonly model: Model; readonly records: Records; readonly base: string },
): Meaning | undefined {
  const now = Date.now();
  let queries: readonly (readonly Query[])[];
  try {
    queries = readings.map(({ zone }) =>
      alternatives.map(
        pairs => parseSearch(type, pairs, { model, base, zone, handling: 'strict', now, joins: true }).query,
      ),
    );
  } catch (error) {
    if (!(error instanceof FhirError || error instanceof Ignorable)) throw error;
    return undefined;
  }
  const codes = new Set(alternatives.flat().map(([name]) => name.replace(/[:.].*$/, '')));
  return {
    verdict(known) {
      if ([...codes].some(code => known.undecided.has(code))) return 'open';
      const found = queries.flatMap((alternative, at) => {
        const indexed = known.indexed[at];
        if (indexed === undefined) return [];
        const others = { base, of: (name: string) => records.of(name).flatMap(one => one.indexed[at] ?? []) };
        return alternative.map(query => matches(query, indexed, others));
      });
      if (found.every(Boolean)) return 'yes';
      return found.some(Boolean) ? 'open' : 'no';
    },
  };
}
