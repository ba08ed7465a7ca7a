import type { Model } from '../model/model.ts';
import { parseScope } from './scope.ts';

/**
 * The scopes of apps that are not about resources, if the model supports their purpose: a patient in context if types
 * list `patient/` scopes, `fhirUser` if a type lists it. `launch/encounter` is for launches from an EHR, which names
 * the encounter: no page lets a user choose one.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html
 */
export function scopeWords(model: Model): readonly ScopeWord[] {
  return [
    'openid',
    ...(listedScopes(model).includes('fhirUser') ? (['fhirUser'] as const) : []),
    'profile',
    'launch',
    ...(contextsOf(model).has('patient') ? (['launch/patient', 'launch/encounter'] as const) : []),
    'offline_access',
    'online_access',
  ];
}

/** A scope that is not about resources. */
export type ScopeWord =
  | 'openid'
  | 'fhirUser'
  | 'profile'
  | 'launch'
  | 'launch/patient'
  | 'launch/encounter'
  | 'offline_access'
  | 'online_access';

/** True for a supported scope of this kind. */
export const isScopeWord = (scope: string, model: Model): scope is ScopeWord =>
  scopeWords(model).some(word => word === scope);

/** The scopes that types list, each once, in the order of the types; `fhirUser` may be among them. */
export const listedScopes = (model: Model): readonly string[] => [
  ...new Set([...model.types.values()].flatMap(({ smartScopes }) => smartScopes)),
];

/** The contexts of the scopes that types list. */
export const contextsOf = (model: Model): ReadonlySet<string> =>
  new Set(listedScopes(model).flatMap(scope => parseScope(scope)?.context ?? []));

/** True if apps with a user can have a scope. */
export const isForApps = (contexts: ReadonlySet<string>): boolean => contexts.has('patient') || contexts.has('user');

/** Every scope that can be requested, each once: those that are not about a resource, then those that types list. */
export function supportedScopes(model: Model): readonly string[] {
  if (isForApps(contextsOf(model))) return [...new Set([...scopeWords(model), ...listedScopes(model)])];
  return listedScopes(model).filter(scope => parseScope(scope) !== undefined);
}
