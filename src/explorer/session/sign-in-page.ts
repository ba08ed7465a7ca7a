import { FhirError, fhirError } from '../../fhir/error.ts';
import { html } from '../../pages/html.ts';
import type { Html } from '../../pages/html.ts';
import { explorerCallback, explorerId, explorerScopes } from '../../smart/accounts/explorer-client.ts';
import { findPlace, hereOf, localPath, signInPath } from '../shell/paths.ts';
import type { VisitedPartition } from '../shell/paths.ts';
import { tokenField } from '../../pages/parts.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from '../shell/visit.ts';
import { callEndpoint } from '../../smart/provider/call-endpoint.ts';
import { asString } from '../../fhir/json-object.ts';
import { demonstrationOf } from '../shell/parts.ts';
import { beginSession, explorerCookie, findSession, sessionsOf } from './rights.ts';
import { beginFlow, endFlow } from './flow.ts';
import { texts } from './texts.ts';
import type { SessionTexts } from './texts.ts';

/** The page that asks who the visitor is: the SMART sign-in, a token, or the demonstration. */
export async function signInPage(visit: Visit): Promise<Reply> {
  const place = placeOf(visit);
  return signInForm(visit, place, { to: localPath(visit.options.get('to')) ?? homeOf(place) });
}

/** The sign-in instead of a page that needs one, with the reason why a token was rejected. */
export async function signInInstead(visit: Visit, place: VisitedPartition, failure: FhirError): Promise<Reply> {
  const isRejected = failure.headers['WWW-Authenticate']?.includes('error=') === true;
  return signInForm(visit, place, {
    to: hereOf(visit),
    status: failure.status,
    ...(isRejected ? { reason: failure.message } : {}),
  });
}

/** Signs in in the way that the field `how` of the form names. */
export async function signInPosted(visit: Visit): Promise<Reply> {
  const { parts, engine, options, form, language } = visit;
  const place = placeOf(visit);
  const home = homeOf(place);
  const to = localPath(options.get('to')) ?? home;
  const how = form.get('how');
  if (how === 'user' || how === 'patient') {
    const scopes = explorerScopes(engine.model, how);
    if (parts.authorized === undefined || scopes === undefined) throw notOffered();
    return { kind: 'see', path: beginFlow(parts.publicUrl, visit.cookies, { base: place.base, scopes, to, home }) };
  }
  if (how === 'demonstration') {
    const demonstration = await demonstrationOf(visit);
    const accounts = demonstration?.partition === place.partition.id ? demonstration.accounts : undefined;
    if (accounts === undefined) throw notOffered();
    await beginSession(visit, place, { ...(await accounts.token(visit)), own: false });
    return { kind: 'see', path: to };
  }
  const token = (form.get('access') ?? '').trim();
  if (token === '') return signInForm(visit, place, { to, status: 422, reason: texts[language].noToken });
  try {
    await beginSession(visit, place, { token, own: false });
  } catch (error) {
    if (!(error instanceof FhirError) || error.status !== 401) throw error;
    return signInForm(visit, place, { to, status: 422, reason: error.message });
  }
  return { kind: 'see', path: to };
}

/** The sign-in to a partition, which returns to a page; after a refusal with its reason. */
export async function signInForm(
  visit: Visit,
  place: VisitedPartition,
  { to, status = 200, reason }: { readonly to: string; readonly status?: number; readonly reason?: string },
): Promise<Reply> {
  const words = texts[visit.language];
  const action = visit.link(signInPath(place, to));
  const alert = html`<div class="errors" role="alert" tabindex="-1" autofocus><p lang="en">${reason}</p></div>`;
  return {
    kind: 'page',
    status,
    title: reason === undefined ? words.signIn : `${words.titleError}: ${words.signIn}`,
    width: 'middle',
    body: html`<div class="card">
      <h1>${words.title}</h1>
      <p class="lead">${words.lead(place.partition.id)}</p>
      ${reason !== undefined && alert} ${await ways(visit, place, action, words)}
    </div>`,
  };
}

async function ways(visit: Visit, place: VisitedPartition, action: string, words: SessionTexts): Promise<Html> {
  const { parts, engine } = visit;
  const contexts = (['user', 'patient'] as const).filter(
    context => parts.authorized !== undefined && explorerScopes(engine.model, context) !== undefined,
  );
  const button = (how: string, text: string, isFirst: boolean): Html =>
    html`<button name="how" value="${how}" ${!isFirst && html` class="quiet"`}>${text}</button>`;
  const signIn = html`<form method="post" action="${action}">
    ${tokenField(visit)}
    <h2>${words.signIn}</h2>
    <p class="hint">${words.signInHint}</p>
    <div class="go">${contexts.map((how, at) => button(how, words[how], at === 0))}</div>
  </form>`;
  const offered = await demonstrationOf(visit);
  const isDemonstration = offered?.accounts !== undefined && offered.partition === place.partition.id;
  const demonstration = html`<form method="post" action="${action}">
    ${tokenField(visit)}
    <h2>${words.demonstration}</h2>
    <p class="hint">${words.demonstrationHint}</p>
    <div class="go">${button('demonstration', words.lookAround, false)}</div>
  </form>`;
  const token = html`<form method="post" action="${action}">
    ${tokenField(visit)}
    <div class="field">
      <label for="access">${words.token}</label>
      <p class="hint" id="access-hint">${words.tokenHint}</p>
      <input type="password" id="access" name="access" autocomplete="off" aria-describedby="access-hint" />
    </div>
    <div class="go">${button('token', words.useToken, false)}</div>
  </form>`;
  return html`${contexts.length > 0 && signIn} ${isDemonstration && demonstration} ${token}`;
}

/**
 * The end of the SMART sign-in: exchanges the code for a token, and begins the session. If the sign-in was refused, it
 * is the sign-in again, with status 403 and the reason. Throws FhirError 400 for a code that this browser did not
 * request, and 404 if the partition does not exist.
 */
export async function callbackPage(visit: Visit): Promise<Reply> {
  const { parts, request, options } = visit;
  const flow = endFlow(visit.cookies, options.get('state'));
  if (flow === undefined || parts.authorized === undefined) throw notBegun();
  const place = await findPlace(parts, /^\/r4\/([^/?]+)|^\/explorer\/([^/?]+)/.exec(flow.to)?.slice(1).find(Boolean));
  const refused = (why: string): Promise<Reply> =>
    signInForm(visit, place, { to: flow.to, status: 403, reason: `The sign-in was refused: ${why}` });
  const [code, error] = [options.get('code'), options.get('error')];
  if (code === null) return refused(options.get('error_description') ?? error ?? 'There is no code.');
  const form = {
    grant_type: 'authorization_code',
    client_id: explorerId,
    redirect_uri: `${parts.publicUrl}${explorerCallback}`,
    code,
    code_verifier: flow.verifier,
  };
  const { server } = await parts.authorized.load();
  const { json } = await callEndpoint(server, '/token', form, request, parts.publicUrl);
  const token = asString(json['access_token']);
  if (token === undefined) return refused(asString(json['error_description']) ?? 'The code is not valid.');
  await beginSession(visit, place, { token, own: true });
  return { kind: 'see', path: flow.to };
}

const notBegun = (): FhirError =>
  fhirError(
    400,
    'invalid',
    'The sign-in has expired, or was begun in another browser. Open the page and sign in again.',
  );

/** Ends the session, and revokes a token that was issued to the explorer. */
export async function signOutPosted({ parts, request, cookies }: Visit): Promise<Reply> {
  const secret = cookies.read(explorerCookie);
  const session = await findSession(parts, request, cookies);
  if (session?.own === true && parts.authorized !== undefined) {
    const { server } = await parts.authorized.load();
    await callEndpoint(server, '/revoke', { client_id: explorerId, token: session.token }, request, parts.publicUrl);
  }
  if (secret !== undefined) await sessionsOf(parts).end(secret);
  cookies.clear(explorerCookie);
  return { kind: 'see', path: '/' };
}

function placeOf({ place }: Visit): VisitedPartition {
  if (place === undefined) throw fhirError(404, 'not-found', 'There is no partition to sign in to.');
  return place;
}

const homeOf = ({ partition }: VisitedPartition): string => `/r4/${partition.id}`;

const notOffered = (): FhirError => fhirError(404, 'not-supported', 'This way to sign in is not offered here.');
