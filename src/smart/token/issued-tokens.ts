import type { Store } from '../../store/port/store.ts';
import { digestOf } from '../../auth/token/digest.ts';
import { findGrant, tokenCollection } from '../../auth/token/own-tokens.ts';
import type { TokenGrant } from '../../auth/token/own-tokens.ts';
import { revocationCollection, revoke } from '../../auth/token/revocations.ts';
import { parseScope } from '../../auth/scope.ts';
import { consentCollection, contextOf, fhirUserUrl, findConsent } from '../sign-in/consents.ts';
import type { Form } from '../provider/form.ts';
import { OAuthError } from '../provider/oauth-error.ts';
import type { RegisteredClient } from '../accounts/registered.ts';
import { authenticate } from './client-authentication.ts';
import type { AuthenticationParts } from './client-authentication.ts';
import { unseal } from './seal.ts';
import type { Sealed } from './seal.ts';

/** The dependencies of the endpoints about issued tokens. */
export interface IssuedTokenParts extends AuthenticationParts {
  readonly store: Pick<Store, 'documents'>;
}

/**
 * Describes an access token to an authenticated client, or to the bearer of an access token: their own tokens, and for
 * a backend service (`system/` scopes, or registered as such) all tokens of its partitions. Every other token is
 * reported as inactive. Throws OAuthError. https://hl7.org/fhir/smart-app-launch/STU2.2/token-introspection.html
 */
export async function introspect(
  form: Form,
  authorization: string | undefined,
  parts: IssuedTokenParts,
): Promise<Readonly<Record<string, unknown>>> {
  const mayAsk = await asker(form, authorization, parts);
  const token = form.get('token');
  if (token === undefined) throw new OAuthError('invalid_request', 'The parameter `token` is missing.');
  const grant = await findGrant(ownTokens(parts.store), digestOf(token));
  if (grant === undefined || grant.expires <= parts.now() || !mayAsk(grant)) return { active: false };
  const { client, subject, scope, patient, audience, expires, grant: consentId } = grant;
  const consent = await findConsent(parts.store.documents(consentCollection), consentId);
  const context = consent === undefined ? (patient === undefined ? {} : { patient }) : contextOf(consent);
  const fhirUser = consent?.scopes.includes('fhirUser') === true ? fhirUserUrl(consent) : undefined;
  return {
    active: true,
    scope,
    client_id: client,
    token_type: 'Bearer',
    exp: Math.floor(expires / 1000),
    iss: parts.issuer,
    aud: audience,
    sub: subject ?? client,
    ...context,
    ...(fhirUser === undefined ? {} : { fhirUser }),
  };
}

const ownTokens = (store: Pick<Store, 'documents'>) => ({
  tokens: store.documents(tokenCollection),
  revocations: store.documents(revocationCollection),
});

/** Decides whether the caller may introspect a token. */
type MayAsk = (grant: TokenGrant) => boolean;

async function asker(form: Form, authorization: string | undefined, parts: IssuedTokenParts): Promise<MayAsk> {
  const bearer = bearerOf(authorization);
  if (bearer !== undefined) {
    const own = await grantOfBearer(bearer, parts);
    const isSystem = own.scope.split(' ').some(scope => parseScope(scope)?.context === 'system');
    return ({ client, audience }) => audience === own.audience && (isSystem || client === own.client);
  }
  const client = await authenticate(form, authorization, parts);
  const isBackend = client.kind !== 'public' && client.flows.includes('backend');
  const isOwn = (audience: string): boolean => client.partitions.some(id => audience.endsWith(`/r4/${id}`));
  return grant => grant.client === client.id || (isBackend && isOwn(grant.audience));
}

/** The result of a revocation. */
interface Revocation {
  readonly client: RegisteredClient;
  /** Id of the consent, with the user and the partition of the token; undefined if there was nothing to revoke. */
  readonly ended: { readonly user: string | undefined; readonly audience: string | undefined } | undefined;
}

/**
 * Revokes a token of the requesting client: an access token alone, or with a refresh token all tokens of the same
 * consent. An unknown token counts as revoked. Throws OAuthError. https://www.rfc-editor.org/rfc/rfc7009#section-2
 */
export async function revokeToken(
  form: Form,
  authorization: string | undefined,
  parts: IssuedTokenParts,
): Promise<Revocation> {
  const client = await authenticate(form, authorization, parts);
  const token = form.get('token');
  if (token === undefined) throw new OAuthError('invalid_request', 'The parameter `token` is missing.');
  const { tokens, revocations } = ownTokens(parts.store);
  const grant = await findGrant({ tokens, revocations }, digestOf(token));
  if (grant !== undefined) {
    if (grant.client !== client.id) throw notYours();
    await tokens.delete(digestOf(token));
    return { client, ended: { user: grant.subject, audience: grant.audience } };
  }
  const refresh = await readRefreshToken(parts.store, token);
  if (refresh === undefined) return { client, ended: undefined };
  if (refresh.clientId !== client.id) throw notYours();
  await revoke(revocations, 'grant', refresh.grantId, parts.now());
  return { client, ended: { user: undefined, audience: undefined } };
}

const notYours = (): OAuthError => new OAuthError('invalid_request', 'The token belongs to another client.');

/**
 * The claims about the user of an access token, as in its ID token. Throws OAuthError.
 * https://openid.net/specs/openid-connect-core-1_0.html#UserInfo
 */
export async function userInfo(
  authorization: string | undefined,
  { store, registry, now }: Pick<IssuedTokenParts, 'store' | 'registry' | 'now'>,
): Promise<Readonly<Record<string, unknown>>> {
  const bearer = bearerOf(authorization);
  if (bearer === undefined) throw refused('invalid_token', 'An access token is required.', 401, 'Bearer');
  const grant = await grantOfBearer(bearer, { store, now });
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

/** The access token in the header; undefined without one. https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const bearerOf = (authorization: string | undefined): string | undefined =>
  /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? '')?.[1];

/** The grant of the access token of a request. Throws OAuthError 401. */
async function grantOfBearer(
  bearer: string,
  { store, now }: Pick<IssuedTokenParts, 'store' | 'now'>,
): Promise<TokenGrant> {
  const grant = await findGrant(ownTokens(store), digestOf(bearer));
  if (grant !== undefined && grant.expires > now()) return grant;
  throw refused('invalid_token', 'The access token is unknown, has expired or was revoked.', 401);
}

const refused = (
  code: 'invalid_token' | 'insufficient_scope',
  why: string,
  status: number,
  challenge = `Bearer error="${code}"`,
): OAuthError => new OAuthError(code, why, status, { 'WWW-Authenticate': challenge });

/** The stored data of a refresh token. */
interface KeptRefreshToken {
  readonly clientId: string;
  /** Id of its consent. */
  readonly grantId: string;
  readonly scope: string;
  /** Seconds since 1970 UTC. */
  readonly exp: number;
}

/** The stored data of a refresh token, valid or not; undefined if it is not a refresh token. */
export async function readRefreshToken(
  store: Pick<Store, 'documents'>,
  token: string,
): Promise<KeptRefreshToken | undefined> {
  // adapter.ts writes it
  const sealed = (await store.documents('oidc-RefreshToken').get(digestOf(token))) as Sealed | undefined;
  const text = sealed && unseal(sealed, token, 'RefreshToken');
  return text === undefined ? undefined : (JSON.parse(text) as KeptRefreshToken);
}

/** Whether it is an issued code, used or not, within the time that codes are stored. */
export const isCode = async (store: Pick<Store, 'documents'>, code: string): Promise<boolean> =>
  (await store.documents('oidc-AuthorizationCode').get(digestOf(code))) !== undefined; // adapter.ts writes it
