import type { Config } from '../config.ts';
import { publicUrlOf } from '../config.ts';
import type { Definitions } from '../definitions/definitions.ts';
import type { NotIndexedCounts } from '../indexing/not-indexed.ts';
import type { Model } from '../model/model.ts';
import type { Extract } from '../indexing/extract.ts';
import type { Partition } from '../store/partitions.ts';
import type { Store } from '../store/store.ts';
import { CommandError } from './command.ts';

export interface Opened {
  /** As it indexes under the public URL. */
  readonly model: Model;
  readonly store: Store;
  readonly extract: Extract;
  /** What `extract`, also the store's own, could not index. */
  readonly notIndexed: NotIndexedCounts;
  readonly publicUrl: string;
  /** The type of those whom records belong to. */
  readonly owner: string | undefined;
}

/**
 * Opens the store for a command, beside a server that may be running, and closes it afterwards. It is made where there is
 * none in the mode `new` alone: a mistyped path is no new store. Throws Error where the definitions do not load.
 */
export async function withStore<T>(
  config: Config,
  mode: 'new' | 'command' | 'read',
  work: (opened: Opened & { readonly definitions: Definitions }) => Promise<T>,
): Promise<T> {
  // Imported here, so that `--help` and wrong flags are answered at once.
  const [{ requireModel }, { requireStore }] = await Promise.all([
    import('../engine/load-model.ts'),
    import('../store/open.ts'),
  ]);
  if (mode !== 'new') await requireStore(config.store);
  const { model, definitions } = await requireModel(config);
  const publicUrl = config.publicUrl ?? (await publicUrlIn(config, model)) ?? publicUrlOf(config);
  const opened = await openAt(config, model, publicUrl, mode === 'new' ? 'command' : mode);
  try {
    return await work({ ...opened, definitions });
  } finally {
    await opened.store.close();
  }
}

/**
 * Opens a store that may be damaged, to read it, for whoever closes it; or gives why a file that is there is no store
 * that can be opened. Throws as `withStore` does where there is none.
 */
export async function openToVerify(config: Config): Promise<Opened | { readonly refused: string }> {
  const [{ requireModel }, { requireStore }, { StoreRefused }, { parseStoreUrl }] = await Promise.all([
    import('../engine/load-model.ts'),
    import('../store/open.ts'),
    import('../store/errors.ts'),
    import('../store/url.ts'),
  ]);
  await requireStore(config.store);
  const { model } = await requireModel(config);
  // Where it cannot be read, `verify` says so, and what depends on it is not compared.
  const kept = await publicUrlIn(config, model).catch(() => undefined);
  try {
    return await openAt(config, model, config.publicUrl ?? kept ?? publicUrlOf(config), 'read');
  } catch (error) {
    if (!(error instanceof StoreRefused) || parseStoreUrl(config.store)?.kind !== 'sqlite') throw error;
    return { refused: error.message };
  }
}

/** Opens the store that `store` names, for whoever closes it. */
export async function openAt(
  { store: url, searchDeadline: deadline }: Pick<Config, 'store' | 'searchDeadline'>,
  model: Model,
  publicUrl: string,
  mode: 'command' | 'read',
): Promise<Opened> {
  const [{ ownerType }, { createExtract }, { NotIndexedCounts: Counts }, { modelAt }, { openStore }] =
    await Promise.all([
      import('../auth/owned-by.ts'),
      import('../indexing/extract.ts'),
      import('../indexing/not-indexed.ts'),
      import('../indexing/at-public-url.ts'),
      import('../store/open.ts'),
    ]);
  const notIndexed = new Counts();
  const at = (root: string): Pick<Opened, 'model' | 'extract'> => {
    const located = modelAt(model, root);
    return { model: located, extract: createExtract(located, root, notIndexed.add) };
  };
  const opened = at(publicUrl);
  const store = await openStore(url, { ...opened, at, now: Date.now, mode, deadline });
  return { ...opened, notIndexed, store, publicUrl, owner: ownerType(opened.model) };
}

/** The public URL of the server that last worked on the store: what is indexed now must agree with it. */
export async function publicUrlIn(
  config: Pick<Config, 'store' | 'searchDeadline'>,
  model: Model,
): Promise<string | undefined> {
  const [{ keptPublicUrl }, { StoreRefused }] = await Promise.all([
    import('../store/public-url.ts'),
    import('../store/errors.ts'),
  ]);
  try {
    const { store } = await openAt(config, model, '', 'read');
    try {
      return await keptPublicUrl(store);
    } finally {
      await store.close();
    }
  } catch (error) {
    // Not there yet, or of an older layout: whoever opens it to write makes it, or says what is wrong.
    if (error instanceof StoreRefused) return undefined;
    throw error;
  }
}

/** The partition that `--partition` names; the only one where it is left out. Throws CommandError where there is none. */
export async function partitionOf(store: Store, id: string | undefined): Promise<Partition> {
  const known = (await store.partitions.list()).map(one => one.id);
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
