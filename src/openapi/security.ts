import { scopesFor } from '../auth/may.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import type { Model } from '../model/model.ts';
import type { Offered } from '../auth/offered.ts';
import { describeScope } from '../auth/describe-scope.ts';
import { listedScopes } from '../auth/scope-words.ts';
import type { ScopeWord } from '../auth/scope-words.ts';
import type { Call } from './calls.ts';

/** The access control of a document. */
export interface Security {
  /** Schemes by name. https://spec.openapis.org/oas/v3.1.1.html#security-scheme-object */
  readonly schemes: Readonly<Record<string, JsonObject>>;
  /** The `security` of a call: scopes, each of them enough. */
  readonly of: (call: Call) => JsonObject;
}

/**
 * SMART on FHIR with the authorization server of this service; without one (`offered` is undefined) tokens of other
 * issuers, whose addresses apps know. `isSecured` is false for a server without access control.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/app-launch.html
 */
export function createSecurity(model: Model, isSecured: boolean, offered: Offered | undefined): Security {
  if (!isSecured) return { schemes: {}, of: () => ({}) };
  const name = offered === undefined ? 'bearer' : 'smart';
  return {
    schemes: { [name]: offered === undefined ? bearer(model) : smart(model, offered) },
    of({ interaction, type, hasId, operation }) {
      if (interaction === 'capabilities') return { security: [] };
      const asked = {
        interaction,
        ...(type === undefined ? {} : { resourceType: type.name }),
        ...(hasId ? { id: '{id}' } : {}),
        ...(operation === undefined ? {} : { operation: operation.code }),
      };
      const scopes = scopesFor(model, asked) ?? [];
      return { security: scopes.length === 0 ? [{ [name]: [] }] : scopes.map(scope => ({ [name]: [scope] })) };
    },
  };
}

const bearer = (model: Model): JsonObject => ({
  type: 'http',
  scheme: 'bearer',
  description: `An access token with SMART scopes: ${listedScopes(model).join(' ')}.`,
});

/** https://spec.openapis.org/oas/v3.1.1.html#oauth-flows-object */
function smart(model: Model, offered: Offered): JsonObject {
  const { authorizationEndpoint: authorizationUrl, tokenEndpoint: tokenUrl, grantTypes } = offered;
  const scopesOf = (isFor: (scope: string) => boolean): JsonObject =>
    Object.fromEntries(offered.scopesSupported.filter(isFor).map(scope => [scope, meaningOf(scope, model)]));
  const isSystem = (scope: string): boolean => scope.startsWith('system/');
  return {
    type: 'oauth2',
    description: 'SMART App Launch for apps, and SMART Backend Services for systems.',
    flows: {
      ...(grantTypes.includes('authorization_code')
        ? { authorizationCode: { authorizationUrl, tokenUrl, scopes: scopesOf(scope => !isSystem(scope)) } }
        : {}),
      ...(grantTypes.includes('client_credentials')
        ? { clientCredentials: { tokenUrl, scopes: scopesOf(isSystem) } }
        : {}),
    },
  };
}

function meaningOf(scope: string, model: Model): string {
  const meaning = describeScope(scope, model);
  if (meaning.kind === 'word') return words[meaning.scope];
  if (meaning.kind === 'unknown') return scope;
  const { permissions, resourceTypes, context, criteria } = meaning;
  const types = resourceTypes.length === 1 ? resourceTypes[0] : `${resourceTypes.length} types`;
  const narrowed = criteria.map(({ parameter, value }) => `${parameter}=${value}`).join(', ');
  return `${permissions.join(', ')}: ${types}${narrowed === '' ? '' : ` with ${narrowed}`}, ${records[context]}`;
}

const records = {
  patient: 'of the patient in context',
  user: 'that the user may see',
  system: 'that a backend service may see',
} as const;

/** https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html */
const words: Readonly<Record<ScopeWord, string>> = {
  openid: 'an ID token about the user',
  fhirUser: "the user's own resource",
  profile: 'the name of the user',
  launch: 'the context of a launch from an EHR',
  'launch/patient': 'a patient, chosen at the launch',
  'launch/encounter': 'the encounter of a launch from an EHR',
  offline_access: 'access after the user has signed out',
  online_access: 'access while the user is signed in',
};
