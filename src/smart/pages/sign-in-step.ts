import type { Conversation } from '../sign-in/conversation.ts';
import { cancelForm, conversationOf, goOn, stepPath } from './conversation.ts';
import { signInPage, trySignIn } from './sign-in.ts';
import type { SignInFor } from './sign-in.ts';
import type { Reply, Visit } from './visit.ts';

/** Sign-in on the way to an app; also for a signed-in user who wants another account. */
export async function signInStep(visit: Visit): Promise<Reply> {
  return signInPage(visit, purpose(visit, conversationOf(visit)));
}

export async function signInStepPosted(visit: Visit): Promise<Reply> {
  const of = conversationOf(visit);
  const { parts, request, response } = visit;
  const result = await trySignIn(visit, purpose(visit, of));
  if ('kind' in result) return result;
  const url = await parts.conversations.signedIn(of, result, request, response);
  return goOn(visit, of, url);
}

function purpose(visit: Visit, of: Conversation): SignInFor {
  const { toApp, cancel } = visit.texts.signIn;
  return {
    lead: toApp(of.client.name),
    action: visit.link(stepPath(of, 'sign-in')),
    partition: of.partition,
    more: cancelForm(visit, of, cancel),
  };
}
