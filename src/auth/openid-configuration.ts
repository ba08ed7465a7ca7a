import type { Offered } from './offered.ts';

/**
 * The discovery document of the issuer, the same for OpenID Connect and for OAuth alone. `sendsIss`: whether all
 * authorization responses have `iss`.
 * https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata and
 * https://www.rfc-editor.org/rfc/rfc8414#section-2
 */
export function openidConfigurationOf(offered: Offered, sendsIss: boolean): Readonly<Record<string, unknown>> {
  return {
    issuer: offered.issuer,
    authorization_endpoint: offered.authorizationEndpoint,
    token_endpoint: offered.tokenEndpoint,
    jwks_uri: offered.jwksUri,
    userinfo_endpoint: offered.userinfoEndpoint,
    introspection_endpoint: offered.introspectionEndpoint,
    introspection_endpoint_auth_methods_supported: offered.introspectionAuthMethods,
    introspection_endpoint_auth_signing_alg_values_supported: offered.assertionAlgorithms,
    revocation_endpoint: offered.revocationEndpoint,
    revocation_endpoint_auth_methods_supported: offered.tokenEndpointAuthMethods,
    revocation_endpoint_auth_signing_alg_values_supported: offered.assertionAlgorithms,
    scopes_supported: offered.scopesSupported,
    response_types_supported: offered.responseTypes,
    response_modes_supported: offered.responseModes,
    grant_types_supported: offered.grantTypes,
    code_challenge_methods_supported: offered.codeChallengeMethods,
    token_endpoint_auth_methods_supported: offered.tokenEndpointAuthMethods,
    token_endpoint_auth_signing_alg_values_supported: offered.assertionAlgorithms,
    subject_types_supported: offered.subjectTypes,
    id_token_signing_alg_values_supported: offered.idTokenAlgorithms,
    claims_supported: offered.claims,
    ui_locales_supported: offered.uiLocales,
    authorization_response_iss_parameter_supported: sendsIss, // RFC 9207
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false, // the default is true
  };
}
