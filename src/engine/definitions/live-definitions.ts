import { versionOf } from '../../model/capability-statement.ts';
import type { Model } from '../../model/model.ts';
import type { Activation, DefinitionSets, StoredSet } from '../../store/server/definition-sets.ts';
import type { Store } from '../../store/port/store.ts';
import { storeDefinitions } from '../served-store.ts';
import type { FollowedDefinitions } from '../served-store.ts';
import type { Shared } from '../shared.ts';
import { checkCriteria } from '../start-checks.ts';
import type { IndexBacklog } from '../../observability/meters.ts';
import { indexBacklog } from '../parts/observe.ts';
import type { Start } from '../start.ts';
import { changeAction, describeChange, pendingText } from './definition-change.ts';
import type { DefinitionChange } from './definition-change.ts';
import { createInterface } from './interface.ts';
import type { Interface } from './interface.ts';
import { loadStored } from './compile-set.ts';
import type { UsableModel } from './compile-set.ts';

/** The definitions of a running server, which can be changed between two requests. */
export interface LiveDefinitions {
  readonly current: Interface;
  /** Loads the files of the settings again; returns when new requests follow them, or why they do not. */
  reload(): Promise<DefinitionChange>;
  /**
   * Restores a set of the store: the one that was in use before, or the one whose digest begins with `version`. Returns
   * like `reload`.
   */
  rollback(version?: string): Promise<DefinitionChange>;
  /**
   * Takes the definitions that another process has brought to the store; undefined if these apply already. Returns like
   * `reload`.
   */
  follow(): Promise<DefinitionChange | undefined>;
}

export interface LiveParts {
  readonly shared: Shared;
  readonly sets: DefinitionSets;
  /** Loads the files of the settings. */
  readonly load: () => Promise<UsableModel>;
  /** Lets new requests be answered by this interface. */
  readonly serve: (next: Interface) => void;
  /** Resolves once the other processes of this server answer by them too. */
  readonly served?: (() => Promise<void>) | undefined;
  /** Receives sentences about changes; by default the log of the server does. */
  readonly notice?: ((text: string) => void) | undefined;
}

/** The definitions of the start. */
export interface FirstDefinitions {
  readonly loaded: UsableModel;
  /** What the store follows of them. */
  readonly followed: FollowedDefinitions;
  /** The digest of the definitions in the files, which may be others after a rollback. */
  readonly filesDigest: string;
  /** Not observed. */
  readonly store: Store;
  readonly set: StoredSet;
}

/** Number of types and parameters, as stored with a set. */
export const aboutSet = ({ digest, types }: Model, by: Activation, activated: number): StoredSet => ({
  digest,
  activated,
  by,
  types: types.size,
  parameters: types.values().reduce((sum, { parameters }) => sum + parameters.size, 0),
});

/** Serves the definitions of the start, and then others: one change after the other, and logs each. */
export function createLiveDefinitions(
  { shared, sets, load, serve, served, notice: report }: LiveParts,
  { loaded: first, followed: indexedFirst, filesDigest, store: opened, set: firstSet }: FirstDefinitions,
): LiveDefinitions {
  const { now, notice, log: lines } = shared.start;
  const reported = report ?? notice;
  const refused = report ?? ((text: string) => lines.refused(text));
  let store = opened;
  let set = firstSet;
  let inFiles = filesDigest;
  let current = createInterface(shared, {
    indexed: indexedFirst,
    definitions: first.definitions,
    store,
    since: set.activated,
  });
  serve(current);
  /** The log says how far the indexes of a partition's own parameters are. */
  let isReporting = false;
  const watchStored = ({ stored }: FollowedDefinitions): void =>
    stored.watch(() => {
      if (isReporting) return;
      isReporting = true;
      const end = (): void => void (isReporting = false);
      const start = async (): Promise<void> => {
        const pending = await reportIndexes(
          { notice: reported, closing: shared.start.closing },
          store,
          () => true,
          end,
        );
        for (const text of pendingText(pending)) reported(text);
        if (pending.length === 0) end();
      };
      setImmediate(() => void start().catch(end));
    });
  watchStored(indexedFirst);

  const check = async (model: Model): Promise<void> => {
    checkCriteria(model);
    await shared.authorization?.checkAccounts(model);
  };
  /** `lead`: false if another process has registered them in the store. */
  const use = async (loaded: UsableModel, next: StoredSet, lead: boolean): Promise<DefinitionChange> => {
    const { model, definitions, notices } = loaded;
    const before = current.engine.model;
    if (model.digest === before.digest) return { kind: 'unchanged', set };
    await check(model);
    const stored = lead ? await sets.keep(next, loaded.set) : next;
    const indexed = storeDefinitions(loaded, notice);
    store = await store.redefine(indexed, lead);
    set = { ...stored, by: next.by };
    current = createInterface(shared, { indexed, definitions, store, since: stored.activated });
    watchStored(indexed);
    const { engine } = current;
    serve(current);
    await served?.();
    const { closing } = shared.start;
    const isCurrent = (): boolean => current.engine.model === engine.model;
    const pending = await reportIndexes({ notice: reported, closing }, store, isCurrent);
    const [added, removed] = [namesBeyond(model, before), namesBeyond(before, model)];
    return { kind: 'changed', set, added, removed, notices, pending };
  };
  const log = (change: DefinitionChange, write = change.kind === 'refused' ? refused : reported): DefinitionChange => {
    for (const text of describeChange(change)) write(text);
    return change;
  };
  /** A refusal to follow is repeated at each check, and logged once: nobody here has asked for the change. */
  let notFollowed = '';
  const followed = (change: DefinitionChange | undefined): DefinitionChange | undefined => {
    const text = change?.kind === 'refused' ? change.problems.join('\n') : '';
    if (change !== undefined && (text === '' || text !== notFollowed)) log(change, reported);
    notFollowed = text;
    return change;
  };
  const fromFiles = async (): Promise<DefinitionChange> => {
    const loaded = await load();
    const change = await use(loaded, aboutSet(loaded.model, 'reload', nextTime()), true);
    inFiles = loaded.model.digest;
    await sets.putRestored(undefined);
    return change;
  };
  const nextTime = (): number => Math.max(now(), set.activated + 1);
  const restore = async (version: string | undefined): Promise<DefinitionChange> => {
    followed(await fromStore()); // what is in use now may be what another server has brought
    const found = chosenSet(await sets.list(), current.engine.model.digest, version);
    if (typeof found === 'string') return { kind: 'refused', problems: [found] };
    const loaded = await loadStored(sets, found.digest);
    const change = await use(loaded, { ...found, by: 'rollback', activated: nextTime() }, true);
    const to = loaded.model.digest;
    await sets.putRestored(to === inFiles ? undefined : { from: inFiles, to });
    return change;
  };
  const fromStore = async (): Promise<DefinitionChange | undefined> => {
    const { definitions: digest } = await store.check();
    if (digest === undefined || digest === current.engine.model.digest) return undefined;
    const found = (await sets.list()).find(one => one.digest === digest);
    if (found === undefined) return { kind: 'refused', problems: [unknown(digest)] };
    return use(await loadStored(sets, found.digest), found, false);
  };

  let running: Promise<unknown> = Promise.resolve();
  /** One change after the other; what is wrong with the definitions is a result. */
  const inTurn = <T extends DefinitionChange | undefined>(change: () => Promise<T>): Promise<T | DefinitionChange> => {
    const result = running.then(change).catch((error: unknown): DefinitionChange => {
      const text = error instanceof Error ? error.message : String(error);
      return { kind: 'refused', problems: text.split('\n') };
    });
    running = result;
    return result;
  };
  const audited =
    (by: Activation) =>
    (change: DefinitionChange): DefinitionChange => {
      shared.audit?.acted(changeAction(by, change));
      return change;
    };
  return {
    get current() {
      return current;
    },
    reload: () => inTurn(fromFiles).then(log).then(audited('reload')),
    rollback: version =>
      inTurn(() => restore(version))
        .then(log)
        .then(audited('rollback')),
    follow: () => inTurn(fromStore).then(followed),
  };
}

const unknown = (digest: string): string =>
  `Another server has brought the definitions of version ${versionOf(digest)}, which are not in the store; ` +
  'restart this one with the same.';

const namesBeyond = ({ types }: Model, other: Model): readonly string[] =>
  [...types.keys()].filter(name => !other.types.has(name));

/** The set to restore, or a sentence why there is none. */
function chosenSet(all: readonly StoredSet[], current: string, version: string | undefined): StoredSet | string {
  const others = all.filter(({ digest }) => digest !== current);
  if (version === undefined) return others[0] ?? 'The store has no other set of definitions to restore.';
  const found = all.filter(({ digest }) => digest.startsWith(version));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const list = all.map(({ digest }) => versionOf(digest)).join(', ');
  return `${found.length === 0 ? 'No' : 'More than one'} stored set has the version \`${version}\`; there are ${list}.`;
}

/** How often the indexes are read, and their progress is logged, in milliseconds. */
const [pause, interval] = [1_000, 10_000];

/**
 * Returns the indexes that a store builds after a change of the definitions, and logs their progress until they are
 * complete, the definitions are no longer current, or the server ends. A store that cannot be read has none.
 */
async function reportIndexes(
  { notice, closing }: Pick<Start, 'notice' | 'closing'>,
  store: Store,
  isCurrent: () => boolean,
  end: () => void = () => {},
): Promise<readonly IndexBacklog[]> {
  const read = (): Promise<readonly IndexBacklog[] | undefined> => indexBacklog(store).catch(() => undefined);
  const first = (await read()) ?? [];
  let logged = performance.now();
  const look = async (): Promise<void> => {
    if (closing() || !isCurrent()) return end();
    const pending = await read();
    if (pending?.length === 0) {
      notice('The indexes of the new definitions are complete.');
      end();
      return;
    }
    if (pending !== undefined && performance.now() - logged >= interval) {
      for (const text of pendingText(pending)) notice(text);
      logged = performance.now();
    }
    later();
  };
  const later = (): void => void setTimeout(() => void look(), pause).unref();
  if (first.length > 0) later();
  return first;
}
