import type { JWK } from 'jose';
import { Cache } from '../../limits/cache.ts';
import type { Fetch } from '../../fetch/fetch.ts';
import type { RegisteredClient } from '../accounts/registered.ts';

/**
 * The public keys of a client, from its registration or its JWKS URL; `kid` is the id of the key that is needed.
 * Rejects if they cannot be fetched.
 */
export type ClientKeys = (client: RegisteredClient, kid: string) => Promise<readonly JWK[]>;

/**
 * Fetches keys when they are needed and caches them as long as `Cache-Control` allows, ten minutes at most; concurrent
 * callers share one request. If the cached keys have no key `kid`, they are fetched again, at most once a minute for a
 * client. A failure is cached for five seconds, so that clients cannot cause constant requests.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/client-confidential-asymmetric.html#registering-a-client-communicating-public-keys
 */
export function createClientKeys(fetch: Fetch, now: () => number): ClientKeys {
  const known = new Cache<Promise<readonly JWK[]>>(mostKept);

  const ask = (url: string): Promise<readonly JWK[]> => {
    const kept = known.get(url, now());
    if (kept !== undefined) return kept;
    const answer = fetchKeys(fetch, url);
    const keys = answer.then(fetched => fetched.keys);
    known.put(url, keys);
    answer.then(
      ({ fresh }) => known.put(url, keys, now() + fresh),
      () => known.put(url, keys, now() + keepFailure),
    );
    return keys;
  };
  const again = new Cache<Promise<readonly JWK[]>>(mostKept);
  /** The keys that were fetched again within the last minute, or are now. */
  const askAgain = (client: string, url: string): Promise<readonly JWK[]> => {
    const fetched = again.get(client, now());
    if (fetched !== undefined) return fetched;
    const answer = fetchKeys(fetch, url);
    const keys = answer.then(({ keys: found }) => found);
    again.put(client, keys, now() + betweenFetches);
    answer.then(
      ({ fresh }) => known.put(url, keys, now() + fresh),
      () => undefined, // the cached keys stay in use
    );
    return keys;
  };
  return async ({ id, jwks, jwksUrl }, kid) => {
    if (jwksUrl === undefined) return jwks?.keys ?? [];
    const isCached = known.get(jwksUrl, now()) !== undefined;
    const keys = await ask(jwksUrl);
    const isKnown = keys.some(key => key.kid === kid);
    return isKnown || !isCached ? keys : askAgain(id, jwksUrl).catch(() => keys);
  };
}

const betweenFetches = 60_000;

const mostKept = 1_000;
const keepFailure = 5_000;
const longest = 600_000;

async function fetchKeys(
  fetch: Fetch,
  url: string,
): Promise<{ readonly keys: readonly JWK[]; readonly fresh: number }> {
  const response = await fetch(url, { headers: { accept: 'application/json' } });
  const { keys } = (await response.json()) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new Error(`${new URL(url).host} did not return a JSON Web Key Set`);
  const objects = keys.filter(key => typeof key === 'object' && key !== null);
  return { keys: objects as readonly JWK[], fresh: freshFor(response.headers.get('cache-control') ?? '') };
}

/** Lifetime in milliseconds; 0 without a directive. https://www.rfc-editor.org/rfc/rfc9111#section-5.2.2 */
export function freshFor(cacheControl: string): number {
  if (/\bno-(?:store|cache)\b/i.test(cacheControl)) return 0;
  const seconds = /(?:^|[\s,])max-age="?(\d{1,10})/i.exec(cacheControl)?.[1] ?? '0';
  return Math.min(Number(seconds) * 1000, longest);
}
