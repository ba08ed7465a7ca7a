import type { Position } from '../../search/ast.ts';
import type { SearchRequest } from '../../search/request.ts';
import { positionOf } from '../../search/sort.ts';
import { parametersOfSort } from '../../search/walk.ts';
import type { StoredVersion } from '../../store/port/records.ts';
import { createBudget, matching, tooCostly } from './candidates.ts';
import { containedMatches, type ContainedResource } from './contained.ts';
import { refuseCostly } from './deadline.ts';
import { indexedBy, type Place } from './joined.ts';
import { mergedPage } from './merge.ts';

/** A match of a search for contained resources: one of a record, or the record itself. */
export interface ContainedMatch {
  readonly record: StoredVersion;
  /** Undefined for the record itself (`_contained=both`). */
  readonly resource: ContainedResource | undefined;
}

/** A match with its number among those of its record. */
type Numbered = ContainedMatch & { readonly at: number };

export interface ContainedPage {
  readonly matches: readonly ContainedMatch[];
  /** Its keys end with the type of the container and the number of the match in it. */
  readonly next: Position | undefined;
}

/** Most containers that are read for a page or a count. */
const MOST_CONTAINERS = 20_000;

/**
 * A page of a search with `_containedType=contained`: the matches in the order of their containers. `requests` are
 * those of the types of containers. Throws FhirError 403 `too-costly`.
 * https://hl7.org/fhir/R4/search.html#contained
 */
export async function containedPage(requests: readonly SearchRequest[], place: Place): Promise<ContainedPage> {
  const [first] = requests;
  if (first === undefined || first.count === 0) return { matches: [], next: undefined };
  const { count, sort, after } = first;
  const found: Numbered[] = [];
  for await (const one of matchesInOrder(requests, place)) {
    found.push(one);
    if (found.length > count) break;
  }
  const page = found.slice(0, count);
  const last = found.length > count ? page.at(-1) : undefined;
  if (last === undefined) return { matches: page, next: undefined };
  const { keys, id } = positionIn(last.record, requests, place);
  return { matches: page, next: { keys: [...keys, last.record.type, last.at], id } };

  /** The position of a container in the order. */
  function positionIn(record: StoredVersion, all: readonly SearchRequest[], at: Place): Position {
    const type = all.find(one => one.type.name === record.type)?.type;
    if (type === undefined) throw new Error(`No request for ${record.type}`);
    const [indexed] = indexedBy(parametersOfSort(type, sort), [record], type, at);
    if (indexed === undefined) throw new Error('A record has no entries');
    return positionOf(sort, type, indexed);
  }

  async function* matchesInOrder(all: readonly SearchRequest[], at: Place): AsyncGenerator<Numbered> {
    let from = after === undefined ? undefined : beforeContainer(after, sort.length);
    // Each container has a match: as many as the page has, the next one, and the last one of the page before.
    const atOnce = count + 2;
    for (let read = 0; ;) {
      const container = await refuseCostly(
        mergedPage(
          all.map(one => ({ ...one, count: atOnce, after: from })),
          at,
        ),
      );
      read += container.versions.length;
      if (read > MOST_CONTAINERS) throw tooCostly(MOST_CONTAINERS);
      for (const record of container.versions) {
        const skipped = skippedOf(record, after, sort.length, () => positionIn(record, all, at));
        for (const one of await matchesOf(record, all, at)) if (one.at >= skipped) yield one;
      }
      if (container.next === undefined) return;
      from = container.next;
    }
  }
}

/** The number of matches. Throws FhirError 403 `too-costly`. */
export async function countContained(requests: readonly SearchRequest[], place: Place): Promise<number> {
  let [count, read] = [0, 0];
  let after: Position | undefined;
  do {
    const from = after;
    const page = await refuseCostly(
      mergedPage(
        requests.map(one => ({ ...one, count: 500, after: from })),
        place,
      ),
    );
    read += page.versions.length;
    if (read > MOST_CONTAINERS) throw tooCostly(MOST_CONTAINERS);
    for (const record of page.versions) count += (await matchesOf(record, requests, place)).length;
    after = page.next;
  } while (after !== undefined);
  return count;
}

/** The position before all containers with the id and the sort values of one, of any type. */
const beforeContainer = ({ keys, id }: Position, length: number): Position => ({
  keys: [...keys.slice(0, length), ''],
  id,
});

/** The number of matches of a record that were on the page before. */
function skippedOf(
  { type, id }: StoredVersion,
  after: Position | undefined,
  length: number,
  position: () => Position,
): number {
  if (after?.id !== id) return 0;
  const last = String(after.keys[length]);
  if (type > last || JSON.stringify(position().keys) !== JSON.stringify(after.keys.slice(0, length))) return 0;
  return type < last ? Infinity : Number(after.keys[length + 1]) + 1;
}

async function matchesOf(
  record: StoredVersion,
  requests: readonly SearchRequest[],
  place: Place,
): Promise<readonly Numbered[]> {
  const request = requests.find(({ type }) => type.name === record.type);
  if (request?.contained === undefined) return [];
  const { of, type, query } = request.contained;
  const isOwn =
    of === 'both' &&
    type.name === record.type &&
    (await matching([record], type, query, place, createBudget(MOST_CONTAINERS))).length > 0;
  const all = [...(isOwn ? [undefined] : []), ...containedMatches(record, type, query, place)];
  return all.map((resource, at) => ({ record, resource, at }));
}
