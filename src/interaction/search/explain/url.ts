import { fhirError } from '../../../fhir/error.ts';
import type { Model } from '../../../model/model.ts';
import { parsePairs, percentDecode } from '../../../search/parse/pairs.ts';
import type { QueryPair } from '../../../search/request.ts';
import type { Route } from '../../interaction.ts';
import { routeOfPath } from '../../routes.ts';

/**
 * The route and the parameters of a search by its URL, absolute or below `base` (no trailing slash), without the
 * parameters of the form of the answer. Throws FhirError for the URL of anything else, and for a later page.
 */
export function searchUrlOf(
  model: Model,
  url: string,
  base: string,
): { readonly route: Route; readonly parameters: readonly QueryPair[] } {
  const relative = url.startsWith(base) ? url.slice(base.length) : url;
  const [path = '', ...query] = relative.replace(/^\//, '').split('?');
  percentDecode(path);
  if (/^[a-z][a-z0-9+.-]*:/i.test(path)) throw notSearch(url);
  const route = routeOfPath(model, 'GET', path);
  if (route.interaction !== 'search-type' && route.interaction !== 'search-system') throw notSearch(url);
  const pairs = parsePairs(query.join('?')).filter(([name]) => !form.has(name));
  if (pairs.some(([name]) => name === '_page_token'))
    throw fhirError(400, 'value', 'A `_page_token` belongs to its caller: explain the search itself.');
  return { route, parameters: pairs };
}

const form: ReadonlySet<string> = new Set(['_format', '_pretty', '_explain']);

const notSearch = (url: string): Error =>
  fhirError(400, 'value', `\`${url}\` is no search: write a URL such as \`TYPE?code=718-7\`.`);
