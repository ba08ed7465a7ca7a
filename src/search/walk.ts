import type { ResourceType, SearchParam } from '../model/model.ts';
import type { Contained, Join, Query, Sort } from './ast.ts';

/**
 * The parameters of the searched type in a query, each once: their indexes must be complete for the query. `withOwners`
 * includes those that link records to their owners. For those of other types, see `joinsOf`.
 */
export function parametersOf(query: Query, withOwners = true): readonly SearchParam[] {
  return unique(collect(query, withOwners));
}

/** The parameters of an order, the type's own `sort-date` included. */
export function parametersOfSort(type: ResourceType, sort: readonly Sort[]): readonly SearchParam[] {
  return unique(
    sort.flatMap(key => {
      if (key.by === 'param') return [key.param];
      if (key.by === 'score') return parametersOf(key.of, false).filter(({ reads }) => reads === 'words');
      return key.by === 'default' && type.sortDate !== undefined ? [type.sortDate] : [];
    }),
  );
}

function collect(query: Query, withOwners: boolean): readonly SearchParam[] {
  switch (query.kind) {
    case 'all':
    case 'id':
    case 'lastUpdated':
      return [];
    case 'and':
    case 'or':
      return query.of.flatMap(part => collect(part, withOwners));
    case 'not':
      return collect(query.of, withOwners);
    case 'owner':
      return withOwners ? query.of : [];
    case 'param':
    case 'present':
    case 'entry':
    case 'chain':
    case 'tree':
    case 'contained':
      return [query.param];
    case 'has':
      return [];
    default:
      return query satisfies never;
  }
}

/** True if no store can evaluate the query: it has joins, or tests of entries that stores do not support. */
export function needsCandidates(query: Query): boolean {
  switch (query.kind) {
    case 'and':
    case 'or':
      return query.of.some(needsCandidates);
    case 'not':
      return needsCandidates(query.of);
    case 'chain':
    case 'has':
    case 'tree':
    case 'contained':
    case 'entry':
      return true;
    case 'all':
    case 'id':
    case 'lastUpdated':
    case 'owner':
    case 'param':
    case 'present':
      return false;
    default:
      return query satisfies never;
  }
}

/** The chains, `_has` and hierarchies of a query, without inner ones. */
export function joinsOf(query: Query): readonly Join[] {
  const found: Join[] = [];
  addJoins(query, found);
  return found;
}

function addJoins(query: Query, found: Join[]): void {
  switch (query.kind) {
    case 'and':
    case 'or':
      for (const part of query.of) addJoins(part, found);
      return;
    case 'not':
      return addJoins(query.of, found);
    case 'chain':
    case 'has':
    case 'tree':
      found.push(query);
      return;
    case 'all':
    case 'id':
    case 'lastUpdated':
    case 'owner':
    case 'param':
    case 'present':
    case 'entry':
    case 'contained': // it has none: parse/contained.ts
      return;
    default:
      return query satisfies never;
  }
}

/** The other types of a query, also of inner joins, each once. */
export function joinedTypes(query: Query): readonly ResourceType[] {
  const joins = joinsOf(query);
  return joins.length === 0 ? [] : [...new Set(joins.flatMap(({ type, of }) => [type, ...joinedTypes(of)]))];
}

/** The query with each join replaced, except inner ones. */
export function mapJoins(query: Query, replace: (join: Join) => Query): Query {
  switch (query.kind) {
    case 'and':
    case 'or':
      return { kind: query.kind, of: query.of.map(part => mapJoins(part, replace)) };
    case 'not':
      return { kind: 'not', of: mapJoins(query.of, replace) };
    case 'chain':
    case 'has':
    case 'tree':
      return replace(query);
    case 'all':
    case 'id':
    case 'lastUpdated':
    case 'owner':
    case 'param':
    case 'present':
    case 'entry':
    case 'contained':
      return query;
    default:
      return query satisfies never;
  }
}

/** The tests of contained resources in a query. */
export function containedIn(query: Query): readonly Contained[] {
  switch (query.kind) {
    case 'and':
    case 'or':
      return query.of.flatMap(containedIn);
    case 'not':
      return containedIn(query.of);
    case 'contained':
      return [query];
    case 'all':
    case 'id':
    case 'lastUpdated':
    case 'owner':
    case 'param':
    case 'present':
    case 'entry':
    case 'chain':
    case 'has':
    case 'tree':
      return [];
    default:
      return query satisfies never;
  }
}

function unique(params: readonly SearchParam[]): readonly SearchParam[] {
  return [...new Map(params.map(param => [`${param.resourceType} ${param.code}`, param])).values()];
}
