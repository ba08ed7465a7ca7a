import type { IncomingMessage, ServerResponse } from 'node:http';
import { createCookies, sessionCookie } from '../../pages/cookies.ts';
import type { Cookies } from '../../pages/cookies.ts';
import { readPageForm } from '../../http/body/form.ts';
import { FhirError } from '../../fhir/error.ts';
import { storeFailure } from '../../interaction/store-failure.ts';
import { assets } from './layout.ts';
import { formToken, isFormToken, isFromElsewhere, newBrowserSecret } from '../../pages/csrf.ts';
import { errorPage } from './error-page.ts';
import type { ErrorDetails } from './error-page.ts';
import type { PagesParts } from './parts.ts';
import { Problem } from './problem.ts';
import type { ProblemName } from './problem.ts';
import { findRoute } from './routes.ts';
import { requestIdOf } from '../../pages/request-id.ts';
import { createSend, keepLanguage } from './send.ts';
import { texts } from './texts/index.ts';
import type { Reply, Route, Visit } from './visit.ts';

/** Answers requests for pages; returns false, without any effect, if no page has the path. */
export type Pages = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/** The pages of sign-in, choice of a patient, consent, sign-out and launcher, under `/auth`. */
export function createPages(parts: PagesParts): Pages {
  const { publicUrl, config, brand } = parts;
  const send = createSend(publicUrl, config.frameAncestors, brand);
  const cookies = createCookies(publicUrl);
  return async (request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    if (assets.send(path, brand.logo, request, response)) return true;
    const found = findRoute(path);
    if (found === undefined) return false;
    const asked = askedOf(parts, cookies, request, response, path, new URLSearchParams(query), found.params);
    const visit = await visitOf(parts, asked).catch((error: unknown) => {
      send(asked, failed(parts, asked, error));
      return undefined;
    });
    if (visit !== undefined) send(visit, await answer(visit, found.route));
    return true;
  };
}

/** The reply of the page, or the page of the error. */
async function answer(visit: Visit, route: Route): Promise<Reply> {
  const { request, parts } = visit;
  try {
    return await run(visit, route);
  } catch (error) {
    if (!request.complete) request.resume(); // the rest is discarded, so that the browser reads the answer
    return failed(parts, visit, error, route);
  }
}

function failed({ log }: PagesParts, asked: AskedFor, error: unknown, route?: Route): Reply {
  const problem = problemOf(error);
  const { requestId } = asked;
  const isFault = problem.problem === 'fault';
  if (isFault) log.fault(error, requestId);
  return errorPage(asked, problem, { ...(isFault ? { requestId } : {}), ...againAt(asked, route, problem) });
}

async function run(visit: Visit, route: Route): Promise<Reply> {
  const { request, response, parts } = visit;
  const { method } = request;
  const { get, post } = route;
  if (get !== undefined && (method === 'GET' || method === 'HEAD')) return get(visit);
  if (post === undefined || method !== 'POST') {
    const allowed = [...(get === undefined ? [] : ['GET', 'HEAD']), ...(post === undefined ? [] : ['POST'])];
    throw new Problem(405, 'wrongMethod', { Allow: allowed.join(', ') });
  }
  if (isFromElsewhere(request, parts.publicUrl)) throw new Problem(403, 'stale');
  const form = await readPageForm(request, response, parts.config.bodyTimeout).catch((error: unknown) => {
    throw formProblem(error);
  });
  if (!isFormToken(form.get('token'), visit.token)) throw new Problem(403, 'stale');
  return post({ ...visit, form });
}

/** What is wrong with a form, by the status of its FhirError. */
const formProblems: ReadonlyMap<number, ProblemName> = new Map([
  [400, 'notComplete'],
  [408, 'notComplete'],
  [413, 'tooLarge'],
  [415, 'notAForm'],
]);

function formProblem(error: unknown): unknown {
  const name = error instanceof FhirError ? formProblems.get(error.status) : undefined;
  return error instanceof FhirError && name !== undefined ? new Problem(error.status, name, error.headers) : error;
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const failure = error instanceof FhirError ? error : storeFailure(error);
  if (failure !== undefined && failure.status === 503) return new Problem(503, 'unavailable', { 'Retry-After': '5' });
  return new Problem(500, 'fault');
}

/** The remedy of a problem: the same page again, if that may help, or another account. */
function againAt(
  { params, link, path, query, texts }: AskedFor,
  route: Route | undefined,
  { problem }: Problem,
): Pick<ErrorDetails, 'again'> {
  const { uid } = params;
  if (problem === 'noPatientAccess' && uid !== undefined)
    return { again: { href: link(`/auth/interaction/${uid}/sign-in`), text: texts.consent.notYou } };
  if (route?.get === undefined || problem === 'notFound' || problem === 'over' || problem === 'noPatientAccess')
    return {};
  const search = query.size === 0 ? '' : `?${query.toString()}`;
  return { again: { href: link(`${path}${search}`), text: texts.problem.back } };
}

/** The properties of a request before any lookup. */
type AskedFor = Omit<Visit, 'conversation' | 'token'>;

function askedOf(
  parts: PagesParts,
  cookies: Cookies,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: URLSearchParams,
  params: Readonly<Record<string, string>>,
): AskedFor {
  const below = new URL(parts.publicUrl).pathname.replace(/\/$/, '');
  const language = keepLanguage(cookies, request, response, query, []);
  return {
    parts,
    request,
    response,
    path,
    params,
    query,
    form: new URLSearchParams(),
    language,
    texts: texts[language],
    address: parts.clientAddress(request),
    requestId: requestIdOf(response),
    user: undefined,
    sessionSecret: undefined,
    cookies,
    link: path => `${below}${path}`,
  };
}

async function visitOf({ sessions, registry, conversations }: PagesParts, asked: AskedFor): Promise<Visit> {
  const { request, response, query, params, path, cookies } = asked;
  const { uid } = params;
  const conversation = uid === undefined ? undefined : await conversations.find(uid, request, response);
  const language = keepLanguage(cookies, request, response, query, conversation?.languages ?? []);
  const secret = cookies.read(request, response, sessionCookie);
  const session = secret === undefined ? undefined : await sessions.find(secret);
  const user = session === undefined ? undefined : await registry.user(session.user);
  const sessionSecret = user === undefined ? undefined : secret;
  let browser = cookies.read(request, response, 'browser');
  if (browser === undefined) {
    browser = newBrowserSecret();
    cookies.set(response, 'browser', browser);
  }
  const token = formToken(browser, sessionSecret ?? '', uid ?? path);
  return { ...asked, language, texts: texts[language], conversation, user, sessionSecret, token };
}
