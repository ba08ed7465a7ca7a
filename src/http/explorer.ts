import { FhirError } from '../fhir/error.ts';
import type { Context, Middleware } from './context.ts';
import type { Place, Places } from './connection/places.ts';

/** The pattern of every page, in log and metrics. */
export const explorerPattern = '/explorer';

/** The pages for browsers. */
export interface Pages {
  /** Answers a request for a page; returns false, without any effect, if no page has the path. */
  page(context: Context): Promise<boolean>;
  /** Answers with the page of an error. */
  missing(context: Context, error: FhirError): Promise<void>;
}

/**
 * Passes requests for pages to the explorer, which is loaded with the first of them: those of browsers (GET with
 * `Accept: text/html`) for `/` and FHIR paths, and all below `/explorer`. `json` are the ends of paths without pages.
 */
export function explorer(load: () => Promise<Pages>, places: Places, json: readonly string[]): Middleware {
  const isJson = (path: string): boolean => json.some(end => path.endsWith(end)) || path.includes('/.well-known/');
  const isPage = ({ req, state: { path, query } }: Context): boolean =>
    path === explorerPattern ||
    path.startsWith(`${explorerPattern}/`) ||
    (wantsPage(req, query) && (path === '/' || path.startsWith('/r4/')) && !isJson(path));
  const answer: Middleware = async (context, next) => {
    const { state } = context;
    const { pattern } = state;
    state.pattern = explorerPattern;
    const place = await enter(context, load, places);
    if (place === undefined) return undefined;
    try {
      context.respond = false;
      if (await (await load()).page(context)) return undefined;
    } finally {
      place.leave();
    }
    state.pattern = pattern;
    context.respond = true;
    return next();
  };
  // Not async: every other request passes here too.
  return (context, next) => (isPage(context) ? answer(context, next) : next());
}

/** The last step for browsers: an error as a page, where other clients get it as JSON. */
export function missingPage(
  load: () => Promise<Pages>,
  places: Places,
  error: (context: Context) => FhirError,
): Middleware {
  return async (context, next) => {
    if (!wantsPage(context.req, context.state.query)) return next();
    const place = await enter(context, load, places);
    try {
      if (place !== undefined) await answerError(context, load, error(context));
    } finally {
      place?.leave();
    }
    return undefined;
  };
}

/** Takes a place; undefined after it has answered with a page that there is none (503), or too many requests (429). */
async function enter(context: Context, load: () => Promise<Pages>, places: Places): Promise<Place | undefined> {
  const { req, state } = context;
  try {
    return places.enter(req, state.address);
  } catch (error) {
    if (!(error instanceof FhirError) || !wantsPage(req, state.query)) throw error;
    await answerError(context, load, error);
    return undefined;
  }
}

async function answerError(context: Context, load: () => Promise<Pages>, error: FhirError): Promise<void> {
  context.respond = false;
  await (await load()).missing(context, error);
}

/**
 * Whether the client prefers a page to JSON: `_format` decides, else Accept. Browsers name `text/html` before
 * wildcards; a client that names JSON of FHIR too, with the same or a higher quality, gets JSON.
 * https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1
 */
export function wantsPage(
  { method, headers: { accept } }: Pick<Context['req'], 'method' | 'headers'>,
  query: string,
): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (query.includes('_format=')) return /(?:^|&)_format=(?:html|text(?:\/|%2F)html)(?:&|$)/i.test(query);
  if (accept === undefined || !accept.includes('text/html')) return false;
  const qualities = new Map(accept.split(',').map(qualityOf));
  const html = qualities.get('text/html') ?? 0;
  return html > 0 && fhirTypes.every(type => html > (qualities.get(type) ?? 0));
}

const fhirTypes = [
  'application/fhir+json',
  'application/json',
  'application/json+fhir',
  'application/fhir+xml',
  'application/xml',
  'text/xml',
];

function qualityOf(range: string): [type: string, quality: number] {
  const [type = '', ...parameters] = range.split(';').map(part => part.trim().toLowerCase());
  const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2);
  return [type, weight === undefined ? 1 : Number(weight) || 0];
}
