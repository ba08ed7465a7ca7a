import { contextsOf, scopeWords } from '../../auth/scope-words.ts';
import type { Model } from '../../model/model.ts';
import type { RegisteredClient } from './registered.ts';

export const explorerId = 'explorer';

/** Where its users return with a code, below the public URL. */
export const explorerCallback = '/explorer/callback';

/**
 * The scopes that the explorer requests: those to read, of a user, or of a patient whom the user chooses. Undefined for
 * a context that no type lists.
 */
export function explorerScopes(model: Model, context: 'user' | 'patient'): readonly string[] | undefined {
  if (!contextsOf(model).has(context)) return undefined;
  const words = ['openid', 'fhirUser', ...(context === 'patient' ? ['launch/patient'] : [])];
  const known: readonly string[] = scopeWords(model);
  return [...words.filter(word => known.includes(word)), `${context}/*.rs`];
}

/**
 * The explorer as a client of this server: a public app that reads. It is valid in all partitions. A client of the same
 * id that an operator registers replaces it.
 */
export function explorerClient(publicUrl: string, model: Model, partitions: readonly string[]): RegisteredClient {
  const scopes = (['user', 'patient'] as const).flatMap(context => explorerScopes(model, context) ?? []);
  return {
    id: explorerId,
    name: 'Explorer',
    kind: 'public',
    flows: ['app'],
    redirectUris: [`${publicUrl}${explorerCallback}`],
    launchUrls: [],
    origins: [],
    scopes: [...new Set(scopes)],
    partitions,
    secretDigests: [],
    jwks: undefined,
    jwksUrl: undefined,
    registered: 0,
  };
}
