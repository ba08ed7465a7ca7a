import { badValue, fhirError } from '../../fhir/error.ts';
import type { Position } from '../ast.ts';
import { badPageToken, type Cursors } from '../cursor.ts';
import type { QueryPair, SearchRequest } from '../request.ts';
import { isForeign } from './ignorable.ts';
import type { SearchContext } from './value.ts';

/** What is searched. */
export interface Searched {
  /** The path below the base URL: `Observation`, `Patient/p1/*`, empty for the whole system. */
  readonly path: string;
  /** Parses a query; returns a request for each type. Throws FhirError. */
  readonly parse: (pairs: readonly QueryPair[], context: SearchContext) => readonly SearchRequest[];
}

/** The context of pages. */
export interface Paging {
  readonly cursors: Cursors;
  readonly partition: string;
  /** Fingerprint of client, user, patient and scopes; empty without access control. */
  readonly caller: string;
}

/** Maximum length of a page token: its URL must stay below the limits of servers and proxies. */
const LONGEST = 12_000;

/**
 * A search, or a later page of one: a `_page_token` represents the whole search and the end of its last page. A promise
 * only if a key must be read. Throws FhirError 400 as `parsePages`. https://hl7.org/fhir/R4/http.html#paging
 */
export function parseSearchOrPage(
  { path, parse }: Searched,
  pairs: readonly QueryPair[],
  context: SearchContext,
  paging: Paging,
): readonly SearchRequest[] | Promise<readonly SearchRequest[]> {
  const parseAt = (given: readonly QueryPair[], now: number) => parse(given, { ...context, now });
  return parsePages({ path, parse: parseAt }, pairs, context.now, paging);
}

/** The properties of a request that its pages have. */
export type PagedRequest = Pick<SearchRequest, 'after' | 'self' | 'used' | 'at'>;

/**
 * Requests whose answer has pages, or a later page of them; `now` in milliseconds since 1970 UTC. Beside a page token
 * `_count` changes the size of the page, `_format` and `_pretty` the form of the answer, and a parameter of no standard
 * (`isForeign`) nothing; any other one, and a token that is not valid for this path, partition and caller, is a
 * FhirError 400. A promise only if a key must be read.
 */
export function parsePages<Request extends PagedRequest>(
  paged: Paged<Request>,
  pairs: readonly QueryPair[],
  now: number,
  paging: Paging,
): readonly Request[] | Promise<readonly Request[]> {
  const token = pairs.find(([name]) => name === '_page_token')?.[1];
  if (token === undefined) return paged.parse(pairs, now);
  requireAlone(pairs);
  const waiting = paging.cursors.refresh();
  const parse = () => parseLaterPage(paged, token, pairs, paging);
  return waiting === undefined ? parse() : waiting.then(parse);
}

interface Paged<Request> {
  readonly path: string;
  parse(pairs: readonly QueryPair[], now: number): readonly Request[];
}

/** Throws FhirError 400 if a parameter other than these is beside a page token, or one is repeated. */
function requireAlone(pairs: readonly QueryPair[]): void {
  const names = pairs.map(([name]) => name);
  const other = names.find((name, at) => !isForeign(name) && (!beside.has(name) || names.indexOf(name) !== at));
  if (other === undefined) return;
  throw badValue(
    other,
    `\`${other}\` cannot be added to a link with a \`_page_token\`: follow the link unchanged, or repeat the search.`,
  );
}

const beside = new Set(['_page_token', '_count', '_format', '_pretty']);

function parseLaterPage<Request extends PagedRequest>(
  paged: Paged<Request>,
  token: string,
  pairs: readonly QueryPair[],
  paging: Paging,
): readonly Request[] {
  const content = paging.cursors.open(token, paging.partition, paged.path);
  if (content.caller !== paging.caller) throw badPageToken();
  const count = pairs.filter(([name]) => name === '_count');
  const used = count.length === 0 ? content.used : [...content.used.filter(([name]) => name !== '_count'), ...count];
  return paged.parse(used, content.at).map(request => ({
    ...request,
    after: content.position,
    self: [['_page_token', token], ...request.used.filter(isCount(count))],
  }));
}

/** The self link of a page has only the parameters beside the token. */
const isCount =
  (count: readonly QueryPair[]) =>
  ([name]: QueryPair): boolean =>
    name === '_count' && count.length > 0;

/**
 * The token of the page after `position`, of a search of this path. Throws FhirError 400 if the search is too long for
 * a link, which only a form can be. A promise only if a key must be read.
 */
export function nextPageToken(
  path: string,
  request: Pick<SearchRequest, 'used' | 'at'>,
  position: Position,
  paging: Paging,
): string | Promise<string> {
  const waiting = paging.cursors.refresh();
  if (waiting !== undefined) return waiting.then(() => sealed(path, request, position, paging));
  return sealed(path, request, position, paging);
}

function sealed(
  path: string,
  { used, at }: Pick<SearchRequest, 'used' | 'at'>,
  position: Position,
  { cursors, partition, caller }: Paging,
): string {
  const token = cursors.seal({ partition, path, caller, used, position, at });
  if (token.length <= LONGEST) return token;
  throw fhirError(400, 'too-long', 'The search is too long for links to further pages: send fewer values.');
}
