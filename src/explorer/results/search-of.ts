import type { QueryPair } from '../../search/request.ts';
import type { Visit } from '../shell/visit.ts';

/** The parameter of the page in which the link to a later page names the search: its query. */
export const searchParameter = '_search';

/** Longest query that a link names, so that the URL with the page token stays below the limit of a server. */
const mostCharacters = 2000;

/** The search whose results a page shows. */
export interface ShownSearch {
  readonly query: readonly QueryPair[];
  /** For `ask`: the path and the query. */
  readonly target: string;
}

/** Whether the page is not the first of its search: its query is the token of a `next` link. */
export const isLaterPage = (query: readonly QueryPair[]): boolean => query.some(([name]) => name === '_page_token');

/**
 * The search that the first page was made of: a page token does not say it, since it is encrypted. Undefined on a later
 * page whose link does not name the search, such as a `next` link that a client was given.
 */
export function searchOf({ query, options, target }: Visit): ShownSearch | undefined {
  if (!isLaterPage(query)) return { query, target };
  const named = options.get(searchParameter);
  if (named === null) return undefined;
  const [path = ''] = target.split('?');
  return { query: [...new URLSearchParams(named)], target: named === '' ? path : `${path}?${named}` };
}

/** The parameter for links to later pages of the search; none if it is unknown or too long. */
export function searchOption(search: ShownSearch | undefined): readonly QueryPair[] {
  if (search === undefined) return [];
  const text = new URLSearchParams(search.query.map(([name, value]) => [name, value])).toString();
  return text.length > mostCharacters ? [] : [[searchParameter, text]];
}
