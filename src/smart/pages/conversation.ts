import type { Conversation, ConversationStep } from '../sign-in/conversation.ts';
import type { RegisteredUser } from '../accounts/registered.ts';
import { tokenField } from '../../pages/parts.ts';
import { html } from '../../pages/html.ts';
import type { Html } from '../../pages/html.ts';
import { problem } from './visit.ts';
import type { Reply } from '../../pages/reply.ts';
import { onwardPage } from './site.ts';
import type { Visit } from './visit.ts';

/** A conversation in which a user has signed in. */
export type Signed = Conversation & { readonly user: RegisteredUser };

/** The conversation that the path names. Throws Problem 404 if it has expired or belongs to another browser. */
export function conversationOf({ conversation }: Visit): Conversation {
  if (conversation === undefined) throw problem(404, 'over');
  return conversation;
}

export const hasUser = (of: Conversation): of is Signed => of.user !== undefined;

/** The path of the page of a step. */
export const stepPath = ({ uid }: Conversation, step: ConversationStep): string => `/auth/interaction/${uid}/${step}`;

/** A redirect to the page of the next step. */
export const nextStep = (of: Conversation): Reply => ({ kind: 'see', path: stepPath(of, of.step) });

/**
 * The next page of a conversation: one of these pages, or an address outside of them (the protocol endpoints, which
 * lead to the app).
 */
export function goOn(visit: Visit, { client }: Conversation, url: string): Reply {
  const { publicUrl } = visit.parts;
  const isPage = url.startsWith(`${publicUrl}/auth/interaction/`);
  return isPage ? { kind: 'see', path: url.slice(publicUrl.length) } : onwardPage(visit, url, client.name);
}

/** The path that declines the request. */
export const cancelPath = ({ uid }: Conversation): string => `/auth/interaction/${uid}/cancel`;

/** A form with one button that declines the request and returns to the app. */
export const cancelForm = (visit: Visit, of: Conversation, label: string): Html =>
  html`<form class="cancel" method="post" action="${visit.link(cancelPath(of))}">
    ${tokenField(visit)}<button class="plain">${label}</button>
  </form>`;

/** The user declined: the browser returns to the app with `access_denied`. */
export async function cancelPosted(visit: Visit): Promise<Reply> {
  const of = conversationOf(visit);
  const { parts } = visit;
  const description = 'The user did not allow the access.';
  const url = await parts.conversations.refused(of, 'access_denied', description, visit);
  return goOn(visit, of, url);
}
