import type { Configuration } from 'openid-client';
import type { RemoteJWKSet } from 'jose';
import type { Fetch } from '../../fetch/fetch.ts';
import { remember } from './remember.ts';
import type { FetchLimits, IssuerSettings } from './settings.ts';

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
