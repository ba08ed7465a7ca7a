import type { ResourceType, SearchParam } from '../model/model.ts';
import type { Position, Sort } from './ast.ts';
import type { Indexed } from './matches.ts';
import { scoreOf } from './score.ts';
import { compareValues, sortKindOf, sortValue } from './sort-value.ts';

/**
 * The sort values of a resource (sort-value.ts): of several the lowest ascending and the highest descending; null if
 * it has none. https://hl7.org/fhir/R4/search.html#sort
 */
export function positionOf(sort: readonly Sort[], type: ResourceType, resource: Indexed): Position {
  return { keys: sort.map(key => keyOf(key, type, resource)), id: resource.id };
}

/**
 * Negative if `a` precedes `b`. Missing values are last in either direction; ties are ordered by id, in the direction
 * of the last key. Total: 0 only for the same id. A page has the resources after the position of the page before.
 */
export function comparePositions(sort: readonly Sort[], a: Position, b: Position): number {
  for (const [at, key] of sort.entries()) {
    const order = compareKeys(a.keys[at] ?? null, b.keys[at] ?? null, key.descending);
    if (order !== 0) return order;
  }
  return compareKeys(a.id, b.id, sort.at(-1)?.descending ?? false);
}

/**
 * Whether stores have an index of the order. For any other order they sort the matches, up to a limit
 * (store/keys/sorted.ts).
 */
export function isIndexedOrder(type: ResourceType, sort: readonly Sort[]): boolean {
  return sort.every(key => key.by !== 'score' && (key.by !== 'param' || hasSortIndex(type, key.param)));
}

/** Whether a parameter has a sort index: dates do, and those for which the definitions ask for one (`sort-index`). */
export function hasSortIndex({ sortIndexes }: Pick<ResourceType, 'sortIndexes'>, param: SearchParam): boolean {
  return sortKindOf(param) === 'time' || sortIndexes.has(param.code);
}

function keyOf(key: Sort, type: ResourceType, resource: Indexed): number | string | null {
  switch (key.by) {
    case 'id':
      return resource.id;
    case 'lastUpdated':
      return resource.lastUpdated;
    case 'default':
      return type.sortDate === undefined
        ? (resource.created ?? resource.lastUpdated)
        : sortValue(type.sortDate.code, resource.entries, key.descending);
    case 'score':
      return scoreOf(key.of, resource.entries) ?? null;
    case 'param':
      return sortValue(key.param.code, resource.entries, key.descending);
    default:
      return key satisfies never;
  }
}

function compareKeys(a: number | string | null, b: number | string | null, descending: boolean): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return compareValues(a, b) * (descending ? -1 : 1);
}
