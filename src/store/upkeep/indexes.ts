import { setTimeout } from 'node:timers/promises';
import type { ResourceType } from '../../model/model.ts';
import type { DatabaseIndex, IndexAdmin, IndexScope, IndexState, PendingIndex } from '../port/indexes.ts';
import type { PartitionIdentity } from '../port/partitions.ts';
import type { StoreOptions } from '../port/store.ts';
import type { StoreFinding } from '../port/transfer.ts';

/** The progress of a part of a verification since its last report, with its findings. */
export interface Checked {
  readonly checked: number;
  readonly findings: readonly StoreFinding[];
}

/** The index operations of a driver; `P` is its type of partitions. */
export interface IndexDriver<P extends PartitionIdentity> {
  /** The current definitions. */
  options(): Pick<StoreOptions, 'model'>;
  /** The driver with the definitions of a partition. */
  within(partition: P): Promise<IndexDriver<P>>;
  partition(id: string): Promise<P | undefined>;
  /** In the order of ids. */
  partitions(): Promise<readonly P[]>;
  /** The progress of the index of each parameter and pair of a type. */
  states(partition: P, type: ResourceType): Promise<readonly IndexState[]>;
  /** The states of parameters that cannot be searched yet (see `IndexScope`); none if the partition does not exist. */
  pending(partition: string, type: ResourceType): Promise<readonly IndexState[]>;
  /** Compares the entries of the complete indexes of a type with its records. */
  verify(partition: P, type: ResourceType): AsyncIterable<Checked>;
  /** Makes the indexes of these parameters and pairs pending, from the first record on; undefined: all. */
  restart(partition: P, type: ResourceType, codes: readonly string[] | undefined): Promise<void>;
  /**
   * Fills the pending indexes of a type from its next records. `done`: none is pending; `waiting`: other processes may
   * still write records without their entries, call again later.
   */
  rebuildSlice(partition: P, type: ResourceType): Promise<'more' | 'waiting' | 'done'>;
  /** Declared types with pending indexes. */
  pendingTypes(): Promise<readonly (readonly [partition: P, type: ResourceType])[]>;
  database: IndexAdmin['database'];
}

/** How often a rebuild checks whether others may still write, in milliseconds. */
const pause = 500;

/** The port of indexes over a driver. */
export class Indexes<P extends PartitionIdentity> implements IndexAdmin {
  readonly #driver: IndexDriver<P>;

  constructor(driver: IndexDriver<P>) {
    this.#driver = driver;
  }

  async status({ partition: id, type: name, state }: IndexScope = {}): Promise<readonly IndexState[]> {
    const states: IndexState[] = [];
    const only = id === undefined ? undefined : await this.#driver.partition(id);
    if (id !== undefined && only === undefined) return states;
    for (const partition of only === undefined ? await this.#driver.partitions() : [only]) {
      const driver = await this.#driver.within(partition);
      const declared = driver.options().model.types;
      for (const type of name === undefined ? declared.values() : [declared.get(name) ?? []].flat())
        states.push(
          ...(await (state === undefined ? driver.states(partition, type) : driver.pending(partition.id, type))),
        );
    }
    return states;
  }

  async *rebuild(id: string, only?: string, param?: string): AsyncIterable<PendingIndex> {
    const partition = await requirePartition(this.#driver, id);
    const driver = await this.#driver.within(partition);
    const types = typesIn(driver.options(), only).filter(({ indexed }) => param === undefined || indexed.has(param));
    if (types.length === 0) throw new Error(`There is no index of \`${param}\``);
    for (const type of types)
      await driver.restart(partition, type, param === undefined ? undefined : codesOf(type, param));
    for (const type of types) {
      let [last, cost] = [-Infinity, 0];
      for (let step = 'more'; step !== 'done';) {
        step = await driver.rebuildSlice(partition, type);
        const now = performance.now();
        // MongoDB counts all records of the type for it: half of the time at most.
        if (step === 'more' && now - last < cost) continue;
        const pending = (await driver.states(partition, type)).filter(({ state }) => state === 'pending');
        last = performance.now();
        cost = last - now;
        for (const { param: code, done, of } of pending)
          if (param === undefined || code === param) yield { type: type.name, param: code, done, of };
        if (step === 'waiting') await setTimeout(pause);
      }
    }
  }

  database(options?: Parameters<IndexAdmin['database']>[0]): Promise<readonly DatabaseIndex[]> {
    return this.#driver.database(options);
  }
}

/** Throws Error if there is no such partition. */
export async function requirePartition<P extends PartitionIdentity>(driver: IndexDriver<P>, id: string): Promise<P> {
  const found = await driver.partition(id);
  if (found === undefined) throw new Error(`There is no partition \`${id}\``);
  return found;
}

/** All declared types, or one. Throws Error for an undeclared one. */
export function typesIn({ model }: Pick<StoreOptions, 'model'>, only: string | undefined): readonly ResourceType[] {
  if (only === undefined) return [...model.types.values()];
  const type = model.types.get(only);
  if (type === undefined) throw new Error(`\`${only}\` is not a declared type`);
  return [type];
}

/**
 * The parameters of a type that cannot be searched yet. Pairs only make searches faster, so they are not among them.
 */
export function pendingIn({ pairs }: ResourceType, states: readonly IndexState[]): readonly IndexState[] {
  const ofPairs = new Set(pairs.map(({ code }) => code));
  return states.filter(({ state, param }) => state === 'pending' && !ofPairs.has(param));
}

/** The indexes in which a parameter is used. */
function codesOf({ pairs }: ResourceType, param: string): readonly string[] {
  const inPairs = pairs.filter(({ owner, token }) => owner.code === param || token.code === param);
  return [param, ...inPairs.map(({ code }) => code)];
}
