import { loadStored } from '../engine/definitions/compile-set.ts';
import type { UsableModel } from '../engine/definitions/compile-set.ts';
import { aboutSet } from '../engine/definitions/live-definitions.ts';
import type { FirstDefinitions } from '../engine/definitions/live-definitions.ts';
import { startIndexUsage } from '../engine/parts/index-usage.ts';
import { serveOptions, storeDefinitions } from '../engine/served-store.ts';
import type { FollowedDefinitions } from '../engine/served-store.ts';
import type { Start } from '../engine/start.ts';
import { createDefinitionSets } from '../store/server/definition-sets.ts';
import type { DefinitionSets } from '../store/server/definition-sets.ts';
import { openStore } from '../store/open.ts';
import type { WriteRelay } from '../store/server/relay.ts';
import type { StoreDefinitions } from '../store/port/definitions.ts';

/** Declares nothing: a store is opened with it until its documents say what to use. */
const none: StoreDefinitions = {
  model: { digest: '', types: new Map(), systemInteractions: new Set() },
  extract: () => [],
};

/** Opens the store of a parent, with the set of definitions in it that has this digest. */
export async function openChildDefinitions(
  start: Start,
  digest: string,
  relay: WriteRelay,
  follow: () => Promise<void>,
): Promise<FirstDefinitions> {
  const { config, now, notice, opened } = start;
  const usage = startIndexUsage(start);
  let loaded: UsableModel | undefined;
  let followed: FollowedDefinitions | undefined;
  let sets: DefinitionSets | undefined;
  const store = await openStore(config.store, {
    ...none,
    ...serveOptions(start),
    used: usage.count,
    async choose(documents) {
      sets = createDefinitionSets({ documents });
      loaded = await loadStored(sets, digest);
      return (followed = storeDefinitions(loaded, notice));
    },
    follow,
    lead: false, // the parent does, and may have others by now
    relay,
  });
  opened(() => store.close());
  usage.store(store);
  if (loaded === undefined || followed === undefined || sets === undefined)
    throw new Error('The store has chosen no definitions');
  const stored = (await sets.list()).find(one => one.digest === digest);
  return { loaded, followed, filesDigest: digest, store, set: stored ?? aboutSet(loaded.model, 'start', now()) };
}
