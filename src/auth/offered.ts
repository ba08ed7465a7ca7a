import type { Model } from '../model/model.ts';
import { contextsOf, isForApps, listedScopes, supportedScopes } from './scope-words.ts';

/** The features of the authorization server: its configuration, from which every public document about it is made. */
export interface Offered {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly jwksUri: string;
  readonly introspectionEndpoint: string;
  readonly revocationEndpoint: string;
  readonly userinfoEndpoint: string;
  /** Each can be granted to a client that is registered for it. */
  readonly scopesSupported: readonly string[];
  readonly responseTypes: readonly string[];
  readonly responseModes: readonly string[];
  readonly grantTypes: readonly string[];
  readonly codeChallengeMethods: readonly string[];
  /** How clients authenticate at the token endpoint; `none` for public ones. */
  readonly tokenEndpointAuthMethods: readonly string[];
  /** How callers of the introspection endpoint authenticate. */
  readonly introspectionAuthMethods: readonly string[];
  /** The algorithms of client assertions. */
  readonly assertionAlgorithms: readonly string[];
  readonly idTokenAlgorithms: readonly string[];
  readonly subjectTypes: readonly string[];
  readonly claims: readonly string[];
  /** Languages of its pages. */
  readonly uiLocales: readonly string[];
  /** https://hl7.org/fhir/smart-app-launch/STU2.2/conformance.html#capabilities */
  readonly capabilities: readonly string[];
}

/** Path of the issuer below the public URL. */
export const issuerPath = '/auth';

/**
 * The features of the authorization server of a service under `publicUrl` (no trailing slash), for the scopes that its
 * types list.
 */
export function authorizationOffered(model: Model, publicUrl: string): Offered {
  const issuer = `${publicUrl}${issuerPath}`;
  const contexts = contextsOf(model);
  const forApps = isForApps(contexts);
  return {
    issuer,
    authorizationEndpoint: `${issuer}/authorize`,
    tokenEndpoint: `${issuer}/token`,
    jwksUri: `${issuer}/jwks`,
    introspectionEndpoint: `${issuer}/introspect`,
    revocationEndpoint: `${issuer}/revoke`,
    userinfoEndpoint: `${issuer}/userinfo`,
    scopesSupported: supportedScopes(model),
    responseTypes: ['code'],
    responseModes: ['query'],
    grantTypes: [
      ...(forApps ? ['authorization_code', 'refresh_token'] : []),
      ...(contexts.has('system') ? ['client_credentials'] : []),
    ],
    codeChallengeMethods: ['S256'],
    tokenEndpointAuthMethods: authMethods,
    introspectionAuthMethods: [...authMethods, 'Bearer'], // an access token is accepted too
    assertionAlgorithms: ['RS384', 'ES384'],
    idTokenAlgorithms: ['RS256'],
    subjectTypes: ['public'],
    claims: ['sub', 'iss', 'aud', 'exp', 'iat', 'fhirUser', 'name'],
    uiLocales: ['en', 'fr'],
    capabilities: [...(forApps ? capabilitiesForApps : []), ...clients, ...scopeCapabilities(model)],
  };
}

const authMethods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'];
const capabilitiesForApps = ['launch-ehr', 'launch-standalone', 'authorize-post'];
const clients = ['client-public', 'client-confidential-symmetric', 'client-confidential-asymmetric'];

/** The capabilities of scopes, whatever issues the tokens, and of launches and sign-in. */
function scopeCapabilities(model: Model): readonly string[] {
  const contexts = contextsOf(model);
  const hasPatients = contexts.has('patient');
  return [
    ...(listedScopes(model).includes('fhirUser') ? ['sso-openid-connect'] : []),
    ...(hasPatients
      ? ['context-banner', 'context-ehr-patient', 'context-ehr-encounter', 'context-standalone-patient']
      : []),
    ...(isForApps(contexts) ? ['permission-offline', 'permission-online'] : []),
    ...permissions(model),
  ];
}

/** The capabilities that concern scopes only. */
export function permissions(model: Model): readonly string[] {
  const contexts = contextsOf(model);
  return [
    'permission-v1',
    'permission-v2',
    ...['patient', 'user'].filter(context => contexts.has(context)).map(context => `permission-${context}`),
  ];
}
