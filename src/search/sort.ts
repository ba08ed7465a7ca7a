import type { ResourceType } from '../model/model.ts';
import type { Position, Sort } from './ast.ts';
import type { Indexed } from './matches.ts';

/**
 * The sort key of a resource: the low end of a date, of several the lowest ascending and the highest descending; null
 * if it has none. https://hl7.org/fhir/R4/search.html#sort
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

function keyOf(key: Sort, type: ResourceType, resource: Indexed): number | string | null {
  switch (key.by) {
    case 'id':
      return resource.id;
    case 'lastUpdated':
      return resource.lastUpdated;
    case 'default':
      return type.sortDate === undefined ? resource.lastUpdated : lowEnd(resource, type.sortDate.code, key.descending);
    case 'param':
      return lowEnd(resource, key.param.code, key.descending);
    default:
      return key satisfies never;
  }
}

function lowEnd(resource: Indexed, code: string, descending: boolean): number | null {
  let best: number | null = null;
  for (const { param, value } of resource.entries) {
    if (param !== code || value.kind !== 'date') continue;
    if (best === null || (descending ? value.low > best : value.low < best)) best = value.low;
  }
  return best;
}

function compareKeys(a: number | string | null, b: number | string | null, descending: boolean): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b === descending ? 1 : -1;
}
