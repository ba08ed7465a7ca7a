import { setTimeout } from 'node:timers/promises';
import type { ResourceType } from '../../model/model.ts';
import type { DatabaseIndex, IndexAdmin, IndexState, PendingIndex, VerifyProgress } from '../indexes.ts';
import { parameters, partitions } from './collections.ts';
import type { Core, PartitionInfo } from './core.ts';
import { dropUnused, indexesOfDatabase } from './database-indexes.ts';
import { told, toldEach } from './failures.ts';
import { parameterId, statesOf } from './parameters.ts';
import { rebuildSlice } from './rebuild.ts';
import { requireOurDefinitions } from './register.ts';
import { verifyType } from './verify-indexes.ts';

/** How often it is asked whether others with other definitions may still write, in milliseconds. */
const pause = 500;

export class MongoIndexes implements IndexAdmin {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  status(): Promise<readonly IndexState[]> {
    return told(this.#core, async () => {
      const states: IndexState[] = [];
      for (const { _id, key, zone } of await partitions(this.#core.database).find().sort({ _id: 1 }).toArray())
        for (const type of this.#core.options.model.types.values())
          states.push(...(await statesOf(this.#core, { id: _id, p: key, settings: { zone } }, type)));
      return states;
    });
  }

  verify(partition: string, type?: string): AsyncIterable<VerifyProgress> {
    return toldEach(this.#core, () => this.#verify(partition, type));
  }

  rebuild(partition: string, type?: string, param?: string): AsyncIterable<PendingIndex> {
    return toldEach(this.#core, () => this.#rebuild(partition, type, param));
  }

  database(): Promise<readonly DatabaseIndex[]> {
    return told(this.#core, () => indexesOfDatabase(this.#core));
  }

  dropUnused(): Promise<readonly string[]> {
    return told(this.#core, async () => {
      await requireOurDefinitions(this.#core);
      return dropUnused(this.#core);
    });
  }

  async *#verify(id: string, only: string | undefined): AsyncIterable<VerifyProgress> {
    const { partition, types } = await this.#find(id, only);
    for (const type of types) yield* verifyType(this.#core, partition, type);
  }

  async *#rebuild(id: string, only: string | undefined, param: string | undefined): AsyncIterable<PendingIndex> {
    const { partition, types } = await this.#find(id, only);
    if (param !== undefined && !types.some(type => codesOf(type, param).length > 0))
      throw new Error(`No index is kept for \`${param}\``);
    await requireOurDefinitions(this.#core);
    for (const type of types) await this.#restart(partition, type, param);
    for (const type of types)
      for (;;) {
        const step = await rebuildSlice(this.#core, partition, type);
        yield* (await statesOf(this.#core, partition, type))
          .filter(state => state.state === 'pending' && (param === undefined || state.param === param))
          .map(({ param: code, done, of }) => ({ type: type.name, param: code, done, of }));
        if (step === 'done') break;
        if (step === 'waiting') await setTimeout(pause);
      }
  }

  /** Makes indexes pending, and all of their entries due. */
  async #restart({ p }: PartitionInfo, type: ResourceType, param: string | undefined): Promise<void> {
    const codes =
      param === undefined ? [...type.indexed.keys(), ...type.pairs.map(pair => pair.code)] : codesOf(type, param);
    await parameters(this.#core.database).updateMany(
      { _id: { $in: codes.map(code => parameterId(p, type.name, code)) } },
      { $set: { state: 'pending', after: '', done: 0, anew: true } },
    );
    this.#core.registry.forget();
  }

  async #find(
    id: string,
    only: string | undefined,
  ): Promise<{ readonly partition: PartitionInfo; readonly types: readonly ResourceType[] }> {
    const partition = await this.#core.registry.partition(id);
    if (partition === undefined) throw new Error(`There is no partition \`${id}\``);
    const { types } = this.#core.options.model;
    if (only === undefined) return { partition, types: [...types.values()] };
    const type = types.get(only);
    if (type === undefined) throw new Error(`\`${only}\` is not a declared type`);
    return { partition, types: [type] };
  }
}

/** The indexes that a parameter takes part in. */
function codesOf({ indexed, pairs }: ResourceType, param: string): readonly string[] {
  const inPairs = pairs.filter(pair => pair.owner.code === param || pair.token.code === param);
  return indexed.has(param) ? [param, ...inPairs.map(pair => pair.code)] : [];
}
