import { errors, jwtVerify } from 'jose';
import type { JWTPayload, RemoteJWKSet } from 'jose';
import type { Configuration } from 'openid-client';
import { TokenRefused } from '../claims.ts';
import type { Fetch } from '../../fetch/fetch.ts';
import { isTime, requireAccessToken } from './access-token.ts';
import type { FetchLimits, IssuerSettings } from './settings.ts';
import { remember } from './remember.ts';

/** Algorithms with a private key of the issuer: not `none`, and no shared secrets. */
const algorithms = ['RS256', 'RS384', 'PS256', 'ES256', 'ES384'];

/** Errors of the token itself, with the text for the client; every other error is the issuer's. */
const refusals = new Map<string, string>([
  ['ERR_JWT_EXPIRED', 'The token has expired.'],
  ['ERR_JWT_CLAIM_VALIDATION_FAILED', 'A claim of the token is missing or wrong, or it is not valid yet.'],
  ['ERR_JWT_INVALID', 'The token cannot be read.'],
  ['ERR_JWS_INVALID', 'The token cannot be read.'],
  ['ERR_JOSE_ALG_NOT_ALLOWED', 'The algorithm of the token is not accepted.'],
  ['ERR_JOSE_NOT_SUPPORTED', 'The algorithm of the token is not accepted.'],
  ['ERR_JWKS_NO_MATCHING_KEY', 'The token is not signed by a key of its issuer.'],
  ['ERR_JWKS_MULTIPLE_MATCHING_KEYS', 'The token does not identify its signing key.'],
  ['ERR_JWS_SIGNATURE_VERIFICATION_FAILED', 'The token is not signed by a key of its issuer.'],
]);

/**
 * Verifies a JWT of this issuer (signature, times and type, not the audience) and returns its claims. Throws
 * TokenRefused, and the errors of fetching the keys. https://www.rfc-editor.org/rfc/rfc9068#section-4
 */
export async function verifyJwt(
  token: string,
  issuer: IssuerSettings,
  keys: RemoteJWKSet,
  now: number,
): Promise<JWTPayload & { readonly exp: number }> {
  const clockTolerance = issuer.clockSkew / 1000;
  const options = {
    algorithms,
    issuer: issuer.issuer,
    clockTolerance,
    currentDate: new Date(now),
    requiredClaims: ['exp'],
  };
  const { payload, protectedHeader } = await jwtVerify(token, keys, options).catch((error: unknown) => {
    const text = error instanceof errors.JOSEError ? refusals.get(error.code) : undefined;
    throw text === undefined ? error : new TokenRefused(text);
  });
  const { exp, iat } = payload;
  if (!isTime(exp)) throw new TokenRefused('The token has no expiry.');
  if (iat !== undefined && iat > now / 1000 + clockTolerance) throw new TokenRefused('The token is not valid yet.');
  requireAccessToken(protectedHeader, payload, issuer);
  return { ...payload, exp };
}

/**
 * The signing keys of an issuer, fetched at the first use, periodically, and when a token names an unknown key. Keys
 * inside of a token, or at a URL that it names, are ignored. https://www.rfc-editor.org/rfc/rfc7517
 */
export function createKeys(
  { keysUrl }: IssuerSettings,
  discover: () => Promise<Configuration>,
  fetch: Fetch,
  { time, betweenKeys, keepKeys, keepFailure }: FetchLimits,
  now: () => number,
): () => Promise<RemoteJWKSet> {
  let current: { readonly url: string; readonly keys: RemoteJWKSet } | undefined;
  return async () => {
    const { createRemoteJWKSet, customFetch } = await import('jose');
    const url = keysUrl ?? (await discover()).serverMetadata().jwks_uri;
    if (url === undefined) throw new Error('its discovery document names no keys (jwks_uri)');
    if (current?.url === url) return current.keys; // no `await` from here on, so that there is one set of keys
    // Failures are cached here; fetched keys are cached by jose, hence `keep: 0`.
    const fetchOnce = remember(() => fetch(url, {}), { keep: 0, keepFailure }, now);
    const keys = createRemoteJWKSet(new URL(url), {
      [customFetch]: fetchOnce,
      timeoutDuration: time,
      cooldownDuration: betweenKeys,
      cacheMaxAge: keepKeys,
    });
    current = { url, keys };
    return keys;
  };
}
