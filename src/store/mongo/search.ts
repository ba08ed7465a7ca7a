import type { ResourceType } from '../../model/model.ts';
import { orderValue } from '../keys/order-key.ts';
import { parseOwners } from '../keys/owners.ts';
import { fitting } from '../port/pages.ts';
import type { Page, StoredVersion, StoreSearch } from '../port/records.ts';
import type { Core, PartitionInfo } from './core.ts';
import { countUses } from './count-uses.ts';
import { explained } from './explain.ts';
import { asTheUrlSays } from './find.ts';
import type { FoundDocument } from './found.ts';
import { gather } from './gather.ts';
import { createdField } from './names.ts';
import { fieldsOf, idOf, type Key, lowerSort, positionOf, soleKey } from './order.ts';
import type { Place } from './plan.ts';
import { readIndexes, resolveQuery } from './resolve-query.ts';
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
  countUses(place, asked, keys);
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
