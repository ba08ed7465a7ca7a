import type { AllClientMetadata } from 'oidc-provider';
import type { RegisteredClient } from './registered.ts';

/**
 * A client as oidc-provider is told of it; undefined for one that acts for no user. How it shows who it is does not matter there:
 * client-authentication.ts has seen to it before.
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
