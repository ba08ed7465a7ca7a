import type { Model } from '../../model/model.ts';
import type { Store } from '../../store/port/store.ts';
import { issueToken, tokenCollection } from '../../auth/token/own-tokens.ts';
import type { TokenGrant } from '../../auth/token/own-tokens.ts';
import type { Form } from '../provider/form.ts';
import { audienceMismatch, audiencesOf, partitionOf } from '../sign-in/addresses.ts';
import { ScopeRefused, negotiateScopes } from '../scope/negotiate.ts';
import { OAuthError } from '../provider/oauth-error.ts';
import type { RegisteredClient } from '../accounts/registered.ts';

export interface BackendParts {
  readonly store: Pick<Store, 'documents' | 'partition'>;
  readonly model: Model;
  readonly publicUrl: string;
  /** In milliseconds. */
  readonly lifetimes: { readonly backendTokenLifetime: number };
  /** Reports a mistake in a registration or a client to the operator. */
  readonly notice: (text: string) => void;
}

/** The token answer for a backend service, and what the token grants. */
export interface BackendAnswer {
  readonly body: Readonly<Record<string, unknown>>;
  readonly grant: TokenGrant;
}

/**
 * Issues a token for an authenticated client, without a refresh token. The partition is the one that the client is
 * registered for; if it has several, the one that `resource` (or `aud`) names. `issued` is the time of the request, in
 * milliseconds since 1970 UTC. Throws OAuthError.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/backend-services.html#obtain-access-token
 */
export async function backendToken(
  client: RegisteredClient,
  form: Form,
  issued: number,
  parts: BackendParts,
): Promise<BackendAnswer> {
  const { store, model, publicUrl, lifetimes } = parts;
  if (client.kind !== 'asymmetric' || !client.flows.includes('backend')) {
    throw new OAuthError(
      'unauthorized_client',
      'The client is not registered as a backend service that signs with a key of its own.',
    );
  }
  const partition = await partitionFor(client, form, parts);
  let scope: string;
  try {
    const rules = { model, registered: client.scopes, flow: 'backend', launch: false } as const;
    scope = negotiateScopes(form.get('scope'), rules).scopes.join(' ');
  } catch (error) {
    throw error instanceof ScopeRefused ? new OAuthError('invalid_scope', error.message) : error;
  }
  const expires = issued + lifetimes.backendTokenLifetime;
  const grant = { client: client.id, scope, audience: `${publicUrl}/r4/${partition}`, issued, expires };
  const token = await issueToken(store.documents(tokenCollection), grant);
  const seconds = Math.floor(lifetimes.backendTokenLifetime / 1000);
  return { body: { access_token: token, token_type: 'bearer', expires_in: seconds, scope }, grant };
}

async function partitionFor(client: RegisteredClient, form: Form, parts: BackendParts): Promise<string> {
  const [named, ...more] = audiencesOf([form.get('resource'), form.get('aud')].filter(value => value !== undefined));
  const own = client.partitions.length === 1 ? client.partitions[0] : undefined;
  if (named === undefined && own === undefined)
    throw new OAuthError('invalid_target', audienceMismatch(undefined, client, parts.publicUrl));
  const partition = await partitionOf(named ?? `${parts.publicUrl}/r4/${own}`, parts);
  if (partition !== undefined && client.partitions.includes(partition) && more.length === 0) return partition;
  const why = audienceMismatch([named, ...more].join(' '), client, parts.publicUrl);
  parts.notice(why);
  throw new OAuthError('invalid_target', why);
}
