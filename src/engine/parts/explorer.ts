import type { Pages } from '../../http/explorer.ts';
import type { DemonstrationParts } from '../../explorer/shell/parts.ts';
import { isLocal } from '../../config/safe-start.ts';
import { makeOnce } from '../../limits/cache.ts';
import { readBrand } from '../../pages/brand.ts';
import type { Authorization } from '../../smart/authorization.ts';
import type { Engine } from '../../interaction/interaction.ts';
import type { Shared } from '../shared.ts';

/** Loads the pages for browsers, with the first of them; `load` loads the authorization server. */
export function explorerOf(
  shared: Shared,
  engine: Engine,
  load: (() => Promise<Authorization>) | undefined,
): () => Promise<Pages> {
  const { start, verify, authorization, clientAddress, rooms } = shared;
  const { config, url, log } = start;
  return makeOnce(async () => {
    const { createExplorer } = await import('../../explorer/explorer.ts');
    return createExplorer({
      engine,
      publicUrl: url,
      verify,
      authorized: authorization && load && { registry: authorization.registry, load },
      demonstration: demonstrationOf(shared, engine),
      sessionIdle: config.sessionIdle,
      sessionLifetime: config.sessionLifetime,
      bodyTimeout: config.bodyTimeout,
      brand: readBrand(config),
      clientAddress,
      rooms,
      log,
    });
  });
}

/** Looks up the demonstration, if the server runs for this machine alone; it may be registered after the start. */
function demonstrationOf(
  { start: { demo, config, url }, authorization }: Shared,
  engine: Engine,
): () => Promise<DemonstrationParts | undefined> {
  if (!demo || !isLocal(config)) return async () => undefined;
  let found: DemonstrationParts | undefined;
  return async () => {
    const { lookAround } = await import('../../demo/look-around.ts');
    const hasAccounts = engine.secured && authorization !== undefined;
    if (found === undefined || (hasAccounts && found.accounts === undefined))
      found = await lookAround(engine, url, hasAccounts);
    return found;
  };
}
