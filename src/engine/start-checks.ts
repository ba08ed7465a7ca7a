import { unusableCriteria } from '../auth/context-query.ts';
import type { Config } from '../config/read.ts';
import {
  demoBeyondLoopback,
  hasAuthorizationServer,
  isLocal,
  startNotices,
  startRefusals,
} from '../config/safe-start.ts';
import type { Model } from '../model/model.ts';
import type { DatabaseIndex } from '../store/port/indexes.ts';
import { refuseServed } from '../store/open.ts';
import type { Store } from '../store/port/store.ts';
import type { UsableModel } from './definitions/compile-set.ts';
import type { requireModel } from './definitions/load-model.ts';

type Notice = (text: string) => void;

/**
 * Checks the settings, also if they were not read from a command line, and that no other process serves the store.
 * Rejects with a sentence for the operator.
 */
export async function checkStart(config: Config, demo: boolean, notice: Notice): Promise<void> {
  const refusals = startRefusals(config, demo);
  if (refusals.length > 0) throw new Error(refusals.join('\n'));
  await refuseServed(config.store); // before any slow step
  for (const text of startNotices(config)) notice(text);
}

/** Loads the definitions; rejects if they, or the criteria of access, cannot be used. */
export async function loadServed(config: Config, load: typeof requireModel, notice: Notice): Promise<UsableModel> {
  const loaded = await load(config);
  for (const text of loaded.notices) notice(text);
  checkCriteria(loaded.model);
  return loaded;
}

/** Throws Error, with a line for each, if criteria of access cannot be used. */
export function checkCriteria(model: Model): void {
  const unusable = unusableCriteria(model);
  if (unusable.length > 0) throw new Error(unusable.join('\n'));
}

/** Reports what the store lacks; rejects if accounts of a demonstration could be used from other machines. */
export async function checkStore(store: Store, config: Config, notice: Notice): Promise<void> {
  for (const { promise, why } of store.lacks) notice(`The store does not promise \`${promise}\`: ${why}`);
  for (const text of indexNotices(await store.indexes.database())) notice(text);
  if (!hasAuthorizationServer(config) || isLocal(config)) return;
  const { demoAccountsIn } = await import('../demo/accounts.ts');
  const ids = await demoAccountsIn(store);
  if (ids.length > 0) throw new Error(`This store has ${ids.join(', ')}. ${demoBeyondLoopback}`);
}

/** Notices about database indexes that differ from the definitions. */
function indexNotices(indexes: readonly DatabaseIndex[]): readonly string[] {
  const named = (of: readonly DatabaseIndex[]): string =>
    of.map(({ collection, name }) => `\`${collection}.${name}\``).join(', ');
  const unused = indexes.filter(({ state }) => state === 'unused');
  const awaited = indexes.filter(({ state }) => state !== 'unused');
  return [
    ...(awaited.length === 0 ? [] : [`Indexes are being built; until then searches are slow: ${named(awaited)}`]),
    ...(unused.length === 0 ? [] : [`\`index drop-unused\` drops unused indexes: ${named(unused)}`]),
  ];
}
