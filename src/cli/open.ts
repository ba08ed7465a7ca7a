import type { Config } from '../config.ts';
import { publicUrlOf } from '../config.ts';
import type { Model } from '../model/model.ts';
import type { Extract, Partition, Store } from '../store/store.ts';
import { CommandError } from './command.ts';

export interface Opened {
  readonly model: Model;
  readonly store: Store;
  readonly extract: Extract;
}

/**
 * Opens the store for a command, beside a server that may be running, and closes it afterwards. It is made where there is
 * none in the mode `new` alone: a mistyped path is no new store. Throws Error where the definitions do not load.
 */
export async function withStore<T>(
  config: Config,
  mode: 'new' | 'command' | 'read',
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  // Imported here, so that `--help` and wrong flags are answered at once.
  const [{ requireModel }, { createExtract }, { openStore, requireStore }] = await Promise.all([
    import('../load-model.ts'),
    import('../indexing/extract.ts'),
    import('../store/open.ts'),
  ]);
  if (mode !== 'new') requireStore(config.store);
  const { model } = await requireModel(config);
  const extract = createExtract(model, publicUrlOf(config));
  const opening = mode === 'new' ? 'command' : mode;
  const options = { model, extract, now: Date.now, mode: opening, deadline: config.searchDeadline } as const;
  const store = await openStore(config.store, options);
  try {
    return await work({ model, store, extract });
  } finally {
    await store.close();
  }
}

/** The partition that `--partition` names; the only one where it is left out. Throws CommandError where there is none. */
export async function partitionOf(store: Store, id: string | undefined): Promise<Partition> {
  const known = (await store.partitions.list()).map(partition => partition.id);
  const wanted = id ?? (known.length === 1 ? known[0] : undefined);
  if (wanted === undefined) {
    throw new CommandError(
      known.length === 0
        ? 'The store has no partition yet; add one with `partition add ID`.'
        : `Say which partition is meant with \`--partition\`: ${known.join(', ')}.`,
    );
  }
  const partition = await store.partition(wanted);
  if (partition !== undefined) return partition;
  const list = known.length === 0 ? 'none' : known.join(', ');
  throw new CommandError(`There is no partition \`${wanted}\`; there is ${list}. \`partition add ${wanted}\` adds it.`);
}
