import type { KoaContextWithOIDC, errors as providerErrors } from 'oidc-provider';
import { findLaunch } from '../sign-in/launches.ts';
import { audienceMismatch, partitionOf } from '../sign-in/addresses.ts';
import type { ProviderParts } from '../provider/provider-parts.ts';
import type { Launch, RegisteredClient } from '../accounts/registered.ts';
import { ScopeRefused, negotiateScopes } from './negotiate.ts';

/**
 * The scopes to grant for a resource, which must be the base URL of a partition: negotiated before any page is shown,
 * and stored from then on. Throws the errors that oidc-provider returns to the app.
 */
export async function scopeOf(
  ctx: KoaContextWithOIDC,
  resource: string,
  clientId: string,
  { store, registry, publicUrl, model, notice }: ProviderParts,
  errors: typeof providerErrors,
): Promise<string> {
  const { route, params, entities } = ctx.oidc;
  if (route !== 'authorization' || params === undefined) {
    const kept = route === 'resume' ? params?.['scope'] : (entities.AuthorizationCode ?? entities.RefreshToken)?.scope;
    return typeof kept === 'string' ? kept : '';
  }
  const client = await registry.client(clientId);
  const partition = await partitionOf(resource, { store, publicUrl });
  if (client === undefined) throw new errors.InvalidClient('the client is not registered');
  if (partition === undefined || !client.partitions.includes(partition)) {
    const why = audienceMismatch(resource, client, publicUrl);
    notice(why);
    throw new errors.InvalidTarget(why);
  }
  const launch = textOf(params['launch']);
  const known = launch === undefined ? undefined : await findLaunch(store, launch);
  if (launch !== undefined) {
    if (known?.client !== clientId || known.partition !== partition)
      throw new errors.InvalidRequest("The value of 'launch' is unknown, was used before or has expired.");
  }
  try {
    // The `scope` as sent: oidc-provider has removed scopes by now.
    const scope = negotiated(textOf(ctx.query['scope']), client, known, model);
    params['scope'] = scope;
    return scope;
  } catch (error) {
    throw error instanceof ScopeRefused ? new errors.InvalidScope(error.message, error.scope ?? '') : error;
  }
}

/** The scopes that the client can be granted for any user. Throws ScopeRefused. */
const negotiated = (
  scope: string | undefined,
  { scopes: registered }: RegisteredClient,
  launch: Launch | undefined,
  model: ProviderParts['model'],
): string => {
  const context = { launch: launch !== undefined, encounter: launch?.encounter !== undefined };
  return negotiateScopes(scope, { model, registered, flow: 'app', ...context }).scopes.join(' ');
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
