import type { AllClientMetadata } from 'oidc-provider';
import type { RegisteredClient } from './registered.ts';

/**
 * The metadata of a client for oidc-provider; undefined for a client without the flow `app`. It has no authentication
 * method, since client-authentication.ts has authenticated the client before.
 */
export function clientMetadata(client: RegisteredClient): AllClientMetadata | undefined {
  if (!client.flows.includes('app')) return undefined;
  const isWeb = client.redirectUris.every(uri => /^https?:/i.test(uri));
  return {
    client_id: client.id,
    client_name: client.name,
    redirect_uris: [...client.redirectUris],
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
    application_type: isWeb ? 'web' : 'native',
    id_token_signed_response_alg: 'RS256',
  };
}
