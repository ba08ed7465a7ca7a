import type { AuditLog } from '../audit/log/log.ts';
import type { Config } from '../config/read.ts';
import { publicUrlOf } from '../config/read.ts';
import type { UsableModel } from '../engine/definitions/compile-set.ts';
import type { PartitionDefinitions } from '../engine/definitions/stored-above.ts';
import type { FollowedDefinitions } from '../engine/served-store.ts';
import type { Definitions } from '../definitions/definitions.ts';
import type { NotIndexedCounts } from '../indexing/not-indexed.ts';
import type { Model } from '../model/model.ts';
import type { Extract } from '../indexing/extract.ts';
import type { Partition } from '../store/port/partitions.ts';
import type { Store } from '../store/port/store.ts';
import { CommandError } from './command.ts';

export interface Opened {
  readonly model: Model;
  readonly store: Store;
  readonly audit: AuditLog;
  readonly extract: Extract;
  /** The records that `extract`, also the store's own, could not index. */
  readonly notIndexed: NotIndexedCounts;
  /** From the settings, else that of the server that last used the store. */
  readonly publicUrl: string;
  /** The type of the owners of records. */
  readonly owner: string | undefined;
  /** What applies in a partition: with its records that are definitions. */
  in(partition: Partition): Pick<PartitionDefinitions, 'model' | 'extract' | 'definitions'>;
  /** Closes the audit log and the store. */
  close(): Promise<void>;
}

/**
 * Opens the store for a command, also while a server runs, and closes it afterwards. Only the mode `new` creates a
 * store: a mistyped path must not. Throws Error if the definitions do not load.
 */
export async function withStore<T>(
  config: Config,
  mode: 'new' | 'command' | 'read',
  work: (opened: Opened & { readonly definitions: Definitions }) => Promise<T>,
): Promise<T> {
  // Imported here, so that `--help` and wrong flags are fast.
  const [{ requireModel }, { requireStore }] = await Promise.all([
    import('../engine/definitions/load-model.ts'),
    import('../store/open.ts'),
  ]);
  if (mode !== 'new') await requireStore(config.store);
  const loaded = await requireModel(config);
  const { used, ...opened } = await openAt(config, config.store, loaded, mode === 'new' ? 'command' : mode);
  try {
    return await work({ ...opened, definitions: used.definitions });
  } finally {
    await opened.close();
  }
}

/**
 * Opens a store that may be damaged for reading, which the caller closes; or returns why an existing file cannot be
 * opened as a store. Throws like `withStore` if there is none.
 */
export async function openToVerify(config: Config): Promise<Opened | { readonly refused: string }> {
  const [{ requireModel }, { requireStore }, { StoreRefused }, { parseStoreUrl }] = await Promise.all([
    import('../engine/definitions/load-model.ts'),
    import('../store/open.ts'),
    import('../store/port/errors.ts'),
    import('../store/url.ts'),
  ]);
  await requireStore(config.store);
  const loaded = await requireModel(config);
  try {
    return await openAt(config, config.store, loaded, 'read');
  } catch (error) {
    if (!(error instanceof StoreRefused) || parseStoreUrl(config.store)?.kind !== 'sqlite') throw error;
    return { refused: error.message };
  }
}

/**
 * Opens the store at a URL, which the caller closes, with the loaded definitions, or with those that a rollback has
 * restored instead: `used`.
 */
export async function openAt(
  config: Config,
  url: string,
  loaded: UsableModel,
  mode: 'command' | 'read',
): Promise<Opened & { readonly used: UsableModel }> {
  const [
    { ChainedLog },
    { ownerType },
    { storeDefinitions },
    { NotIndexedCounts: Counts },
    { openStore },
    { keptPublicUrl },
    { chooseDefinitions },
  ] = await Promise.all([
    import('../audit/log/log.ts'),
    import('../auth/owned-by.ts'),
    import('../engine/served-store.ts'),
    import('../indexing/not-indexed.ts'),
    import('../store/open.ts'),
    import('../store/server/documents.ts'),
    import('../engine/definitions/restored.ts'),
  ]);
  const notIndexed = new Counts();
  const indexed = (of: UsableModel): FollowedDefinitions => storeDefinitions(of, console.error, notIndexed.add);
  let definitions = indexed(loaded);
  const chosen = chooseDefinitions(loaded, of => (definitions = indexed(of)), console.error);
  const options = { now: Date.now, mode, deadline: config.searchDeadline, choose: chosen.choose };
  const store = await openStore(url, { ...definitions, ...options });
  const { model, extract } = definitions;
  // If it cannot be read, `verify` reports that, and no other command works.
  const kept = config.publicUrl ?? (await keptPublicUrl(store).catch(() => undefined));
  const audit = new ChainedLog(store.chains, Date.now);
  return {
    used: chosen.used(),
    model,
    store,
    audit,
    extract,
    notIndexed,
    publicUrl: kept ?? publicUrlOf(config),
    owner: ownerType(model),
    in: ({ definitions: { model: applied } }) =>
      definitions.stored.of(applied) ?? { model, extract, definitions: chosen.used().definitions },
    async close() {
      await audit.close();
      await store.close();
    },
  };
}

/** The partition of `--partition`; the only one by default. Throws CommandError if it does not exist. */
export async function partitionOf(store: Store, id: string | undefined): Promise<Partition> {
  const known = (await store.partitions.list()).map(one => one.id);
  const wanted = id ?? (known.length === 1 ? known[0] : undefined);
  if (wanted === undefined) {
    throw new CommandError(
      known.length === 0
        ? 'The store has no partition yet; add one with `partition add ID`.'
        : `Choose one with \`--partition\`: ${known.join(', ')}.`,
    );
  }
  const partition = await store.partition(wanted);
  if (partition !== undefined) return partition;
  const list = known.length === 0 ? 'none' : known.join(', ');
  throw new CommandError(`There is no partition \`${wanted}\`; there is ${list}. \`partition add ${wanted}\` adds it.`);
}
