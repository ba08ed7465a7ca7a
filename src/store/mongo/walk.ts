import type { Position } from '../../search/ast.ts';
import { firstValue } from '../keys/order-key.ts';
import { isFull } from '../port/pages.ts';
import { findDocuments, type Reading } from './find.ts';
import type { FoundDocument, RequestedPage } from './found.ts';
import { type Key, keyAt } from './order.ts';
import { orderedPlan, type Place, type ResolvedQuery } from './plan.ts';
import { type Segment, segmentsOf } from './segments.ts';

/** Finds documents in the order of one key: one `find`, and another if the first part of the order has too few. */
export async function walk(
  place: Place,
  asked: ResolvedQuery,
  key: Key,
  { limit, after, projection }: RequestedPage,
  reading: Reading,
): Promise<readonly FoundDocument[]> {
  const direction = key.descending ? -1 : 1;
  const sort = { [key.by === 'id' ? '_id' : `o.${key.field}`]: direction } as const;
  const found: FoundDocument[] = [];
  for (const { at, term } of partsOfWalk(place, asked, key, after)) {
    const plan = orderedPlan(place, asked, key, at, term);
    found.push(
      ...(await findDocuments<FoundDocument>(place, plan, { projection, sort, limit: limit - found.length }, reading)),
    );
    if (isFull(found, limit)) break;
  }
  return found;
}

interface Part {
  /** The condition on the sort key. */
  readonly at: object;
  /** A term of its documents. */
  readonly term: string | undefined;
}

function partsOfWalk({ p }: Place, { clauses }: ResolvedQuery, key: Key, after: Position | undefined): readonly Part[] {
  if (key.by === 'id') {
    const at = after === undefined ? {} : { [key.descending ? '$lt' : '$gt']: `${p}/${after.id}` };
    return [{ at, term: undefined }];
  }
  const behind = after === undefined ? undefined : keyAt(key, after);
  return segmentsOf(key, clauses, p).flatMap(segment => {
    const at = bounds(segment, key.descending, behind);
    return at === undefined ? [] : [{ at, term: segment.term }];
  });
}

/** The order keys of a segment after a position; undefined if there are none. */
function bounds({ from, to }: Segment, descending: boolean, behind: string | undefined): object | undefined {
  if (to !== undefined && from >= to) return undefined;
  const end = to === undefined ? {} : { $lt: to };
  if (behind === undefined) return { $gte: from, ...end };
  if (descending) {
    if (behind <= from) return undefined;
    return { $gte: from, $lt: to === undefined || behind < to ? behind : to };
  }
  // A missing value is last here too, though its order keys precede all others.
  if (behind < firstValue !== from < firstValue) return behind < firstValue ? undefined : { $gte: from, ...end };
  if (to !== undefined && behind >= to) return undefined;
  return { ...(behind < from ? { $gte: from } : { $gt: behind }), ...end };
}
