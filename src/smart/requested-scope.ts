import type { KoaContextWithOIDC, errors as providerErrors } from 'oidc-provider';
import { findLaunch } from './launches.ts';
import { ScopeRefused, negotiateScopes } from './negotiate.ts';
import { partitionOf } from './partition-of.ts';
import type { ProviderParts } from './provider-parts.ts';
import type { Launch, RegisteredClient } from './registered.ts';

/**
 * What is granted of a resource, which is to be the base URL of a partition: negotiated when an app asks for it, which is before any
 * page is shown, and kept from then on. Throws what oidc-provider tells the app.
 */
export async function scopeOf(
  ctx: KoaContextWithOIDC,
  resource: string,
  clientId: string,
  { store, registry, publicUrl, model }: ProviderParts,
  errors: typeof providerErrors,
): Promise<string> {
  const { route, params, entities } = ctx.oidc;
  if (route !== 'authorization' || params === undefined) {
    const kept = route === 'resume' ? params?.['scope'] : (entities.AuthorizationCode ?? entities.RefreshToken)?.scope;
    return typeof kept === 'string' ? kept : '';
  }
  const client = await registry.client(clientId);
  const partition = await partitionOf(resource, { store, publicUrl });
  if (client === undefined || partition === undefined || !client.partitions.includes(partition)) {
    throw new errors.InvalidTarget(
      "The parameter 'aud' must be the FHIR base URL of a partition that the client is registered for.",
    );
  }
  const launch = textOf(params['launch']);
  const known = launch === undefined ? undefined : await findLaunch(store, launch);
  if (launch !== undefined) {
    if (known?.client !== clientId || known.partition !== partition)
      throw new errors.InvalidRequest("The value of 'launch' is unknown here, was used before or has expired.");
  }
  try {
    // As it was sent: oidc-provider has taken scopes away by now.
    const scope = negotiated(textOf(ctx.query['scope']), client, known, model);
    params['scope'] = scope;
    return scope;
  } catch (error) {
    throw error instanceof ScopeRefused ? new errors.InvalidScope(error.message, error.scope ?? '') : error;
  }
}

/** What of them the client is granted at most, whoever its user is. Throws ScopeRefused. */
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
