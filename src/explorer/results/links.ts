import { asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
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

/** The parameters of the page that links to other results keep. */
const lasting: ReadonlySet<string> = new Set(['_columns', '_view']);

/** Links from results to others of the same search. */
export interface ResultLinks {
  /** This page in another view; an empty text is the table. */
  view(name: string): string;
  /** The first page of the search with another `_sort`; undefined if the search is unknown. */
  sorted(sort: string): string | undefined;
  /** The first page of the search; undefined on that page, and if the search is unknown. */
  readonly first: string | undefined;
  /** To another page of the Bundle, by its relation; undefined without one. */
  page(relation: string): string | undefined;
}

/** `search`: that of the page, see `searchOf`; without it links name no search. */
export function resultLinks(
  { query, options, record, target, place }: Visit,
  bundle: JsonObject,
  search: ShownSearch | undefined,
): ResultLinks {
  const [path = ''] = target.split('?');
  const kept = [...options].filter(([name]) => lasting.has(name));
  const isLater = isLaterPage(query);
  const named = searchOption(search);
  const linkOf = (...pairs: readonly QueryPair[]): string => {
    const text = new URLSearchParams(pairs.map(pair => [...pair])).toString();
    return record(text === '' ? path : `${path}?${text}`);
  };
  const without = (name: string, pairs: readonly QueryPair[]): readonly QueryPair[] =>
    pairs.filter(([other]) => other !== name);
  return {
    view(name) {
      const view: readonly QueryPair[] = name === '' ? [] : [['_view', name]];
      return linkOf(...query, ...without('_view', kept), ...(isLater ? named : []), ...view);
    },
    sorted: sort => search && linkOf(...without('_sort', search.query), ...kept, ['_sort', sort]),
    first: isLater && search !== undefined ? linkOf(...search.query, ...kept) : undefined,
    page(relation) {
      const url = asString(objectsOf(bundle['link']).find(link => link['relation'] === relation)?.['url']);
      const base = place?.base ?? '';
      // the URL of a search of the whole system has no slash after the base
      if (url === undefined || !url.startsWith(base) || !/^[/?]/.test(url.slice(base.length))) return undefined;
      const more = new URLSearchParams([...kept, ...named].map(pair => [...pair])).toString();
      const own = url.slice(base.length).replace(/^\//, '');
      return record(more === '' ? own : `${own}${own.includes('?') ? '&' : '?'}${more}`);
    },
  };
}
