import type { JWTPayload } from 'jose';
import type { Configuration } from 'openid-client';
import { TokenRefused } from '../claims.ts';
import { isTime, requireBearer, requireUnbound } from './access-token.ts';
import type { IssuerSettings } from './settings.ts';

/**
 * The claims of an opaque token from its issuer; undefined if the token is not active, or not of this issuer. Throws
 * TokenRefused for a token that is not an access token, and the errors of the request; `now` in milliseconds since 1970
 * UTC. https://www.rfc-editor.org/rfc/rfc7662
 */
export async function introspect(
  token: string,
  { issuer, clockSkew }: IssuerSettings,
  configuration: Configuration,
  now: number,
): Promise<JWTPayload | undefined> {
  const { tokenIntrospection } = await import('openid-client');
  const answer = await tokenIntrospection(configuration, token, { token_type_hint: 'access_token' });
  if (!answer.active) return undefined;
  const payload: JWTPayload = Object.fromEntries(Object.entries(answer));
  const { iss, exp, nbf } = payload;
  if (iss !== undefined && iss !== issuer) throw new TokenRefused('The token belongs to another issuer.');
  if ([exp, nbf].some(time => time !== undefined && !isTime(time)))
    throw new TokenRefused('The issuer returned malformed times for the token.');
  if (exp !== undefined && exp * 1000 + clockSkew <= now) throw new TokenRefused('The token has expired.');
  if (nbf !== undefined && nbf * 1000 - clockSkew > now) throw new TokenRefused('The token is not valid yet.');
  requireBearer(payload['typ']);
  // A refresh token is active too; only an access token has a token type. Keycloak has it in `typ`.
  const { token_type: type = payload['typ'] } = answer;
  if (type === undefined) throw new TokenRefused('The issuer does not identify the token as an access token.');
  requireBearer(type);
  requireUnbound(payload);
  return payload;
}
