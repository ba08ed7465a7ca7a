import { Cache } from '../../cache.ts';
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
  /** What absolute URLs begin with: a partition is `{publicUrl}/r4/{partition}`. */
  readonly publicUrl: string;
  /** Tests pass smaller ones. */
  readonly limits?: FetchLimits;
}

/** How long a token of ours is remembered, in milliseconds: within this time a revocation is complete in every process. */
const longestRemembered = 10_000;

/** Most tokens that are remembered. */
const mostTokens = 10_000;

/** How often expired tokens are removed from memory, in milliseconds. */
const sweepInterval = 10_000;

/**
 * Verifies bearer tokens: those of our own, which the store knows, and those of external issuers. A token is remembered as
 * sent: ours for 10 s at most, a JWT until it expires. It is removed from memory within 10 s after that. Beside TokenRefused
 * the verifier throws FhirError 503 where an issuer cannot be asked, and what the store throws. Throws Error for settings of
 * an issuer that cannot be used.
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
    const from = now(); // before the store is asked, since it may be revoked as soon as it was read
    const claims = await readOwnToken(parts, digestOf(token), publicUrl);
    return claims && { claims, until: Math.min(claims.expires, from + longestRemembered) };
  };

  const verify = async (token: string, partition: string): Promise<Verified> => {
    const says = issuerOf(token);
    if (says !== undefined) {
      const issuer = issuers.find(({ settings }) => settings.issuer === says);
      if (issuer === undefined) throw new TokenRefused('The token is of an issuer that is not known here.');
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
    throw new TokenRefused('The token is unknown here, has expired or was revoked.');
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

/** What may follow `Bearer`, in a length that no issuer exceeds. https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const isBearer = (token: string): boolean => token.length <= 16_384 && /^[A-Za-z0-9\-._~+/]+=*$/.test(token);

/** The issuer that a JWT says to be of; undefined for what is no JWT. Nothing of it is believed yet. */
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
