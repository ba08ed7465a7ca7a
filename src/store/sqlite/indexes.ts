import type { DatabaseIndex, IndexAdmin, IndexState, PendingIndex, VerifyProgress } from '../indexes.ts';
import { type Core, partitionIndex, submit } from './core.ts';
import { paramOf, type TypeIndex } from './dictionary.ts';
import { rebuildSlice } from './rebuild.ts';
import { verifyType } from './verify-indexes.ts';

export class SqliteIndexes implements IndexAdmin {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  async status(): Promise<readonly IndexState[]> {
    const { database } = this.#core;
    const states: IndexState[] = [];
    for (const [id] of database.all('SELECT id FROM partitions WHERE id IS NOT NULL ORDER BY id'))
      for (const index of partitionIndex(this.#core, String(id))?.types.values() ?? [])
        states.push(...this.#statesOf(String(id), index));
    return states;
  }

  async *verify(partition: string, type?: string): AsyncIterable<VerifyProgress> {
    for (const index of this.#typesOf(partition, type)) yield* verifyType(this.#core, partition, index.type.name);
  }

  async *rebuild(partition: string, type?: string, param?: string): AsyncIterable<PendingIndex> {
    const indexes = this.#typesOf(partition, type);
    if (param !== undefined && !indexes.some(index => codesOf(index, param).length > 0))
      throw new Error(`No index is kept for \`${param}\``);
    for (const index of indexes) {
      const codes = param === undefined ? undefined : codesOf(index, param);
      await submit(this.#core, () => ({ kind: 'restart', t: index.t, codes }));
    }
    for (const { type: of } of indexes) {
      let more = true;
      while (more) {
        more = await rebuildSlice(this.#core, partition, of.name);
        const now = partitionIndex(this.#core, partition)?.types.get(of.name);
        if (now === undefined) break;
        yield* this.#statesOf(partition, now)
          .filter(state => state.state === 'pending' && (param === undefined || state.param === param))
          .map(({ param: code, done, of: all }) => ({ type: of.name, param: code, done, of: all }));
      }
    }
  }

  /** The tables have their indexes from the start. */
  async database(): Promise<readonly DatabaseIndex[]> {
    return [];
  }

  async dropUnused(): Promise<readonly string[]> {
    return [];
  }

  #typesOf(partition: string, type: string | undefined): readonly TypeIndex[] {
    const known = partitionIndex(this.#core, partition);
    if (known === undefined) throw new Error(`There is no partition \`${partition}\``);
    if (type === undefined) return [...known.types.values()];
    const index = known.types.get(type);
    if (index === undefined) throw new Error(`\`${type}\` is not a declared type`);
    return [index];
  }

  #statesOf(partition: string, index: TypeIndex): readonly IndexState[] {
    const { database } = this.#core;
    const of = Number(database.get('SELECT resources FROM types WHERE t = ?', [index.t])?.[0] ?? 0);
    const states = new Map<string, IndexState>();
    for (const { code, p, ready } of index.indexes.values()) {
      const param = paramOf(code, index.type);
      const done = ready ? of : Number(database.get('SELECT done FROM parameters WHERE p = ?', [p])?.[0] ?? 0);
      const known = states.get(param);
      if (known !== undefined && known.done <= done) continue;
      states.set(param, { partition, type: index.type.name, param, state: ready ? 'ready' : 'pending', done, of });
    }
    return [...states.values()];
  }
}

/** The indexes that a parameter takes part in. */
function codesOf({ indexes, pairs, type }: TypeIndex, param: string): readonly string[] {
  const inPairs = pairs.filter(pair => pair.owner === param || pair.token === param).map(pair => pair.code);
  const own = [...indexes.keys()].filter(code => paramOf(code, type) === param && code !== '_order');
  return own.length === 0 ? [] : [...new Set([...own, ...inPairs])];
}
