import type { Position, Sort } from '../../search/ast.ts';
import { comparePositions } from '../../search/sort.ts';
import { mostSorted } from '../keys/sorted.ts';
import { TooManyToSort } from '../port/errors.ts';
import { isFull } from '../port/pages.ts';
import { allOf } from './filter.ts';
import { findDocuments, type Reading } from './find.ts';
import type { FoundDocument, RequestedPage } from './found.ts';
import { fieldsOf, type Key, type Ordered, positionOf } from './order.ts';
import { type Place, type ResolvedQuery, unorderedPlan } from './plan.ts';

/**
 * Finds documents in an order that no index has, such as by two parameters: reads the sort keys of all matches, then
 * the texts of the page. Throws `TooManyToSort`.
 */
export async function gather(
  place: Place,
  asked: ResolvedQuery,
  sort: readonly Sort[],
  keys: readonly Key[],
  { limit, after, projection }: RequestedPage,
  reading: Reading,
): Promise<readonly FoundDocument[]> {
  const plan = unorderedPlan(place, asked);
  const limits = { projection: fieldsOf(keys), limit: mostSorted + 1 };
  const candidates = await findDocuments<Ordered>(place, plan, limits, reading);
  if (candidates.length > mostSorted) throw new TooManyToSort(mostSorted);
  const ids = candidates
    .map(({ _id, o }) => ({ _id, position: positionOf(keys, { _id, o }) }))
    .filter(({ position }) => isBehind(sort, position, after))
    .sort((a, b) => comparePositions(sort, a.position, b.position))
    .slice(0, limit)
    .map(({ _id }) => _id);
  if (ids.length === 0) return [];
  // A document that changed meanwhile may not match any more.
  const page: FoundDocument[] = [];
  for (let from = 0; from < ids.length && !isFull(page, limit); from += readTogether) {
    const part = ids.slice(from, from + readTogether);
    const named = { filter: allOf([{ _id: { $in: part } }, plan.filter]), hint: '_id_' };
    const found = await findDocuments<FoundDocument>(place, named, { projection, limit: part.length }, reading);
    const byId = new Map(found.map(document => [document._id, document]));
    page.push(...part.flatMap(id => byId.get(id) ?? []));
  }
  return page;
}

/** Documents that are read in one command: all of a usual page, and no more texts than memory has room for. */
const readTogether = 64;

function isBehind(sort: readonly Sort[], position: Position, after: Position | undefined): boolean {
  return after === undefined || comparePositions(sort, after, position) < 0;
}
