import type { Query } from './ast.ts';
import { print } from './print.ts';

/** The query without matches. */
export const none: Query = { kind: 'id', anyOf: [] };

/**
 * An equivalent query that is cheaper: nested `and` and `or` flattened, duplicates removed, negation pushed down to
 * single tests, ids merged, and bounds on single values (lastUpdated, a single-valued parameter) merged into one test.
 */
export function simplify(query: Query): Query {
  switch (query.kind) {
    case 'and':
      return join('and', query.of.map(simplify));
    case 'or':
      return join('or', query.of.map(simplify));
    case 'not':
      return negate(query.of);
    case 'all':
    case 'id':
    case 'lastUpdated':
    case 'owner':
    case 'param':
    case 'present':
    case 'entry':
      return query;
    case 'chain':
    case 'has': {
      const [of, within] = [simplify(query.of), query.within && simplify(query.within)];
      return isNone(of) ? none : { ...query, of, within };
    }
    case 'inside':
    case 'contained': {
      const of = simplify(query.of);
      return isNone(of) ? none : { ...query, of };
    }
    case 'tree':
      return { ...query, of: simplify(query.of) };
    default:
      return query satisfies never;
  }
}

/** The complement: `not (a or b)` is `not a and not b`. */
function negate(query: Query): Query {
  switch (query.kind) {
    case 'all':
      return none;
    case 'and':
      return join('or', query.of.map(negate));
    case 'or':
      return join('and', query.of.map(negate));
    case 'not':
      return simplify(query.of);
    case 'id':
      return query.anyOf.length === 0 ? { kind: 'all' } : { kind: 'not', of: query };
    case 'lastUpdated':
    case 'owner':
    case 'param':
    case 'present':
    case 'entry':
      return { kind: 'not', of: query };
    case 'chain':
    case 'inside':
    case 'has':
    case 'tree':
    case 'contained': {
      const of = simplify(query);
      return isNone(of) ? { kind: 'all' } : { kind: 'not', of };
    }
    default:
      return query satisfies never;
  }
}

function join(kind: 'and' | 'or', parts: readonly Query[]): Query {
  const [first, ...others] = parts;
  if (first !== undefined && others.length === 0) return first;
  if (areApart(parts)) return { kind, of: parts }; // most searches: nothing can be merged
  const flat = parts.some(part => part.kind === kind)
    ? parts.flatMap(part => (part.kind === kind ? part.of : [part]))
    : parts;
  const [neutral, absorbing, merge] = kind === 'and' ? [isAll, isNone, both] : [isNone, isAll, oneOf];
  const absorbed = flat.find(absorbing);
  if (absorbed !== undefined) return absorbed;

  const joined: Query[] = [];
  for (const part of flat) {
    if (neutral(part)) continue;
    const together = mergeInto(joined, part, merge);
    if (together === undefined) joined.push(part);
    else if (absorbing(together)) return together;
  }
  const distinct = areApart(joined) ? joined : [...new Map(joined.map(part => [print(part), part])).values()];
  const [only] = distinct;
  if (only === undefined) return kind === 'and' ? { kind: 'all' } : none;
  return distinct.length === 1 ? only : { kind, of: distinct };
}

/** Replaces the first part that can be merged with another by both in one, and returns that; undefined if none can. */
function mergeInto(parts: Query[], other: Query, merge: (a: Query, b: Query) => Query | undefined): Query | undefined {
  for (const [at, part] of parts.entries()) {
    const together = merge(part, other);
    if (together === undefined) continue;
    parts[at] = together;
    return together;
  }
  return undefined;
}

/** Whether all test distinct parameters, so that no two can be merged. */
function areApart(parts: readonly Query[]): boolean {
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at];
    if (part?.kind !== 'param') return false;
    for (let before = 0; before < at; before++) {
      const other = parts[before];
      if (other?.kind !== 'param' || other.param.code === part.param.code) return false;
    }
  }
  return parts.length > 0;
}

/** One query for both, if there is a simpler one. */
function both(a: Query, b: Query): Query | undefined {
  if (a.kind === 'id' && b.kind === 'id') return { kind: 'id', anyOf: a.anyOf.filter(id => b.anyOf.includes(id)) };
  if (a.kind === 'lastUpdated' && b.kind === 'lastUpdated')
    return { kind: 'lastUpdated', bounds: [...a.bounds, ...b.bounds] };
  if (a.kind !== 'param' || b.kind !== 'param' || a.param.code !== b.param.code || !a.param.single) return undefined;
  if (a.test.kind !== 'range' || b.test.kind !== 'range') return undefined;
  return { ...a, test: { kind: 'range', bounds: [...a.test.bounds, ...b.test.bounds] } };
}

function oneOf(a: Query, b: Query): Query | undefined {
  return a.kind === 'id' && b.kind === 'id' ? { kind: 'id', anyOf: [...new Set([...a.anyOf, ...b.anyOf])] } : undefined;
}

const isAll = (query: Query): boolean => query.kind === 'all';
/** True if the query can have no match, by its form. */
export const isNone = (query: Query): boolean => query.kind === 'id' && query.anyOf.length === 0;
