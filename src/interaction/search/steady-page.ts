import { fhirError } from '../../fhir/error.ts';
import type { FhirError } from '../../fhir/error.ts';
import type { Position, Query, Sort } from '../../search/ast.ts';
import { simplify } from '../../search/simplify.ts';
import { comparePositions, positionOf } from '../../search/sort.ts';
import { createSortedPage } from '../../search/sorted-page.ts';
import { parametersOfSort } from '../../search/walk.ts';
import { fitting } from '../../store/port/pages.ts';
import { hasText } from '../../store/port/records.ts';
import type { Page, StoredVersion } from '../../store/port/records.ts';
import type { JoinedSearch } from './candidates.ts';
import { findPage } from './find.ts';
import { indexedBy, type Place } from './joined.ts';

/** A search, and when its walk began, in milliseconds since 1970 UTC. */
export interface SteadySearch extends JoinedSearch {
  readonly began: number;
}

/** A page, and the places of those of its records that were written after the walk began. */
export interface SteadyPage extends Page {
  readonly places: ReadonlyMap<StoredVersion, Position>;
}

/** Records that may be written while a walk goes on, and their versions that are read. */
const MOST_MOVED = 1_000;
const MOST_VERSIONS = 5_000;

/** Pages without a record that are passed over at once. */
const MOST_EMPTY = 20;

/**
 * A page of a search. In the usual order a walk from page to page shows each record that matches all the time exactly
 * once, whatever is written meanwhile: a record that was written after the walk began has the place of the version that
 * was current then, or of its first one since. In an order that the client asks for, it has the place of its current
 * version. Throws FhirError 410 if too many records were written to follow them, and as `findPage`.
 */
export async function steadyPage(search: SteadySearch, place: Place): Promise<SteadyPage> {
  let after = search.after;
  for (let empty = 0; ; empty += 1) {
    const page = await onePage({ ...search, after }, place);
    if (page.versions.length > 0 || page.next === undefined || empty === MOST_EMPTY) return page;
    after = page.next;
  }
}

async function onePage(search: SteadySearch, place: Place): Promise<SteadyPage> {
  const { type, sort, limit, after, began } = search;
  // What was written in the millisecond of the first page may have come before it or after it.
  const since = began - 1;
  const page = await findPage(search, place);
  const isWhole = after === undefined && page.next === undefined;
  // No write moves a record that is ordered by its creation; a transaction sees one state of the store.
  const mayMove = type.sortDate !== undefined && sort.some(({ by }) => by === 'default');
  if (isWhole || place.partition.timeOf !== undefined || !mayMove) return { ...page, places: none };
  // After the page is read: what is written before it is known then, and what is written later is on no later page. Not
  // within the time of the search, which has found its page: mostly this finds nothing.
  const afterwards = { ...place, partition: place.partition.unlimited ?? place.partition };
  const moved = await writtenSince(search, since, afterwards);
  if (moved.length === 0) return { ...page, places: none };
  if (moved.length > MOST_MOVED) {
    if (after === undefined) return { ...page, places: none };
    throw tooManyWrites();
  }
  const former = await versionsAt(moved, since, afterwards);
  const params = parametersOfSort(type, sort);
  const merged = createSortedPage<StoredVersion>(sort, { limit, after, fitting });
  const ids = new Set(moved.map(({ id }) => id));
  const still = page.versions.filter(({ id }) => !ids.has(id));
  for (const [at, one] of indexedBy(params, still, type, place).entries()) {
    const version = still[at];
    if (version !== undefined) merged.add(positionOf(sort, type, one), version);
  }
  const places = new Map<StoredVersion, Position>();
  for (const [at, one] of indexedBy(params, former, type, place).entries()) {
    const version = moved[at];
    const position = positionOf(sort, type, one);
    // Behind the page that was read there may be other records before this one.
    if (version === undefined || (page.next !== undefined && comparePositions(sort, position, page.next) > 0)) continue;
    places.set(version, position);
    merged.add(position, version);
  }
  const { matches, next } = merged.read();
  return { versions: matches, next: next ?? page.next, places };
}

const none: SteadyPage['places'] = new Map();

const newest: readonly Sort[] = [{ by: 'lastUpdated', descending: true }];

/** The matches that were written after a time, at most one more than `MOST_MOVED`. */
async function writtenSince(
  { type, query }: SteadySearch,
  since: number,
  place: Place,
): Promise<readonly StoredVersion[]> {
  const written: Query = { kind: 'lastUpdated', bounds: [{ end: 'low', is: '>', value: since }] };
  // Mostly there is none, which costs less to find out without the query.
  const any = await place.partition.search(type.name, { query: written, sort: newest, limit: 1 });
  if (any.versions.length === 0) return [];
  const all = simplify({ kind: 'and', of: [query, written] });
  const found: StoredVersion[] = [];
  for (let after: Position | undefined; found.length <= MOST_MOVED;) {
    const page = await findPage({ type, query: all, sort: newest, limit: MOST_MOVED + 1, after }, place);
    found.push(...page.versions);
    if (page.next === undefined) return found;
    after = page.next;
  }
  return found;
}

/**
 * The version of each record that was current at a time, else the first one since: one that was deleted and created
 * again meanwhile has the place that it had.
 */
async function versionsAt(
  records: readonly StoredVersion[],
  time: number,
  { partition }: Place,
): Promise<readonly StoredVersion[]> {
  let left = MOST_VERSIONS;
  const found: StoredVersion[] = [];
  for (const record of records) {
    let former = record;
    for (let { lastUpdated, version } = record; lastUpdated > time && version > 1; version -= 1) {
      left -= 1;
      if (left < 0) throw tooManyWrites();
      const before = await partition.read(record.type, record.id, version - 1);
      if (before === undefined) break;
      if (hasText(before)) former = before;
      lastUpdated = before.lastUpdated;
    }
    found.push(former);
  }
  return found;
}

const tooManyWrites = (): FhirError =>
  fhirError(
    410,
    'too-costly',
    'Too many of the matches were written since the first page, so that their order is not known any more: repeat ' +
      'the search, or sort it by `_id`, whose order no write changes.',
    'http._page_token',
  );
