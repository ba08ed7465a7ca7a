import type { Context } from '../../http/context.ts';
import { formToken } from '../../pages/csrf.ts';
import { keepLanguage } from '../../pages/language.ts';
import { beginVisit } from '../../pages/site.ts';
import { parsePairs } from '../../search/parse/pairs.ts';
import { texts } from './texts.ts';
import { searchParameter } from '../results/links.ts';
import { findSession, rightsOf } from '../session/rights.ts';
import { createAsk } from './ask.ts';
import type { ExplorerParts } from './parts.ts';
import { withProgress } from '../../interaction/stored-progress.ts';
import { findPlace } from './paths.ts';
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
  const { engine } = parts;
  const { path, requestId, address } = state;
  res.setHeader('X-Request-Id', requestId);
  const begun = beginVisit(parts.publicUrl, req, res, { path, params });
  const { link, cookies } = begun;

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
  const session = await attempt(() => findSession(parts, req, cookies));
  const id = params['partition'] ?? session?.partition;
  const place = id === undefined ? undefined : await attempt(() => findPlace(parts, id));
  const own =
    place === undefined ? engine : await attempt(() => withProgress(engine.in(place.partition), place.partition.id));
  const rights = await attempt(() => rightsOf(parts, req, place, session));
  const base = place === undefined ? '' : `/r4/${place.partition.id}`;
  const text = new URLSearchParams(query.map(([name, value]) => [name, value])).toString();
  const language = keepLanguage(req, cookies, new URLSearchParams());
  const visit: Visit = {
    ...begun,
    address,
    parts,
    engine: own ?? engine,
    query,
    options,
    form: new URLSearchParams(),
    language,
    texts: texts[language],
    place,
    access: rights?.access,
    user: session?.name,
    token: formToken(cookies, session?.token ?? '', 'explorer'),
    ask: createAsk(own ?? engine, { place, access: rights?.access, refused: rights?.refused, requestId, address }),
    target: `${path.slice(base.length + 1)}${text === '' ? '' : `?${text}`}`,
    record: target => link(`${base}/${target}`),
    pageLink: page => link(`/explorer/${place?.partition.id ?? ''}/${page}`),
  };
  return { visit, problem };
}
