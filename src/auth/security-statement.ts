import type { JsonObject } from '../fhir/json-object.ts';
import type { Offered } from './offered.ts';

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
