import type { Conversation, ConversationStep } from '../conversation.ts';
import type { RegisteredUser } from '../registered.ts';
import { tokenField } from './fields.ts';
import { html } from './html.ts';
import type { Html } from './html.ts';
import { Problem } from './problem.ts';
import type { Reply, Visit } from './visit.ts';

/** A conversation in which somebody has signed in. */
export type Signed = Conversation & { readonly user: RegisteredUser };

/** The conversation that the path names. Throws Problem 404 where it is over, or is that of another browser. */
export function conversationOf({ conversation }: Visit): Conversation {
  if (conversation === undefined) throw new Problem(404, 'over');
  return conversation;
}

export const hasUser = (of: Conversation): of is Signed => of.user !== undefined;

/** Where the page of a step is. */
export const stepPath = ({ uid }: Conversation, step: ConversationStep): string => `/auth/interaction/${uid}/${step}`;

/** The page of what is asked next. */
export const nextStep = (of: Conversation): Reply => ({ kind: 'see', path: stepPath(of, of.step) });

/**
 * Where a conversation goes on: at a page of ours, or outside of them (the protocol endpoints, which lead to the app).
 */
export function goOn({ parts }: Visit, { client }: Conversation, url: string): Reply {
  const { publicUrl } = parts;
  const isPage = url.startsWith(`${publicUrl}/auth/interaction/`);
  return isPage ? { kind: 'see', path: url.slice(publicUrl.length) } : { kind: 'onward', url, app: client.name };
}

/** Where a form says no. */
export const cancelPath = ({ uid }: Conversation): string => `/auth/interaction/${uid}/cancel`;

/** A form with one button, by which the user says no and goes back to the app. */
export const cancelForm = (visit: Visit, of: Conversation, label: string): Html =>
  html`<form class="cancel" method="post" action="${visit.link(cancelPath(of))}">
    ${tokenField(visit)}<button class="plain">${label}</button>
  </form>`;

/** The user said no: back to the app, which is told so. */
export async function cancelPosted(visit: Visit): Promise<Reply> {
  const of = conversationOf(visit);
  const { parts, request, response } = visit;
  const description = 'The person at the browser did not allow the access.';
  const url = await parts.conversations.refused(of, 'access_denied', description, request, response);
  return goOn(visit, of, url);
}
