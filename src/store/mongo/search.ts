import type { ResourceType } from '../../model/model.ts';
import type { Position, Sort } from '../../search/ast.ts';
import { comparePositions } from '../../search/sort.ts';
import { orderValue } from '../keys/order-key.ts';
import { parseOwners } from '../keys/owners.ts';
import { mostSorted } from '../keys/sorted.ts';
import { TooManyToSort } from '../port/errors.ts';
import { fitting, isFull } from '../port/pages.ts';
import type { Page, StoredVersion, StoreSearch } from '../port/records.ts';
import { countUses } from '../server/index-usage.ts';
import type { Core, PartitionInfo } from './core.ts';
import { explained } from './explain.ts';
import { allOf } from './filter.ts';
import { asTheUrlSays, findDocuments, type FoundDocument, type Reading, type RequestedPage } from './find.ts';
import { createdField } from './names.ts';
import { fieldsOf, idOf, type Key, lowerSort, type Ordered, positionOf, soleKey } from './order.ts';
import { type Place, readIndexes, type ResolvedQuery, resolveQuery, unorderedPlan, usesOf } from './plan.ts';
import { walk } from './walk.ts';

/**
 * A page of matches, in order. Throws `IndexPending`, and `TooManyToSort` if no index has the order and too many match;
 * errors of the driver unchanged: code 50 beyond the deadline. A missing index is not an error.
 */
export async function searchPage(
  core: Core,
  { p }: Pick<PartitionInfo, 'p'>,
  type: ResourceType,
  search: StoreSearch,
): Promise<Page> {
  const place: Place = { core, type, p };
  const { explain } = search;
  return explain === undefined ? pageIn(place, search) : explained(place, explain, traced => pageIn(traced, search));
}

async function pageIn(place: Place, { query, sort, limit, after }: StoreSearch): Promise<Page> {
  const { core, type, trace } = place;
  const indexes = await readIndexes(place);
  const asked = resolveQuery(place, query, indexes);
  const keys = lowerSort(sort, indexes);
  if (asked === undefined) return { versions: [], next: undefined };
  const sorts = keys.flatMap(key => (key.by === 'id' ? [] : (key.index ?? [])));
  countUses(core.options.used, usesOf(place), [], sorts);
  if (trace !== undefined) Object.assign(trace, { clauses: asked.clauses, keys });
  const key = soleKey(keys);
  const wanted = { limit: limit + 1, after, projection: projectionOf(keys) };
  const reading = asTheUrlSays(core);
  const found =
    key === undefined
      ? await gather(place, asked, sort, keys, wanted, reading)
      : await walk(place, asked, key, wanted, reading);
  const page = found.slice(0, fitting(found, limit));
  const last = found.length > page.length ? page.at(-1) : undefined;
  return {
    versions: page.map(document => storedVersion(type, document, keys)),
    next: last === undefined ? undefined : positionOf(keys, last),
  };
}

function projectionOf(keys: readonly Key[]): Readonly<Record<string, 1>> {
  return { version: 1, updated: 1, text: 1, owners: 1, ...fieldsOf(keys) };
}

function storedVersion(type: ResourceType, document: FoundDocument, [first]: readonly Key[]): StoredVersion {
  const { _id, version, updated: lastUpdated, text, owners, o } = document;
  const found = { type: type.name, id: idOf(_id), version, lastUpdated, text, owners: parseOwners(type, owners) };
  const created = first?.by === 'field' && first.field === createdField ? o[createdField] : undefined;
  return created === undefined ? found : { ...found, created: orderValue(created) ?? undefined };
}

/**
 * Finds documents in an order that no index has, such as by two parameters: reads the sort keys of all matches, then
 * the texts of the page. Throws `TooManyToSort`.
 */
async function gather(
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
