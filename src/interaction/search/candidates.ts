import { fhirError } from '../../fhir/error.ts';
import { type Area, areaAround, type Range } from '../../fhir/position.ts';
import type { IndexValue } from '../../indexing/entry.ts';
import { containedCode, containerIndex } from '../../model/contained-index.ts';
import type { ResourceType, SearchParam } from '../../model/model.ts';
import type { Chain, EntryQuery, Has, Inside, Position, Query, Sort, Test } from '../../search/ast.ts';
import { type Indexed, matches } from '../../search/matches.ts';
import { isNone, none, simplify } from '../../search/simplify.ts';
import { positionOf } from '../../search/sort.ts';
import { createSortedPage } from '../../search/sorted-page.ts';
import {
  containedIn,
  hasJoins,
  mapIds,
  needsCandidates,
  openTo,
  parametersOf,
  parametersOfSort,
} from '../../search/walk.ts';
import { fitting } from '../../store/port/pages.ts';
import type { Page, StoredVersion } from '../../store/port/records.ts';
import { anyOrder, atMost, indexedBy, joinedTo, leadingTo, type Place, referringTo, urlOf } from './joined.ts';
import { recordsContained, recordsInside, withContained } from './contained.ts';
import { containedSuperset } from './contained-superset.ts';
import { replaceJoins } from './replace-joins.ts';
import { treeQuery } from './trees.ts';
import { ofUsedTypes } from './used-types.ts';

/** Limits the number of records that one search reads to evaluate joins. */
export interface Budget {
  /** Throws FhirError 403 `too-costly` if these records are too many. */
  spend(records: number): void;
  /** The number of records that may still be read. */
  left(): number;
}

/** Most records that one search reads to evaluate joins. */
export const MOST_JOINED = 20_000;

export function createBudget(most: number): Budget {
  let left = most;
  return {
    left: () => left,
    spend(records) {
      left -= records;
      if (left < 0) throw tooCostly(most);
    },
  };
}

/** https://hl7.org/fhir/R4/search.html#errors */
export function tooCostly(most: number): Error {
  return fhirError(
    403,
    'too-costly',
    `More than ${most} records would have to be read to evaluate the chains or the filter of this search. Narrow it, ` +
      'by a patient, a code or a shorter range of dates, or narrow the chain or the filter itself.',
  );
}

/** A query for a superset, which stores can evaluate: each join is replaced by a query that all records match. */
export function supersetOf(query: Query, base: string): Query {
  return simplify(widened(simplify(query), base));
}

/** `query` is simplified: its negations are of single tests. */
function widened(query: Query, base: string): Query {
  if (query.kind === 'and' || query.kind === 'or')
    return { kind: query.kind, of: query.of.map(part => widened(part, base)) };
  if (query.kind === 'entry') return widenedEntry(query);
  if (query.kind === 'contained') return containedSuperset(query.param, query.type, query.of, base);
  if (query.kind === 'inside') return containersOf(query, base);
  return needsCandidates(query) ? { kind: 'all' } : query;
}

function widenedEntry({ param, test }: EntryQuery): Query {
  if (test.kind === 'near') return inArea(param, areaAround(test.position, test.distance));
  if (test.kind !== 'equals' && test.kind !== 'ends') return { kind: 'present', param };
  const how = test.kind === 'equals' ? 'starts' : 'contains';
  return { kind: 'param', param, test: { kind: 'string', how, text: test.text } };
}

/** The records inside of which a resource may match. */
function containersOf({ from, type, of }: Inside, base: string): Query {
  const index = from.indexed.get(containedCode);
  return index === undefined ? none : containedSuperset(index, type, of, base);
}

/** Positions in an area: their entries are tuples of latitude and longitude. */
function inArea(param: SearchParam, { latitudes, longitudes }: Area): Query {
  const within = ({ low, high }: Range): Test => ({
    kind: 'range',
    bounds: [
      { end: 'low', is: '>=', value: low },
      { end: 'high', is: '<=', value: high },
    ],
  });
  const of = longitudes.map((range): Query => ({
    kind: 'param',
    param,
    test: { kind: 'composite', of: [within(latitudes), within(range)] },
  }));
  return { kind: 'or', of };
}

/** With the times by which versions match that are not written yet. */
const inTime = (
  indexed: readonly Indexed[],
  records: readonly StoredVersion[],
  { partition: { timeOf } }: Place,
): readonly Indexed[] =>
  timeOf === undefined
    ? indexed
    : indexed.map((one, at) => {
        const record = records[at];
        return record === undefined ? one : { ...one, lastUpdated: timeOf(record) };
      });

/** The records among `records` of a type that match the query. */
export async function matching(
  records: readonly StoredVersion[],
  type: ResourceType,
  query: Query,
  place: Place,
  budget: Budget,
): Promise<readonly StoredVersion[]> {
  if (records.length === 0) return [];
  const plain = indexedBy([...parametersOf(query), ...urlOf(type)], records, type, place);
  const indexed = withContained(inTime(plain, records, place), records, containedIn(query), place);
  const decided = await replaceJoins(query, async join => {
    switch (join.kind) {
      case 'tree':
        return treeQuery(join, place);
      case 'inside':
        return { kind: 'id', anyOf: await idsOfContainers(join, records, place, budget) };
      case 'chain':
        return {
          kind: 'or',
          of: [
            await decideChain(join, indexed, place, budget),
            { kind: 'id', anyOf: await idsOfContainers({ ...join, kind: 'inside' }, records, place, budget) },
          ],
        };
      case 'has':
        return decideHas(join, indexed, place, budget);
      default:
        return join satisfies never;
    }
  });
  return records.filter((_, at) => matches(decided, indexed[at] ?? { id: '', lastUpdated: 0, entries: [] }));
}

/**
 * The matching ones among resources of a type inside of records. Their ids are unique within a record only, so that
 * joins are decided by others; no record refers to one of them.
 */
async function matchingInside(
  inside: readonly StoredVersion[],
  type: ResourceType,
  of: Query,
  place: Place,
  budget: Budget,
): Promise<readonly StoredVersion[]> {
  if (!hasJoins(of)) return matching(inside, type, of, place, budget);
  const known = new Map(inside.map((one, at) => [{ ...one, id: `${at}#${one.id}` }, one]));
  const named = mapIds(of, ids => [...known].flatMap(([{ id }, one]) => (ids.includes(one.id) ? [id] : [])));
  const found = await matching([...known.keys()], type, named, place, budget);
  return found.flatMap(one => known.get(one) ?? []);
}

/** The ids of the records among `records` inside of which a resource matches. */
async function idsOfContainers(
  join: Inside,
  records: readonly StoredVersion[],
  place: Place,
  budget: Budget,
): Promise<readonly string[]> {
  const owners = new Map<StoredVersion, string>();
  for (const record of records) for (const one of recordsInside(join, record, place)) owners.set(one, record.id);
  const found = await matchingInside([...owners.keys()], join.type, join.of, place, budget);
  return [...new Set(found.flatMap(one => owners.get(one) ?? []))];
}

/** The ids of the records inside of which a resource matches, if at most `most` may have one; else undefined. */
export async function containersWith(join: Inside, place: Place, most: number): Promise<Query | undefined> {
  const containers = await atMost(place, join.from, containersOf(join, place.base), most);
  if (containers === undefined) return undefined;
  return { kind: 'id', anyOf: await idsOfContainers(join, containers, place, createBudget(MOST_JOINED)) };
}

/** Evaluates a chain for these records only. */
async function decideChain(chain: Chain, from: readonly Indexed[], place: Place, budget: Budget): Promise<Query> {
  const { param, type } = chain;
  const of = openTo(chain);
  const values = from.flatMap(({ entries }) => entries.filter(one => one.param === param.code).map(one => one.value));
  const query = simplify({ kind: 'and', of: [leadingTo(type, values, place), supersetOf(of, place.base)] });
  const others = await allOf(type, query, place, budget);
  return joinedTo(chain, await matching(others, type, of, place, budget), place);
}

/** Evaluates a `_has` for these records only. */
async function decideHas(has: Has, of: readonly Indexed[], place: Place, budget: Budget): Promise<Query> {
  const about: Query = { kind: 'and', of: [has.of, referringTo(has.param, has.target, of, place)] };
  const contained = await referredByContained(has, about, place, budget.left() + 1, budget);
  const few = await atMost(place, has.type, referring(has, of, place), of.length * 4);
  if (few !== undefined) {
    budget.spend(few.length);
    const found = await matching(few, has.type, openTo(has), place, budget);
    return { kind: 'or', of: [joinedTo(has, found, place), contained ?? none] };
  }
  const ids: string[] = [];
  for (const one of of) if (await hasOne(has, one, place, budget)) ids.push(one.id);
  return { kind: 'or', of: [{ kind: 'id', anyOf: ids }, contained ?? none] };
}

/**
 * The query for the records to which contained resources that match `of` refer by the parameter of a `_has`; undefined
 * if more than `most` records may contain one.
 */
export async function referredByContained(
  { type, param, target, containers }: Has,
  of: Query,
  place: Place,
  most: number,
  budget = createBudget(MOST_JOINED),
): Promise<Query | undefined> {
  const values: IndexValue[] = [];
  let left = most;
  for (const { type: from, within = everything } of await ofUsedTypes(containers, place)) {
    const index = containerIndex(from);
    if (index === undefined) continue;
    const query: Query = { kind: 'and', of: [within, containedSuperset(index, type, of, place.base)] };
    const found = await atMost(place, from, simplify(query), left);
    if (found === undefined) return undefined;
    left -= found.length;
    budget.spend(found.length);
    const contained = found.flatMap(record => recordsContained(record, type, of));
    const referring = await matchingInside(contained, type, of, place, budget);
    for (const { entries } of indexedBy([param], referring, type, place)) values.push(...entries.map(one => one.value));
  }
  return leadingTo(target, values, place);
}

const everything: Query = { kind: 'all' };

/** Whether one record matches a `_has`. */
async function hasOne(has: Has, one: Indexed, place: Place, budget: Budget): Promise<boolean> {
  const query = referring(has, [one], place);
  let after: Position | undefined;
  do {
    const limit = needsCandidates(has.of) ? 50 : 1;
    const page = await place.partition.search(has.type.name, {
      query,
      sort: anyOrder,
      limit,
      ...(after === undefined ? {} : { after }),
    });
    budget.spend(page.versions.length);
    if ((await matching(page.versions, has.type, openTo(has), place, budget)).length > 0) return true;
    after = page.next;
  } while (after !== undefined);
  return false;
}

/** The query for the records that may refer to one of these records by the parameter of a `_has`. */
function referring(has: Has, records: readonly Indexed[], place: Place): Query {
  const { param, target } = has;
  return simplify({
    kind: 'and',
    of: [referringTo(param, target, records, place), supersetOf(openTo(has), place.base)],
  });
}

/** All records that match a query without joins. */
async function allOf(
  type: ResourceType,
  query: Query,
  place: Place,
  budget: Budget,
): Promise<readonly StoredVersion[]> {
  if (isNone(query)) return [];
  const found = await atMost(place, type, query, budget.left() + 1);
  budget.spend(found?.length ?? budget.left() + 1);
  return found ?? [];
}

/** A search whose query has joins. */
export interface JoinedSearch {
  readonly type: ResourceType;
  readonly query: Query;
  readonly sort: readonly Sort[];
  readonly limit: number;
  readonly after: Position | undefined;
}

/** The matches among the candidates of a search, in order, batch by batch; `limit` is the size of the first batch. */
async function* matchesInOrder(
  { type, query, sort, limit, after }: JoinedSearch,
  place: Place,
  budget: Budget,
): AsyncGenerator<{ readonly matches: readonly StoredVersion[]; readonly read: number }> {
  const candidates = supersetOf(query, place.base);
  if (isNone(candidates)) return;
  let from = after;
  for (let size = Math.min(limit, 500); ; size = Math.min(size * 2, 500)) {
    const where = { query: candidates, sort, limit: size, ...(from === undefined ? {} : { after: from }) };
    const { versions, next } = await place.partition.search(type.name, where);
    budget.spend(versions.length);
    yield { matches: await matching(versions, type, query, place, budget), read: versions.length };
    if (next === undefined) return;
    from = next;
  }
}

/**
 * A page, filled by reading candidates in order and keeping the matches; undefined if it is not full after `most`
 * candidates. Fast if many candidates match.
 */
export async function pageOfCandidates(
  search: JoinedSearch,
  place: Place,
  budget: Budget,
  most: number,
): Promise<Page | undefined> {
  const { type, sort, limit } = search;
  const found: StoredVersion[] = [];
  let candidates = 0;
  for await (const { matches, read } of matchesInOrder({ ...search, limit: limit + 1 }, place, budget)) {
    found.push(...matches);
    candidates += read;
    const fit = fitting(found, limit);
    if (found.length > fit) {
      const versions = found.slice(0, fit);
      return { versions, next: positionIn(versions.at(-1), type, sort, place) };
    }
    if (candidates >= most) return undefined;
  }
  return { versions: found, next: undefined };
}

/** A page in an order that no index has: all candidates are read and the matches sorted. */
export async function sortedPageOfCandidates(
  { type, query, sort, limit, after }: JoinedSearch,
  place: Place,
  budget: Budget,
): Promise<Page> {
  const page = createSortedPage<StoredVersion>(sort, { limit, after, fitting });
  const params = parametersOfSort(type, sort);
  const all = { type, query, sort: anyOrder, limit: 500, after: undefined };
  for await (const { matches } of matchesInOrder(all, place, budget)) {
    for (const [at, one] of indexedBy(params, matches, type, place).entries()) {
      const match = matches[at];
      if (match !== undefined) page.add(positionOf(sort, type, one), match);
    }
  }
  const { matches: versions, next } = page.read();
  return { versions, next };
}

function positionIn(
  record: StoredVersion | undefined,
  type: ResourceType,
  sort: readonly Sort[],
  place: Place,
): Position | undefined {
  if (record === undefined) return undefined;
  const [indexed] = indexedBy(parametersOfSort(type, sort), [record], type, place);
  return indexed && positionOf(sort, type, indexed);
}

/** The number of matches, by reading all candidates. Throws FhirError 403 `too-costly` if the budget is exceeded. */
export async function countOfCandidates(
  type: ResourceType,
  query: Query,
  place: Place,
  budget: Budget,
): Promise<number> {
  let count = 0;
  const all = { type, query, sort: anyOrder, limit: 500, after: undefined };
  for await (const { matches } of matchesInOrder(all, place, budget)) count += matches.length;
  return count;
}
