import type { Store } from '../../store/port/store.ts';
import { digestOf } from '../../auth/token/digest.ts';
import { findGrant } from '../../auth/token/own-tokens.ts';
import { consentCollection, fhirUserUrl, findConsent } from '../sign-in/consents.ts';
import { ownTokens } from './introspection.ts';
import { OAuthError } from '../provider/oauth-error.ts';
import type { Registry } from '../accounts/registered.ts';

/**
 * The claims about the user of an access token, as in its ID token. Throws OAuthError.
 * https://openid.net/specs/openid-connect-core-1_0.html#UserInfo
 */
export async function userInfo(
  authorization: string | undefined,
  { store, registry, now }: { store: Pick<Store, 'documents'>; registry: Registry; now: () => number },
): Promise<Readonly<Record<string, unknown>>> {
  const [, bearer] = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? '') ?? [];
  if (bearer === undefined) throw refused('invalid_token', 'An access token is required.', 401, 'Bearer');
  const grant = await findGrant(ownTokens(store), digestOf(bearer));
  if (grant === undefined || grant.expires <= now()) {
    throw refused('invalid_token', 'The access token is unknown, has expired or was revoked.', 401);
  }
  const scopes = grant.scope.split(' ');
  const { subject } = grant;
  if (subject === undefined || !scopes.includes('openid')) {
    throw refused('insufficient_scope', 'The access token lacks the scope `openid`.', 403);
  }
  const consent = await findConsent(store.documents(consentCollection), grant.grant);
  const fhirUser = consent && scopes.includes('fhirUser') ? fhirUserUrl(consent) : undefined;
  const name = scopes.includes('profile') ? (await registry.user(subject))?.name : undefined;
  return { sub: subject, ...(fhirUser === undefined ? {} : { fhirUser }), ...(name === undefined ? {} : { name }) };
}

const refused = (
  code: 'invalid_token' | 'insufficient_scope',
  why: string,
  status: number,
  challenge = `Bearer error="${code}"`,
): OAuthError => new OAuthError(code, why, status, { 'WWW-Authenticate': challenge });
