import type { ResourceType, SearchParam } from '../model/model.ts';
import type { Chain, Contained, Has, Join, Query, Sort } from './ast.ts';

/**
 * The parameters of the searched type in a query, each once: their indexes must be complete for the query. `withOwners`
 * includes those that link records to their owners. For those of other types, see `joinsOf`.
 */
export function parametersOf(query: Query, withOwners = true): readonly SearchParam[] {
  return unique(partsOf(query).flatMap(part => paramsOf(part, withOwners)));
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

/** A part of a query that does not combine others. */
type QueryLeaf = Exclude<Query, { readonly kind: 'and' | 'or' | 'not' }>;

/** The parts that a query combines, without those of joins. */
function partsOf(query: Query, found: QueryLeaf[] = []): readonly QueryLeaf[] {
  if (query.kind === 'and' || query.kind === 'or') for (const part of query.of) partsOf(part, found);
  else if (query.kind === 'not') partsOf(query.of, found);
  else found.push(query);
  return found;
}

function paramsOf(part: QueryLeaf, withOwners: boolean): readonly SearchParam[] {
  if (part.kind === 'owner') return withOwners ? part.of : [];
  return 'param' in part && part.kind !== 'has' ? [part.param] : [];
}

const isJoin = (part: QueryLeaf): part is Join =>
  part.kind === 'chain' || part.kind === 'inside' || part.kind === 'has' || part.kind === 'tree';

/** The inner query of a chain or `_has`, restricted to the resources that are open to the caller. */
export const openTo = ({ of, within }: Chain | Has): Query =>
  within === undefined ? of : { kind: 'and', of: [of, within] };

/** Whether a part of the query passes a test. */
function hasPart(query: Query, test: (part: QueryLeaf) => boolean): boolean {
  if (query.kind === 'and' || query.kind === 'or') return query.of.some(part => hasPart(part, test));
  return query.kind === 'not' ? hasPart(query.of, test) : test(query);
}

/** True if no store can evaluate the query: it has joins, or tests of entries that stores do not support. */
export const needsCandidates = (query: Query): boolean => hasPart(query, isForCandidates);

const isForCandidates = (part: QueryLeaf): boolean =>
  isJoin(part) || part.kind === 'contained' || part.kind === 'entry';

/** Whether a query has chains, `_has` or hierarchies. */
export const hasJoins = (query: Query): boolean => hasPart(query, isJoin);

/** The chains, `_has` and hierarchies of a query, without inner ones. */
export const joinsOf = (query: Query): readonly Join[] => partsOf(query).filter(isJoin);

/** The tests of contained resources in a query; these have no joins. */
export const containedIn = (query: Query): readonly Contained[] =>
  partsOf(query).filter(part => part.kind === 'contained');

/** The other types of a query, also of inner joins, each once. */
export function joinedTypes(query: Query): readonly ResourceType[] {
  if (!hasJoins(query)) return [];
  return [...new Set(joinsOf(query).flatMap(({ type, of }) => [type, ...joinedTypes(of)]))];
}

/** The types of records that a query with `_has` reads for resources inside of them, also in inner joins. */
export const containerTypes = (query: Query): readonly ResourceType[] =>
  joinsOf(query).flatMap(join => [
    ...(join.kind === 'has' ? join.containers.map(({ type }) => type) : []),
    ...containerTypes(join.of),
  ]);

/** The query with each join replaced, except inner ones. */
export function mapJoins(query: Query, replace: (join: Join) => Query): Query {
  if (query.kind === 'and' || query.kind === 'or')
    return { kind: query.kind, of: query.of.map(part => mapJoins(part, replace)) };
  if (query.kind === 'not') return { kind: 'not', of: mapJoins(query.of, replace) };
  return isJoin(query) ? replace(query) : query;
}

/** The query with the ids of each test of ids replaced, except in joins. */
export function mapIds(query: Query, replace: (ids: readonly string[]) => readonly string[]): Query {
  if (query.kind === 'and' || query.kind === 'or')
    return { kind: query.kind, of: query.of.map(part => mapIds(part, replace)) };
  if (query.kind === 'not') return { kind: 'not', of: mapIds(query.of, replace) };
  return query.kind === 'id' ? { kind: 'id', anyOf: replace(query.anyOf) } : query;
}

function unique(params: readonly SearchParam[]): readonly SearchParam[] {
  return [...new Map(params.map(param => [`${param.resourceType} ${param.code}`, param])).values()];
}

type OwnerQuery = Extract<Query, { kind: 'owner' }>;

/** The equivalent query of parameters, for records with entries and without owners. */
export function linksOf({ compartment: type, id, base, of }: OwnerQuery): Query {
  const links = of.map((param): Query => ({ kind: 'param', param, test: { kind: 'reference', type, id, base } }));
  const [only] = links;
  return only !== undefined && links.length === 1 ? only : { kind: 'or', of: links };
}
