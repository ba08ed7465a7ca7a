import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { Cookies } from '../../pages/cookies.ts';
import { isFormToken } from '../../pages/csrf.ts';
import { explorerCallback, explorerId } from '../../smart/accounts/explorer-client.ts';
import { localPath } from '../shell/paths.ts';

/** How long a sign-in may take, in seconds. */
const longest = 3_600;

const flowCookie = 'explorer-flow';
const returnCookie = 'explorer-return';

/**
 * Begins an authorization request and returns its path. Only the browser knows the secret, in a cookie, from which
 * state and code verifier are derived. `to` is the page to return to, `home` the one instead of a path that is too long
 * for a cookie. https://www.rfc-editor.org/rfc/rfc7636#section-4
 */
export function beginFlow(
  publicUrl: string,
  cookies: Cookies,
  asked: { readonly base: string; readonly scopes: readonly string[]; readonly to: string; readonly home: string },
): string {
  const secret = randomBytes(32).toString('base64url');
  cookies.set(flowCookie, secret, longest);
  const [to = '', home = ''] = [asked.to, asked.home].map(path => Buffer.from(path).toString('base64url'));
  cookies.set(returnCookie, to.length <= longestReturn ? to : home, longest);
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: explorerId,
    redirect_uri: `${publicUrl}${explorerCallback}`,
    scope: asked.scopes.join(' '),
    state: derived(secret, 'state'),
    aud: asked.base,
    code_challenge: createHash('sha256').update(derived(secret, 'verifier')).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return `/auth/authorize?${query.toString()}`;
}

/** The longest value that a cookie of the pages may have. */
const longestReturn = 200;

/** The sign-in that ends: the code verifier, and the page to return to. Undefined if this browser began none. */
export function endFlow(
  cookies: Cookies,
  state: string | null,
): { readonly verifier: string; readonly to: string } | undefined {
  const secret = cookies.read(flowCookie);
  const to = cookies.read(returnCookie) ?? '';
  if (secret === undefined || !isFormToken(state, derived(secret, 'state'))) return undefined;
  cookies.clear(flowCookie);
  cookies.clear(returnCookie);
  return { verifier: derived(secret, 'verifier'), to: localPath(Buffer.from(to, 'base64url').toString()) ?? '/' };
}

/** 43 characters of base64url, a valid code verifier. */
const derived = (secret: string, purpose: string): string =>
  createHmac('sha256', secret).update(`explorer ${purpose}`).digest('base64url');
