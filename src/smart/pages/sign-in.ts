import { sessionCookie } from '../../pages/cookies.ts';
import type { RegisteredUser } from '../accounts/registered.ts';
import { SignInRefused } from '../sign-in/sign-in.ts';
import { errorSummary, textField, titleOf, tokenField } from './fields.ts';
import type { FieldError } from './fields.ts';
import { html } from '../../pages/html.ts';
import type { Part } from '../../pages/html.ts';
import type { Reply, Visit } from './visit.ts';

/** The context of a sign-in. */
export interface SignInFor {
  /** Text below the heading. */
  readonly lead: string;
  /** The target of the form. */
  readonly action: string;
  /** The partition that the user must have; undefined for any. */
  readonly partition: string | undefined;
  /** Content below the button. */
  readonly more?: Part;
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
    title: titleOf(visit, words.title, errors),
    headers: wait === undefined ? {} : { 'Retry-After': String(Math.ceil(wait)) },
    body: html`<div class="card">
      <h1>${words.title}</h1>
      <p class="lead">${lead}</p>
      ${errorSummary(visit, errors)}
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
  const { parts, form, texts, address, requestId, request, response, cookies } = visit;
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
  const former = cookies.read(request, response, sessionCookie); // also one that has timed out
  if (former !== undefined) await parts.sessions.end(former);
  cookies.set(response, sessionCookie, await parts.sessions.begin(found, since));
  return found;
}
