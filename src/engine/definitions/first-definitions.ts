import { createDefinitionSets, type StoredSet } from '../../store/server/definition-sets.ts';
import type { StoreDefinitions } from '../../store/port/definitions.ts';
import type { UsableModel } from './compile-set.ts';
import { aboutSet } from './live-definitions.ts';
import type { FirstDefinitions } from './live-definitions.ts';
import { chooseDefinitions } from './restored.ts';
import { openServedStore, storeDefinitions } from '../served-store.ts';
import type { Start } from '../start.ts';

/**
 * Opens the store of the settings with the definitions of the files, or with those that a rollback has restored. The
 * set is stored before it is registered, so that other servers can follow it. Rejects with a sentence for the operator.
 */
export async function openFirstDefinitions(
  start: Start,
  loaded: UsableModel,
  follow: () => Promise<void>,
): Promise<FirstDefinitions> {
  const { notice, now } = start;
  let followed = storeDefinitions(loaded, notice);
  const indexed = (of: UsableModel): StoreDefinitions => (followed = storeDefinitions(of, notice));
  const chosen = chooseDefinitions(loaded, indexed, notice);
  const kept = Promise.withResolvers<StoredSet>();
  const store = await openServedStore(start, followed, {
    async choose(documents) {
      const other = await chosen.choose(documents);
      const { model, set } = chosen.used();
      kept.resolve(await createDefinitionSets({ documents }).keep(aboutSet(model, 'start', now()), set));
      return other;
    },
    follow,
  });
  return { loaded: chosen.used(), followed, filesDigest: loaded.model.digest, store, set: await kept.promise };
}
