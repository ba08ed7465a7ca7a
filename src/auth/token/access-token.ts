import type { JWTHeaderParameters, JWTPayload } from 'jose';
import { TokenRefused } from '../claims.ts';
import { textOf } from './external-claims.ts';
import type { IssuerSettings } from './settings.ts';

/**
 * Throws TokenRefused for a signed token that is not an access token, such as an ID token, and for one that is bound to
 * a key, since proof of possession is not supported. For issuers whose tokens all have the type `JWT`, the claims
 * decide. https://www.rfc-editor.org/rfc/rfc9068#section-4, https://www.rfc-editor.org/rfc/rfc8725#section-3.11
 */
export function requireAccessToken(
  header: Pick<JWTHeaderParameters, 'typ'>,
  payload: JWTPayload,
  issuer: IssuerSettings,
): void {
  const type = (header.typ ?? 'none').toLowerCase().replace(/^application\//, '');
  if (!issuer.types.includes(type))
    throw new TokenRefused('The typ of the token is not one that its issuer gives to access tokens.');
  requireBearer(payload['typ']);
  const says = type === 'at+jwt' || payload['typ'] !== undefined;
  const marks = ['at_hash', 'c_hash', 's_hash', 'events', ...(says ? [] : ['nonce'])];
  if (marks.some(mark => payload[mark] !== undefined)) throw new TokenRefused('The token is not an access token.');
  // The audience of an ID token always includes the client.
  // https://openid.net/specs/openid-connect-core-1_0.html#IDToken
  const client = textOf(payload, issuer.claims.client);
  if (!says && client !== undefined && [payload.aud].flat().includes(client))
    throw new TokenRefused('The token names its own client as its audience, as an ID token does.');
  requireUnbound(payload);
}

/** Whether a claim is a usable time, in seconds since 1970 UTC. https://www.rfc-editor.org/rfc/rfc7519#section-2 */
export const isTime = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(Math.trunc(value));

/** For `typ` as a claim of Keycloak: Bearer, ID, Refresh. */
export function requireBearer(typ: unknown): void {
  if (typ === undefined) return;
  if (typeof typ !== 'string' || typ.toLowerCase() !== 'bearer')
    throw new TokenRefused('The token is not an access token.');
}

/** https://www.rfc-editor.org/rfc/rfc7800#section-3 */
export function requireUnbound(payload: JWTPayload): void {
  if (payload['cnf'] !== undefined) throw new TokenRefused('The token is bound to a key, which is not supported.');
}
