import type { Model } from '../model/model.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { permissions } from './offered.ts';
import type { Offered } from './offered.ts';
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

/**
 * The access section of `/metadata`: that tokens are required, and where the authorization server issues them.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/conformance.html and
 * https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest.security
 */
export function securityStatement(offered: Offered | undefined): JsonObject {
  const system = 'http://terminology.hl7.org/CodeSystem/restful-security-service';
  const needed =
    'Every request except metadata, openapi.json and .well-known/smart-configuration requires the header ' +
    'Authorization: Bearer with an access token.';
  return {
    ...(offered === undefined ? {} : { extension: [oauthUris(offered)], cors: true }),
    service: [{ coding: [{ system, code: 'SMART-on-FHIR' }], text: 'OAuth2 using SMART-on-FHIR profile' }],
    description:
      offered === undefined
        ? needed
        : `${needed} ${offered.issuer} issues them by SMART App Launch and Backend Services; ` +
          '.well-known/smart-configuration describes how. CORS is enabled for the origins of registered apps.',
  };
}

/** The extension by which SMART publishes its endpoints in a CapabilityStatement, with the names of version 1. */
const oauthUris = (offered: Offered): JsonObject => ({
  url: 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris',
  extension: [
    { url: 'authorize', valueUri: offered.authorizationEndpoint },
    { url: 'token', valueUri: offered.tokenEndpoint },
    { url: 'introspect', valueUri: offered.introspectionEndpoint },
    { url: 'revoke', valueUri: offered.revocationEndpoint },
  ],
});
