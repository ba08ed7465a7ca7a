import type { StoreDefinitions } from '../port/store.ts';
import { changeTo, latestOf } from '../upkeep/views.ts';
import type { Core } from './core.ts';
import { sayThere } from './heartbeat.ts';
import { makeNewIndexes } from './index-setup.ts';
import { announce, registerPartitions } from './register.ts';
import { createRegistry } from './registry.ts';

/**
 * The core of a server with other definitions, which its writes follow when this resolves. Writes that began with the
 * former ones end before the indexes of the new ones are registered: their documents lack entries of these, and are
 * rebuilt like all others. `lead`: false if another process has brought the definitions.
 */
export async function redefine(core: Core, definitions: StoreDefinitions, lead: boolean): Promise<Core> {
  const before = latestOf(core);
  const latest: Core = {
    ...core,
    options: { ...core.options, ...definitions },
    registry: createRegistry(core.database),
    writes: new Set(),
    beganBeside: !lead,
  };
  await makeNewIndexes(latest);
  await changeTo(latest, async () => (lead ? announce(latest) : undefined));
  await Promise.allSettled(before.writes);
  await sayThere(latest);
  if (lead) await registerPartitions(latest);
  return latest;
}
