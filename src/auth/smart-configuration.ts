import type { Model } from '../model/model.ts';

/**
 * What apps are told of access: the scopes that exist, each once, and how they may be written. Where tokens are issued elsewhere,
 * apps know the address from there. https://hl7.org/fhir/smart-app-launch/STU2.2/conformance.html#using-well-known
 */
export function smartConfigurationOf(model: Model): Readonly<Record<string, unknown>> {
  const scopes = [...new Set([...model.types.values()].flatMap(({ smartScopes }) => smartScopes))];
  const contexts = ['patient', 'user'].filter(context => scopes.some(scope => scope.startsWith(`${context}/`)));
  return {
    grant_types_supported: [],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: scopes,
    capabilities: ['permission-v1', 'permission-v2', ...contexts.map(context => `permission-${context}`)],
  };
}
