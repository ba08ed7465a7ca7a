import type { Access } from '../../auth/access.ts';
import { FhirError } from '../../fhir/error.ts';
import { createAccessOf } from '../../http/access.ts';
import type { Context } from '../../http/context.ts';
import { findPartition } from '../../http/partition.ts';
import { createCookies } from '../../pages/cookies.ts';
import { formToken, newBrowserSecret } from '../../pages/csrf.ts';
import { languageOf } from '../../pages/language.ts';
import { parsePairs } from '../../search/parse/pairs.ts';
import { texts } from '../texts/index.ts';
import { createAsk } from './ask.ts';
import type { ExplorerParts } from './parts.ts';
import type { Place } from './place.ts';
import type { Visit } from './visit.ts';

/** Parameters of FHIR paths that are for the page, not for the FHIR interface. */
export const pageParameters: ReadonlySet<string> = new Set(['_view', '_columns', '_format', '_pretty']);

/** A visit, and the error that its page reports, if the partition or the query cannot be used. */
export interface OpenedVisit {
  readonly visit: Visit;
  readonly problem: FhirError | undefined;
}

/** Makes the visit of a request. Throws the errors of the store. */
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

  let problem: FhirError | undefined;
  const attempt = async <T>(work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof FhirError)) throw error;
      problem ??= error;
      return undefined;
    }
  };
  const pairs = (await attempt(() => parsePairs(state.query))) ?? [];
  const isFhir = path.startsWith('/r4/');
  const query = isFhir ? pairs.filter(([name]) => !pageParameters.has(name)) : [];
  const options = new URLSearchParams(
    pairs.filter(([name]) => !isFhir || pageParameters.has(name)).map(pair => [...pair]),
  );
  const place = await placeOf(parts, params['partition'], attempt);
  const { access, refused } = place === undefined ? noAccess : await accessOf(parts, req, place);
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
    access,
    user: undefined,
    token: formToken(browser, '', 'explorer'),
    ask: createAsk(engine, { place, access, refused, requestId, address }),
    target: `${path.slice(base.length + 1)}${text === '' ? '' : `?${text}`}`,
    link,
    record: target => link(`${base}/${target}`),
  };
  return { visit, problem };
}

type Attempt = <T>(work: () => T | Promise<T>) => Promise<T | undefined>;

async function placeOf(
  { engine, publicUrl }: ExplorerParts,
  id: string | undefined,
  attempt: Attempt,
): Promise<Place | undefined> {
  if (id === undefined) return undefined;
  const partition = await attempt(() => findPartition(engine.store, publicUrl, id));
  return partition && { partition, base: `${publicUrl}/r4/${partition.id}` };
}

interface Rights {
  readonly access: Access | undefined;
  readonly refused: FhirError | undefined;
}

const noAccess: Rights = { access: undefined, refused: undefined };

/** The rights of a token, decided where those of a client are. */
async function accessOf({ engine, verify }: ExplorerParts, request: Context['req'], place: Place): Promise<Rights> {
  const read = createAccessOf(engine, verify, '/r4/:partition');
  try {
    return { access: await read(request, { query: '', ...place }), refused: undefined };
  } catch (error) {
    if (!(error instanceof FhirError) || error.status >= 500) throw error;
    return { access: undefined, refused: error };
  }
}
