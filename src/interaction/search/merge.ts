import { setImmediate } from 'node:timers/promises';
import type { Position, Sort } from '../../search/ast.ts';
import type { SearchRequest } from '../../search/request.ts';
import { comparePositions, isIndexedOrder, positionOf } from '../../search/sort.ts';
import { parametersOfSort } from '../../search/walk.ts';
import { TooManyToSort } from '../../store/port/errors.ts';
import { fitting, mostPageText } from '../../store/port/pages.ts';
import type { Page, StoredVersion } from '../../store/port/records.ts';
import { mostSorted } from '../../store/keys/sorted.ts';
import { countMatches } from './find.ts';
import { indexedBy, type Place } from './joined.ts';
import { steadyPage } from './steady-page.ts';
import { ofUsedTypes } from './used-types.ts';

/**
 * A page of the matches of several types, in the order of their sort values, then of ids, then of types. Its position
 * has the type of the last match behind the sort values. Throws `TooManyToSort`, and the errors of `steadyPage`.
 */
export async function mergedPage(asked: readonly SearchRequest[], place: Place): Promise<Page> {
  const requests = await ofUsedTypes(asked, place);
  const [first] = requests;
  if (first === undefined || first.count === 0) return { versions: [], next: undefined };
  await refuseTooMany(requests, place);
  const limit = first.count;
  const size = Math.min(limit + 1, Math.max(4, Math.ceil((2 * (limit + 1)) / requests.length)));
  const sources: Source[] = [];
  for (const request of requests) {
    const source = { request, heads: [], from: startOf(request), isRead: false, size };
    await fill(source, place);
    sources.push(source);
  }
  const found: Head[] = [];
  let characters = 0;
  while (found.length <= limit && characters <= mostPageText) {
    const source = earliest(sources);
    const head = source?.heads.shift();
    if (source === undefined || head === undefined) break;
    found.push(head);
    characters += head.version.text?.length ?? 0;
    if (source.heads.length === 0) await fill(source, place);
  }
  const versions = found.map(({ version }) => version);
  const page = found.slice(0, fitting(versions, limit));
  const last = found.length > page.length ? page.at(-1) : undefined;
  return {
    versions: page.map(({ version }) => version),
    next: last && { keys: [...last.position.keys, last.version.type], id: last.position.id },
  };
}

interface Head {
  readonly position: Position;
  readonly version: StoredVersion;
}

/** The matches of a type that are read and not on the page yet. */
interface Source {
  readonly request: SearchRequest;
  readonly heads: Head[];
  /** Where the next ones begin; undefined at the beginning. */
  from: Position | undefined;
  /** No match is left to read. */
  isRead: boolean;
  size: number;
}

/** Reads until a match is found that is behind the page before, or none is left. */
async function fill(source: Source, place: Place): Promise<void> {
  const { type, query, sort, after, at: began } = source.request;
  while (!source.isRead && source.heads.length === 0) {
    const page = await steadyPage({ type, query, sort, limit: source.size, after: source.from, began }, place);
    for (const [at, one] of indexedBy(parametersOfSort(type, sort), page.versions, type, place).entries()) {
      const version = page.versions[at];
      if (version === undefined) continue;
      const position = page.places.get(version) ?? positionOf(sort, type, one);
      if (isBehind(position, source.request, after)) source.heads.push({ position, version });
    }
    source.from = page.next;
    source.isRead = page.next === undefined;
    source.size *= 2;
    await setImmediate(); // other requests have their turn between two types
  }
}

/** The source with the first match; of equal ones the first source. */
function earliest(sources: readonly Source[]): Source | undefined {
  let best: Source | undefined;
  for (const source of sources) {
    const [a, b] = [source.heads[0], best?.heads[0]];
    if (a === undefined) continue;
    if (b === undefined || comparePositions(source.request.sort, a.position, b.position) < 0) best = source;
  }
  return best;
}

/** An order without an index is that of all types together. */
async function refuseTooMany(requests: readonly SearchRequest[], place: Place): Promise<void> {
  if (requests.every(({ type, sort }) => isIndexedOrder(type, sort))) return;
  let count = 0;
  for (const { type, query } of requests) {
    count += await countMatches(type, query, place);
    if (count > mostSorted) throw new TooManyToSort(mostSorted);
  }
}

/** Whether a match of a type is behind the last match of the page before, in the order of all types. */
function isBehind(position: Position, { type, sort }: SearchRequest, after: Position | undefined): boolean {
  if (after === undefined) return true;
  const order = comparePositions(sort, position, after);
  return order > 0 || (order === 0 && type.name > String(after.keys[sort.length]));
}

/**
 * The position after which the matches of a type are read for the page after `after`: just before that of the last
 * match, since another type may have a match with its id. Where the id is a sort key, stores need not look at the keys
 * behind it, which order the matches of one id in several types: `isBehind` does.
 */
function startOf({ sort, after }: SearchRequest): Position | undefined {
  return after === undefined ? undefined : justBefore({ keys: after.keys.slice(0, sort.length), id: after.id }, sort);
}

/** A position between that of an id and the one before it, in the direction of the first key that is an id. */
function justBefore({ keys, id }: Position, sort: readonly Sort[]): Position {
  const before = (descending = false): string => (descending ? `${id} ` : idBefore(id));
  return {
    keys: keys.map((key, at) => (sort[at]?.by === 'id' ? before(sort[at]?.descending) : key)),
    id: before((sort.find(({ by }) => by === 'id') ?? sort.at(-1))?.descending),
  };
}

/** A text after all ids before this one: ids have up to 64 characters, all of them before `~`. */
function idBefore(id: string): string {
  return `${id.slice(0, -1)}${String.fromCharCode(id.charCodeAt(id.length - 1) - 1)}${'~'.repeat(64)}`;
}
