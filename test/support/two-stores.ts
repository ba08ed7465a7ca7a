import { createExtract } from '../../src/indexing/extract.ts';
import { loadModel } from './loaded-once.ts';
import type { Model } from '../../src/model/model.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/port/store.ts';
import { newStorePlace } from './store-place.ts';
import type { Place } from './store-place.ts';

/** One place that two work on, as two processes do, with a clock that the test sets. */
export interface TwoStores {
  readonly stores: readonly [Store, Store];
  readonly model: Model;
  readonly clock: { now: number };
  close(): Promise<void>;
}

export const publicUrl = 'http://127.0.0.1:8080';

/** A new store with the shipped definitions and the partitions `clinic` and `ward`, opened twice. */
export async function twoStores(newPlace: () => Promise<Place> = newStorePlace): Promise<TwoStores> {
  const { model, problems } = await loadModel({ definitions: [] });
  if (model === undefined) throw new Error(JSON.stringify(problems));
  const clock = { now: Date.UTC(2026, 0, 1) };
  const place = await newPlace();
  const open = (): Promise<Store> =>
    openStore(place.url, {
      model,
      extract: createExtract(model),
      now: () => clock.now,
      mode: 'command',
      deadline: 20_000,
    });
  const stores = [await open(), await open()] as const;
  await stores[0].partitions.add('clinic', { zone: 'UTC' });
  await stores[0].partitions.add('ward', { zone: 'UTC' });
  const close = async (): Promise<void> => {
    for (const store of stores) await store.close();
    await place.remove();
  };
  return { stores, model, clock, close };
}
