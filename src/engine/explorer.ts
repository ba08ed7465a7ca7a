import type { Context } from '../http/context.ts';
import type { DemonstrationParts } from '../explorer/shell/parts.ts';
import { isLocal } from '../config/safe-start.ts';
import { makeOnce } from '../make-once.ts';
import { readBrand } from '../pages/brand.ts';
import type { Served } from './served.ts';
import type { Start } from './start.ts';

/** Loads the pages for browsers, with the first of them. */
export function explorerOf(start: Start, served: Served): () => Promise<(context: Context) => Promise<boolean>> {
  const { config, url, log } = start;
  const { engine, verify, authorized, clientAddress } = served;
  return makeOnce(async () => {
    const { createExplorer } = await import('../explorer/explorer.ts');
    return createExplorer({
      engine,
      publicUrl: url,
      verify,
      authorized,
      demonstration: demonstrationOf(start, served),
      sessionIdle: config.sessionIdle,
      sessionLifetime: config.sessionLifetime,
      brand: readBrand(config),
      clientAddress,
      log,
    });
  });
}

/** Looks up the demonstration, if the server runs for this machine alone; it may be registered after the start. */
function demonstrationOf(
  { demo, config, url }: Start,
  { engine, verify, authorized }: Served,
): () => Promise<DemonstrationParts | undefined> {
  if (!demo || !isLocal(config) || verify === undefined || authorized === undefined) return async () => undefined;
  let found: DemonstrationParts | undefined;
  return async () => {
    const { lookAround } = await import('../demo/look-around.ts');
    found ??= await lookAround(engine, url);
    return found;
  };
}
