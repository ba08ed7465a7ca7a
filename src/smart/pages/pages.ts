import type { IncomingMessage, ServerResponse } from 'node:http';
import { FhirError } from '../../fhir/error.ts';
import { readPageForm } from '../../http/body/form.ts';
import { createPaths } from '../../interaction/routes.ts';
import { storeFailure } from '../../interaction/answer-of.ts';
import type { Brand } from '../../pages/brand.ts';
import { formToken } from '../../pages/csrf.ts';
import { keepLanguage } from '../../pages/language.ts';
import { PageProblem } from '../../pages/problem.ts';
import type { ErrorContent } from '../../pages/problem.ts';
import type { Reply } from '../../pages/reply.ts';
import { sendReply } from '../../pages/send.ts';
import { replyOf } from '../../pages/visit.ts';
import type { Page } from '../../pages/visit.ts';
import { sessionCookie } from '../sign-in/session.ts';
import { consentStep, consentStepPosted } from './consent.ts';
import { cancelPosted, conversationOf, nextStep } from './conversation.ts';
import { launcher, launcherPosted } from './launcher.ts';
import type { PagesParts } from './parts.ts';
import { patientStep, patientStepPosted } from './patient-step.ts';
import { signInAlone, signInAlonePosted, signInStep, signInStepPosted } from './sign-in.ts';
import { signOut, signOutPosted } from './sign-out.ts';
import { assets, problemPage, signInSite } from './site.ts';
import { texts } from './texts/index.ts';
import { beginFramed, problem } from './visit.ts';
import type { FramedVisit, ProblemName, Visit } from './visit.ts';

/** Every page. */
const pages: readonly Page<Visit>[] = [
  { pattern: '/auth/interaction/:uid', get: visit => nextStep(conversationOf(visit)) },
  { pattern: '/auth/interaction/:uid/sign-in', get: signInStep, post: signInStepPosted },
  { pattern: '/auth/interaction/:uid/patient', get: patientStep, post: patientStepPosted },
  { pattern: '/auth/interaction/:uid/consent', get: consentStep, post: consentStepPosted },
  { pattern: '/auth/interaction/:uid/cancel', post: cancelPosted },
  { pattern: '/auth/sign-in', get: signInAlone, post: signInAlonePosted },
  { pattern: '/auth/sign-out', get: signOut, post: signOutPosted },
  { pattern: '/auth/launcher', get: launcher, post: launcherPosted },
];

const findPage = createPaths(pages.map(page => [page.pattern, page]));

/** Answers requests for pages; returns false, without any effect, if no page has the path. */
export type Pages = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/** The pages of sign-in, choice of a patient, consent, sign-out and launcher, under `/auth`. */
export function createPages(parts: PagesParts): Pages {
  const { publicUrl, config, brand, log } = parts;
  const site = signInSite(publicUrl, config.frameAncestors, brand);
  return async (request, response) => {
    const [path = '', text = ''] = (request.url ?? '').split('?', 2);
    if (assets.send(path, brand.logo, request, response)) return true;
    const found = findPage(path);
    if (found === undefined) return false;
    const query = new URLSearchParams(text);
    let visit = beginFramed(publicUrl, request, response, { path, params: found.params, query });
    let reply: Reply;
    try {
      const opened = await openVisit(parts, visit);
      visit = opened;
      const readForm = () => readPageForm(request, response, config.bodyTimeout);
      reply = await replyOf(opened, found.value, publicUrl, readForm);
    } catch (error) {
      const failure = problemOf(error);
      const isFault = failure.problem === 'fault';
      if (isFault) log.fault(error, visit.requestId);
      const again = againAt(visit, found.value, failure);
      reply = problemPage(visit, failure, { again, details: isFault ? { requestId: visit.requestId } : {} });
    }
    await sendReply(site, visit, reply);
    return true;
  };
}

/** Adds what the store has: the authorization request and the session. Throws the errors of the store. */
async function openVisit(parts: PagesParts, framed: FramedVisit): Promise<Visit> {
  const { sessions, registry, conversations } = parts;
  const { request, query, path, params, cookies } = framed;
  const { uid } = params;
  const conversation = uid === undefined || !isUid.test(uid) ? undefined : await conversations.find(uid, framed);
  const language = keepLanguage(request, cookies, query, conversation?.languages);
  const secret = cookies.read(sessionCookie);
  const session = secret === undefined ? undefined : await sessions.find(secret);
  const user = session === undefined ? undefined : await registry.user(session.user);
  const sessionSecret = user === undefined ? undefined : secret;
  return {
    ...framed,
    parts,
    address: parts.clientAddress(request),
    form: new URLSearchParams(),
    language,
    texts: texts[language],
    conversation,
    user,
    sessionSecret,
    token: formToken(cookies, sessionSecret ?? '', uid ?? path),
  };
}

/** The form of the id of an authorization request. */
const isUid = /^[A-Za-z0-9_-]{1,128}$/;

function problemOf(error: unknown): PageProblem<ProblemName> {
  if (error instanceof PageProblem) return error;
  const failure = error instanceof FhirError ? error : storeFailure(error);
  return failure?.status === 503 ? problem(503, 'unavailable', { 'Retry-After': '5' }) : problem(500, 'fault');
}

/** The remedy of a problem: the same page again, if that may help, or another account. */
function againAt(
  { params: { uid }, link, path, query, texts }: FramedVisit,
  { get }: Page<Visit>,
  { problem }: PageProblem<ProblemName>,
): ErrorContent['again'] {
  if (problem === 'noPatientAccess' && uid !== undefined)
    return { href: link(`/auth/interaction/${uid}/sign-in`), text: texts.consent.notYou };
  if (get === undefined || problem === 'notFound' || problem === 'over' || problem === 'noPatientAccess')
    return undefined;
  const search = query.size === 0 ? '' : `?${query.toString()}`;
  return { href: link(`${path}${search}`), text: texts.back };
}

/** An error of the authorization endpoint that is shown to the user, since it must not be sent to the app. */
export interface ProtocolError {
  readonly status: number;
  /** The code of OAuth, such as `invalid_request`. */
  readonly error: string;
  readonly description: string | undefined;
}

/**
 * Creates the handler that shows such an error on a page: what happened and what to do, with the error itself for app
 * developers. https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1
 */
export function createProtocolErrorPage(
  publicUrl: string,
  frameAncestors: readonly string[],
  brand: Brand,
): (request: IncomingMessage, response: ServerResponse, error: ProtocolError) => Promise<void> {
  const site = signInSite(publicUrl, frameAncestors, brand);
  return async (request, response, { status, error, description }) => {
    const [path = '', text = ''] = (request.url ?? '').split('?', 2);
    const query = new URLSearchParams(text);
    const languages = (query.get('ui_locales') ?? '').split(' ');
    const visit = beginFramed(publicUrl, request, response, { path, params: {}, query }, languages);
    const failure = problem(status, protocolProblem(status, error, description ?? ''));
    const { requestId } = visit;
    await sendReply(site, visit, problemPage(visit, failure, { details: { code: error, description, requestId } }));
  };
}

function protocolProblem(status: number, error: string, description: string): ProblemName {
  if (status === 404) return 'notFound';
  if (/redirect_uri/.test(error) || /redirect_uri/.test(description)) return 'wrongReturn';
  if (status === 429) return 'tooMany';
  if (status >= 500) return status === 503 ? 'unavailable' : 'fault';
  if (error === 'invalid_client' || error === 'unauthorized_client') return 'unknownApp';
  if (/session|interaction/.test(description)) return 'over';
  return 'badRequest';
}
