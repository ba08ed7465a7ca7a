import type { Configuration } from 'openid-client';
import type { Fetch } from '../../fetch/fetch.ts';
import { remember } from './remember.ts';
import type { FetchLimits, IssuerSettings } from './settings.ts';

/**
 * The discovery document of an issuer, fetched at the first use and refreshed periodically. The promise rejects if it
 * cannot be fetched or belongs to another issuer. https://openid.net/specs/openid-connect-discovery-1_0.html
 */
export function createDiscovery(
  { issuer, introspection }: IssuerSettings,
  fetch: Fetch,
  { time, keepDiscovery, keepFailure }: FetchLimits,
  now: () => number,
): () => Promise<Configuration> {
  const discover = async (): Promise<Configuration> => {
    // Imported at the first use: most installations have no external issuer.
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
        // http is possible only where fetch allows it
        execute: issuer.startsWith('http:') ? [allowInsecureRequests] : [],
      },
    );
    const says = configuration.serverMetadata().issuer;
    if (says === issuer) return configuration;
    throw new Error(`its discovery document has the issuer \`${says}\`: set \`issuer\` to it`);
  };
  return remember(discover, { keep: keepDiscovery, keepFailure }, now);
}
