import { signInPage, trySignIn } from './sign-in.ts';
import type { SignInFor } from './sign-in.ts';
import type { Reply, Visit } from './visit.ts';

/** Sign-in without an app, which leads to the launcher. */
export async function signInAlone(visit: Visit): Promise<Reply> {
  return visit.user === undefined ? signInPage(visit, purpose(visit)) : { kind: 'see', path: '/auth/launcher' };
}

export async function signInAlonePosted(visit: Visit): Promise<Reply> {
  const result = await trySignIn(visit, purpose(visit));
  return 'kind' in result ? result : { kind: 'see', path: '/auth/launcher' };
}

const purpose = ({ texts, link }: Visit): SignInFor => ({
  lead: texts.signIn.toLauncher,
  action: link('/auth/sign-in'),
  partition: undefined,
});
