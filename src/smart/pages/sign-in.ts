import { cancelForm, conversationOf, goOn, stepPath } from './conversation.ts';
import type { Conversation } from '../sign-in/conversation.ts';
import { sessionCookie } from '../sign-in/session.ts';
import type { RegisteredUser } from '../accounts/registered.ts';
import { SignInRefused } from '../sign-in/sign-in.ts';
import { errorSummary, textField, titleOf, tokenField } from '../../pages/parts.ts';
import type { FieldError } from '../../pages/parts.ts';
import { html } from '../../pages/html.ts';
import type { Markup } from '../../pages/html.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from './visit.ts';

/** The context of a sign-in. */
export interface SignInFor {
  /** Text below the heading. */
  readonly lead: string;
  /** The target of the form. */
  readonly action: string;
  /** The partition that the user must have; undefined for any. */
  readonly partition: string | undefined;
  /** Content below the button. */
  readonly more?: Markup;
}

/** The sign-in page; with `refused` the reason of the last failure. */
export function signInPage(
  visit: Visit,
  { lead, action, more }: SignInFor,
  refused: { readonly status: number; readonly errors: readonly FieldError[]; readonly wait?: number } = {
    status: 200,
    errors: [],
  },
): Reply {
  const { texts, form } = visit;
  const words = texts.signIn;
  const { status, errors, wait } = refused;
  return {
    kind: 'page',
    status,
    title: titleOf(visit.language, words.title, errors.length > 0),
    headers: wait === undefined ? {} : { 'Retry-After': String(Math.ceil(wait)) },
    body: html`<div class="card">
      <h1>${words.title}</h1>
      <p class="lead">${lead}</p>
      ${errorSummary(visit.language, errors)}
      <form method="post" action="${action}" novalidate>
        ${tokenField(visit)}
        ${textField({
          id: 'user',
          label: words.user,
          value: form.get('user') ?? '',
          errors,
          input: html`type="text" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="200"
          required${errors.length === 0 && html` autofocus`}`,
        })}
        ${textField({
          id: 'password',
          label: words.password,
          errors,
          input: html`type="password" autocomplete="current-password" maxlength="1000" required`,
        })}
        <button>${words.submit}</button>
      </form>
      <p class="hint">${words.help}</p>
      ${more}
    </div>`,
  };
}

/**
 * Tries the credentials of the form: returns the user, whose session is in its cookie, or the page again. The message
 * is the same for a wrong name and a wrong password.
 */
export async function trySignIn(visit: Visit, what: SignInFor): Promise<RegisteredUser | Reply> {
  const { parts, form, texts, address, requestId, cookies } = visit;
  const words = texts.signIn;
  const [user = '', password = ''] = ['user', 'password'].map(name => form.get(name) ?? '');
  const missing = [
    ...(user.trim() === '' ? [{ field: 'user', text: words.noUser }] : []),
    ...(password === '' ? [{ field: 'password', text: words.noPassword }] : []),
  ];
  if (missing.length > 0) return signInPage(visit, what, { status: 422, errors: missing });
  let found: RegisteredUser;
  const since = parts.engine.now();
  try {
    found = await parts.signIn({ user: user.trim(), password, address, requestId });
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error;
    const { reason, seconds } = error;
    if (reason === 'wrong')
      return signInPage(visit, what, { status: 422, errors: [{ field: 'user', text: words.wrong }] });
    const text = words.throttled(texts.time(seconds));
    return signInPage(visit, what, { status: 429, errors: [{ field: 'user', text }], wait: seconds });
  }
  const { partition } = what;
  if (partition !== undefined && !found.partitions.some(({ id }) => id === partition))
    return signInPage(visit, what, { status: 403, errors: [{ field: 'user', text: words.notHere }] });
  const former = cookies.read(sessionCookie); // also one that has timed out
  if (former !== undefined) await parts.sessions.end(former);
  cookies.set(sessionCookie, await parts.sessions.begin(found, since));
  return found;
}

/** Sign-in without an app, which leads to the launcher. */
export async function signInAlone(visit: Visit): Promise<Reply> {
  return visit.user === undefined ? signInPage(visit, aloneFor(visit)) : { kind: 'see', path: '/auth/launcher' };
}

export async function signInAlonePosted(visit: Visit): Promise<Reply> {
  const result = await trySignIn(visit, aloneFor(visit));
  return 'kind' in result ? result : { kind: 'see', path: '/auth/launcher' };
}

const aloneFor = ({ texts, link }: Visit): SignInFor => ({
  lead: texts.signIn.toLauncher,
  action: link('/auth/sign-in'),
  partition: undefined,
});

/** Sign-in on the way to an app; also for a signed-in user who wants another account. */
export async function signInStep(visit: Visit): Promise<Reply> {
  return signInPage(visit, stepFor(visit, conversationOf(visit)));
}

export async function signInStepPosted(visit: Visit): Promise<Reply> {
  const of = conversationOf(visit);
  const { parts } = visit;
  const result = await trySignIn(visit, stepFor(visit, of));
  if ('kind' in result) return result;
  const url = await parts.conversations.signedIn(of, result, visit);
  return goOn(visit, of, url);
}

function stepFor(visit: Visit, of: Conversation): SignInFor {
  const { toApp, cancel } = visit.texts.signIn;
  return {
    lead: toApp(of.client.name),
    action: visit.link(stepPath(of, 'sign-in')),
    partition: of.partition,
    more: cancelForm(visit, of, cancel),
  };
}
