import type { Configuration } from 'openid-client';
import type { RemoteJWKSet } from 'jose';
import type { Fetch } from '../../fetch/fetch.ts';
import { remember } from './remember.ts';
import type { FetchLimits, IssuerSettings } from './settings.ts';

/**
 * The keys by which an issuer signs, fetched when they are first needed, again after a while, and where a token names a key
 * that is not among them. Keys that a token brings along or points to are never looked at.
 * https://www.rfc-editor.org/rfc/rfc7517
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
    if (current?.url === url) return current.keys; // no wait from here on, so that there is one set of keys
    // A failure stands for a while; what was fetched is kept by jose, hence no time for it here.
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
