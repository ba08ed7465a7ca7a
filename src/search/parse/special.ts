import { isId } from '../../fhir/id.ts';
import type { Query } from '../ast.ts';
import { parseDateBounds } from './date.ts';
import { unescape } from './escape.ts';
import type { SearchContext, Value } from './value.ts';

/**
 * The parameters that a store evaluates without index entries, by code: values joined by `or`.
 * https://hl7.org/fhir/R4/search.html#all
 */
export const specialParameters: ReadonlyMap<string, (values: readonly Value[], context: SearchContext) => Query> =
  new Map([
    ['_id', ids],
    ['_lastUpdated', lastUpdated],
  ]);

/** Exact and case-sensitive; an invalid id matches nothing. */
function ids(values: readonly Value[]): Query {
  return { kind: 'id', anyOf: [...new Set(values.map(value => unescape(value.text)).filter(isId))] };
}

/** The date prefixes on whole milliseconds: a bound between two of them equals one at the later. */
function lastUpdated(values: readonly Value[], context: SearchContext): Query {
  const of = values
    .flatMap(value => parseDateBounds(value, context.zone, context))
    .map(bounds => bounds.map(bound => ({ ...bound, value: Math.ceil(bound.value) })))
    .map((bounds): Query => ({ kind: 'lastUpdated', bounds }));
  return { kind: 'or', of };
}
