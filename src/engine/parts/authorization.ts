import type { ClientAddress } from '../../http/connection/client-address.ts';
import type { Origins } from '../../http/middleware/cors.ts';
import { hasAuthorizationServer } from '../../config/safe-start.ts';
import type { Engine } from '../../interaction/interaction.ts';
import type { Model } from '../../model/model.ts';
import type { OpenedAuthorization } from '../../smart/open-authorization.ts';
import { createRegistry } from '../../smart/accounts/registry.ts';
import type { Store } from '../../store/port/store.ts';
import type { ProcessLimits } from './limits.ts';
import type { Start } from '../start.ts';

/** Opens the authorization server; undefined if there is none. `model` is that of the first definitions. */
export async function openAuthorizationServer(
  { config, url, demo, now, log, meters, opened }: Start,
  store: Store,
  model: Model,
  clientAddress: ClientAddress,
  { ofAuthorization }: Pick<ProcessLimits, 'ofAuthorization'>,
): Promise<OpenedAuthorization | undefined> {
  const { keyFile } = config;
  if (!hasAuthorizationServer(config) || keyFile === undefined) return undefined;
  // Imported here, since many installations use external issuers.
  const { openAuthorization } = await import('../../smart/open-authorization.ts');
  const authorized = await openAuthorization({
    store,
    model,
    now,
    config,
    keyFile,
    publicUrl: url,
    demo,
    clientAddress,
    log,
    countToken: meters?.token,
    rateLimit: ofAuthorization,
  });
  opened(() => authorized.close());
  return authorized;
}

/** The origins of registered apps, of external issuers too; undefined if access is open. */
export function originsOf(engine: Engine, authorized: OpenedAuthorization | undefined): Origins | undefined {
  if (!engine.secured) return undefined;
  if (authorized !== undefined) return authorized.origins;
  const registry = createRegistry(engine.store, undefined, engine.now);
  return () => registry.origins();
}
