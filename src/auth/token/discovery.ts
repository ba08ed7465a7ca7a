import type { Configuration } from 'openid-client';
import type { Fetch } from '../../fetch/fetch.ts';
import { remember } from './remember.ts';
import type { FetchLimits, IssuerSettings } from './settings.ts';

/**
 * What an issuer says of itself in its discovery document, fetched when it is first needed and now and then again. The promise
 * rejects where it cannot be had or is another issuer's. https://openid.net/specs/openid-connect-discovery-1_0.html
 */
export function createDiscovery(
  { issuer, introspection }: IssuerSettings,
  fetch: Fetch,
  { time, keepDiscovery, keepFailure }: FetchLimits,
  now: () => number,
): () => Promise<Configuration> {
  const discover = async (): Promise<Configuration> => {
    // Imported here, since most installations have no issuer but this service itself.
    const { ClientSecretBasic, None, allowInsecureRequests, customFetch, discovery } = await import('openid-client');
    const { client, secret } = introspection ?? { client: 'none', secret: undefined };
    const configuration = await discovery(
      new URL(issuer),
      client,
      undefined,
      secret === undefined ? None() : ClientSecretBasic(secret),
      {
        [customFetch]: fetch,
        timeout: time / 1000,
        execute: issuer.startsWith('http:') ? [allowInsecureRequests] : [], // where it may be http, fetch decides
      },
    );
    const says = configuration.serverMetadata().issuer;
    if (says === issuer) return configuration;
    throw new Error(`its discovery document says that it is \`${says}\`, so that this is what \`issuer\` must be`);
  };
  return remember(discover, { keep: keepDiscovery, keepFailure }, now);
}
