import type { Context } from '../../http/context.ts';
import { createCookies } from '../../pages/cookies.ts';
import { formToken, newBrowserSecret } from '../../pages/csrf.ts';
import { languageOf } from '../../pages/language.ts';
import { parsePairs } from '../../search/parse/pairs.ts';
import { texts } from './texts.ts';
import { searchParameter } from '../results/search-of.ts';
import { findSession, rightsOf } from '../session/rights.ts';
import { createAsk } from './ask.ts';
import type { ExplorerParts } from './parts.ts';
import { findPlace } from './place.ts';
import { typesParameter } from './type-filter.ts';
import type { Visit } from './visit.ts';

/** Parameters of FHIR paths that are for the page, not for the FHIR interface. */
export const pageParameters: ReadonlySet<string> = new Set([
  '_view',
  '_columns',
  typesParameter,
  searchParameter,
  '_format',
  '_pretty',
]);

/** A visit, and the error that its page reports: the partition or the query cannot be used, or the store failed. */
export interface OpenedVisit {
  readonly visit: Visit;
  readonly problem: { readonly error: unknown } | undefined;
}

/** Makes the visit of a request. */
export async function openVisit(
  parts: ExplorerParts,
  { req, res, state }: Context,
  params: Readonly<Record<string, string>>,
): Promise<OpenedVisit> {
  const { engine, publicUrl } = parts;
  const { path, requestId, address } = state;
  const cookies = createCookies(publicUrl);
  const { pathname } = new URL(publicUrl);
  const below = pathname.replace(/\/$/, '');
  const language = languageOf({ asked: undefined, kept: cookies.read(req, res, 'language'), app: [], request: req });
  let browser = cookies.read(req, res, 'browser');
  if (browser === undefined) cookies.set(res, 'browser', (browser = newBrowserSecret()));
  res.setHeader('X-Request-Id', requestId);

  let problem: OpenedVisit['problem'];
  const attempt = async <T>(work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      problem ??= { error };
      return undefined;
    }
  };
  const pairs = (await attempt(() => parsePairs(state.query))) ?? [];
  const isFhir = path.startsWith('/r4/');
  const query = isFhir ? pairs.filter(([name]) => !pageParameters.has(name)) : [];
  const options = new URLSearchParams(
    pairs.filter(([name]) => !isFhir || pageParameters.has(name)).map(pair => [...pair]),
  );
  const session = await attempt(() => findSession(parts, req, res));
  const id = params['partition'] ?? session?.partition;
  const place = id === undefined ? undefined : await attempt(() => findPlace(parts, id));
  const rights = await attempt(() => rightsOf(parts, req, place, session));
  const base = place === undefined ? '' : `/r4/${place.partition.id}`;
  const text = new URLSearchParams(query.map(([name, value]) => [name, value])).toString();
  const link = (to: string): string => `${below}${to}`;
  const visit: Visit = {
    parts,
    engine,
    request: req,
    response: res,
    path,
    params,
    query,
    options,
    form: new URLSearchParams(),
    language,
    texts: texts[language],
    requestId,
    address,
    place,
    access: rights?.access,
    user: session?.name,
    token: formToken(browser, session?.token ?? '', 'explorer'),
    ask: createAsk(engine, { place, access: rights?.access, refused: rights?.refused, requestId, address }),
    target: `${path.slice(base.length + 1)}${text === '' ? '' : `?${text}`}`,
    link,
    record: target => link(`${base}/${target}`),
  };
  return { visit, problem };
}
