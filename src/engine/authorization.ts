import type { ClientAddress } from '../http/client-address.ts';
import type { Origins } from '../http/middleware/cors.ts';
import type { Engine } from '../interaction/interaction.ts';
import type { OpenedAuthorization } from '../smart/open-authorization.ts';
import { createRegistry } from '../smart/registry.ts';
import type { Start } from './start.ts';

/** Opens the authorization server; undefined without a key file. */
export async function openAuthorizationServer(
  { config, url, demo, log, meters, opened }: Start,
  engine: Engine,
  keyFile: string | undefined,
  clientAddress: ClientAddress,
): Promise<OpenedAuthorization | undefined> {
  if (keyFile === undefined) return undefined;
  // Imported here, since many installations use external issuers.
  const { openAuthorization } = await import('../smart/open-authorization.ts');
  const authorized = await openAuthorization({
    engine,
    config,
    keyFile,
    publicUrl: url,
    demo,
    clientAddress,
    log,
    countToken: meters?.token,
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
