import { Cache } from '../../limits/cache.ts';
import { TokenRefused } from '../claims.ts';
import type { Claims, TokenVerifier } from '../claims.ts';
import { digestOf } from './digest.ts';
import { createIssuer } from './issuer.ts';
import type { IssuerParts, Verified } from './issuer.ts';
import { readOwnToken, tokenPrefix } from './own-tokens.ts';
import type { OwnTokens } from './own-tokens.ts';
import { usualLimits } from './settings.ts';
import type { FetchLimits, IssuerSettings } from './settings.ts';

export interface TokenVerifierParts extends OwnTokens, Pick<IssuerParts, 'now' | 'demo' | 'notice'> {
  readonly issuers: readonly IssuerSettings[];
  /** The base of absolute URLs: a partition is `{publicUrl}/r4/{partition}`. */
  readonly publicUrl: string;
  /** Overridden by tests. */
  readonly limits?: FetchLimits;
}

/**
 * How long a token of this service is cached, in milliseconds: a revocation takes effect in every process within this
 * time.
 */
const longestRemembered = 10_000;

/** Maximum number of cached tokens. */
const mostTokens = 10_000;

/** How often expired tokens are removed from the cache, in milliseconds. */
const sweepInterval = 10_000;

/**
 * Verifies bearer tokens: those of this service, by the store, and those of external issuers. A token is cached as
 * sent: one of this service for at most 10 s, a JWT until it expires. It is removed from the cache within 10 s after
 * that. Besides TokenRefused the verifier throws FhirError 503 if an issuer is unavailable, and the errors of the
 * store. Throws Error for invalid settings of an issuer.
 */
export function createTokenVerifier(parts: TokenVerifierParts): TokenVerifier {
  const { publicUrl, now, limits = usualLimits } = parts;
  const baseOf = (partition: string): string => `${publicUrl}/r4/${partition}`;
  const issuers = parts.issuers.map(settings => createIssuer(settings, { ...parts, limits, baseOf }));
  const known = new Cache<Verified>(mostTokens);
  const underWay = new Map<string, Promise<Verified>>();
  let sweeping: NodeJS.Timeout | undefined;

  const sweepLater = (): void => {
    sweeping ??= setTimeout(() => {
      sweeping = undefined;
      if (known.sweep(now()) > 0) sweepLater();
    }, sweepInterval).unref();
  };

  const verifyOwn = async (token: string): Promise<Verified | undefined> => {
    const from = now(); // taken before the lookup, since a revocation may follow it at once
    const claims = await readOwnToken(parts, digestOf(token), publicUrl);
    return claims && { claims, until: Math.min(claims.expires, from + longestRemembered) };
  };

  const verify = async (token: string, partition: string): Promise<Verified> => {
    const says = issuerOf(token);
    if (says !== undefined) {
      const issuer = issuers.find(({ settings }) => settings.issuer === says);
      if (issuer === undefined) throw new TokenRefused('The issuer of the token is not configured on this server.');
      return issuer.verify(token);
    }
    const own = await verifyOwn(token);
    if (own !== undefined) return own;
    if (!token.startsWith(tokenPrefix)) {
      for (const issuer of issuers) {
        const { introspection, partitions } = issuer.settings;
        if (introspection === undefined || !partitions.includes(partition)) continue;
        const verified = await issuer.introspect(token);
        if (verified !== undefined) return verified;
      }
    }
    throw new TokenRefused('The token is unknown, has expired or was revoked.');
  };

  const ask = async (token: string, partition: string): Promise<Claims> => {
    if (!isBearer(token)) throw new TokenRefused('The token cannot be read.');
    let verified = known.get(token, now());
    if (verified === undefined) {
      const key = `${partition} ${token}`;
      let running = underWay.get(key);
      if (running === undefined) {
        running = verify(token, partition).finally(() => underWay.delete(key));
        underWay.set(key, running);
      }
      verified = await running;
      if (verified.until <= now()) throw new TokenRefused('The token has expired.');
      known.put(token, verified, verified.until);
      sweepLater();
    }
    if (verified.claims.partition !== partition) throw new TokenRefused('The token is for another partition.');
    return verified.claims;
  };

  return (token, partition) => {
    const claims = known.get(token, now())?.claims;
    return claims?.partition === partition ? claims : ask(token, partition);
  };
}

/**
 * The characters after `Bearer`, in a length that no issuer exceeds. https://www.rfc-editor.org/rfc/rfc6750#section-2.1
 */
const isBearer = (token: string): boolean => token.length <= 16_384 && /^[A-Za-z0-9\-._~+/]+=*$/.test(token);

/** The issuer that a JWT names, unverified; undefined if it is not a JWT. */
function issuerOf(token: string): string | undefined {
  const [, payload, signature, ...more] = token.split('.');
  if (payload === undefined || signature === undefined || more.length > 0) return undefined;
  try {
    const { iss } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { iss?: unknown }; // checked below
    return typeof iss === 'string' ? iss : '';
  } catch {
    throw new TokenRefused('The token cannot be read.');
  }
}
