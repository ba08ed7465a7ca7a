import { sessionCookie } from '../sign-in/session.ts';
import { digestOf } from '../../auth/token/digest.ts';
import { tokenField } from '../../pages/parts.ts';
import { html } from '../../pages/html.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from './visit.ts';

/**
 * Asks for confirmation, so that a link of another site cannot sign out; also for a session that has timed out, since
 * apps may have online access by it.
 */
export async function signOut(visit: Visit): Promise<Reply> {
  const { parts, texts, user, link } = visit;
  const secret = secretOf(visit);
  if (user === undefined && (secret === undefined || !(await parts.sessions.isAlive(digestOf(secret)))))
    return signedOut(visit);
  const words = texts.signOut;
  const everywhere = html`<button class="quiet" name="from" value="everywhere">${words.everywhere}</button>`;
  return {
    kind: 'page',
    title: words.title,
    body: html`<div class="card">
      <h1>${words.title}</h1>
      ${user !== undefined && html`<p class="lead"><bdi>${words.who(user.name)}</bdi></p>`}
      <form method="post" action="${link('/auth/sign-out')}">
        ${tokenField(visit)}
        <div class="go">
          <button name="from" value="here">${words.here}</button>
          ${user !== undefined && everywhere}
        </div>
        ${user !== undefined && html`<p class="hint">${words.everywhereHint}</p>`}
      </form>
    </div>`,
  };
}

/** Ends this session, or all sessions of the user with all tokens of apps. */
export async function signOutPosted(visit: Visit): Promise<Reply> {
  const { parts, form, user, cookies, address, requestId } = visit;
  const secret = secretOf(visit);
  if (user !== undefined) parts.engine.audit.signIn({ what: 'logout', user: user.id, status: 200, address, requestId });
  if (user !== undefined && form.get('from') === 'everywhere') await parts.sessions.endAll(user.id);
  if (secret !== undefined) await parts.sessions.end(secret);
  cookies.clear(sessionCookie);
  return signedOut({ ...visit, user: undefined });
}

const secretOf = ({ cookies }: Visit): string | undefined => cookies.read(sessionCookie);

function signedOut({ texts, link }: Visit): Reply {
  const { done, doneTodo, again } = texts.signOut;
  return {
    kind: 'page',
    title: done,
    body: html`<div class="card">
      <h1>${done}</h1>
      <p class="lead">${doneTodo}</p>
      <p><a href="${link('/auth/sign-in')}">${again}</a></p>
    </div>`,
  };
}
