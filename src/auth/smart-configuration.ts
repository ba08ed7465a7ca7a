import type { Model } from '../model/model.ts';
import type { Offered } from './offered.ts';
import { permissions } from './offered.ts';
import { listedScopes } from './scope-words.ts';

/**
 * The SMART configuration for apps. Without an authorization server here it lists the scopes, each once, and their
 * forms; apps know the address of an external issuer from there.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/conformance.html#using-well-known
 */
export function smartConfigurationOf(model: Model, offered: Offered | undefined): Readonly<Record<string, unknown>> {
  if (offered === undefined) {
    return {
      grant_types_supported: [],
      code_challenge_methods_supported: ['S256'],
      scopes_supported: listedScopes(model),
      capabilities: permissions(model),
    };
  }
  const hasIdentity = offered.capabilities.includes('sso-openid-connect'); // the issuer is listed only with it
  return {
    ...(hasIdentity ? { issuer: offered.issuer, jwks_uri: offered.jwksUri } : {}),
    ...(offered.grantTypes.includes('authorization_code')
      ? { authorization_endpoint: offered.authorizationEndpoint }
      : {}),
    token_endpoint: offered.tokenEndpoint,
    introspection_endpoint: offered.introspectionEndpoint,
    revocation_endpoint: offered.revocationEndpoint,
    grant_types_supported: offered.grantTypes.filter(type => type !== 'refresh_token'), // SMART has other words for it
    response_types_supported: offered.responseTypes,
    scopes_supported: offered.scopesSupported,
    code_challenge_methods_supported: offered.codeChallengeMethods,
    token_endpoint_auth_methods_supported: offered.tokenEndpointAuthMethods.filter(method => method !== 'none'),
    token_endpoint_auth_signing_alg_values_supported: offered.assertionAlgorithms,
    capabilities: offered.capabilities,
  };
}
