import { isAllowed } from '../../auth/may.ts';
import { restriction } from '../../auth/restrict.ts';
import type { Access } from '../../auth/access.ts';
import type { Model, ResourceType } from '../../model/model.ts';
import { readIndexUsage, usageCollection } from '../../store/server/index-usage.ts';
import type { UsedIndex } from '../../store/server/index-usage.ts';
import type { DatabaseIndex, IndexState } from '../../store/port/indexes.ts';
import type { Store } from '../../store/port/store.ts';

/** An index of a type: its state in a partition, and its use in the whole store. */
export interface IndexRow {
  readonly type: string;
  /** Code of a parameter, or of a pair such as `patient+code`. */
  readonly code: string;
  /** Undefined for a pair, which only makes searches faster. */
  readonly state: IndexState | undefined;
  /** Searches and counts that it found matches for. */
  readonly searches: number;
  /** Searches that it had the order for; undefined if it has no order. */
  readonly sorts: number | undefined;
  /** The last day (UTC) with a use; undefined without any. */
  readonly last: string | undefined;
}

/** The indexes of a partition. */
export interface PartitionIndexes {
  readonly rows: readonly IndexRow[];
  /** The first day for which uses are stored. */
  readonly since: string | undefined;
  /** Database indexes that differ from the definitions. */
  readonly database: readonly DatabaseIndex[];
  /** Whether the store has this partition alone: sizes are those of the whole store. */
  readonly isAlone: boolean;
}

/** Number of the last days, whose uses are added up. */
export const usageDays = 7;

/**
 * The types whose indexes a visitor may see: those whose records the token covers without exception, since the states
 * of indexes have numbers of records.
 */
export const visibleTypes = ({ types }: Model, access: Access): readonly ResourceType[] =>
  [...types.values()].filter(
    type =>
      isAllowed(access, { interaction: 'search-type', resourceType: type.name }) &&
      restriction(access, type, 's').kind === 'all',
  );

/** The states of the indexes of a partition, and the database indexes that differ. */
export interface IndexStates {
  readonly states: readonly IndexState[];
  readonly database: readonly DatabaseIndex[];
}

/** On MongoDB this reads every collection: seconds of all of R4. */
export async function readStates({ indexes }: Pick<Store, 'indexes'>, partition: string): Promise<IndexStates> {
  const [states, database] = await Promise.all([indexes.status({ partition }), indexes.database()]);
  return { states, database };
}

/** The indexes of types in a partition, with their states. `now`: milliseconds since 1970 UTC. */
export async function readIndexes(
  store: Pick<Store, 'documents' | 'partitions'>,
  model: Model,
  place: { readonly known: IndexStates; readonly types: readonly ResourceType[]; readonly now: number },
): Promise<PartitionIndexes> {
  const { known, types, now } = place;
  const { indexes, since } = await readIndexUsage(store.documents(usageCollection), model, usageDays, now);
  const used = { search: new Map<string, UsedIndex>(), sort: new Map<string, UsedIndex>() };
  for (const one of indexes) used[one.use].set(keyOf(one.type, one.code), one);
  const states = new Map(known.states.map(one => [keyOf(one.type, one.param), one]));
  const rows = types.flatMap(({ name, indexed, pairs }) =>
    [...indexed.keys(), ...pairs.map(({ code }) => code)].map((code): IndexRow => {
      const key = keyOf(name, code);
      const [search, sort] = [used.search.get(key), used.sort.get(key)];
      return {
        type: name,
        code,
        state: states.get(key),
        searches: search?.uses ?? 0,
        sorts: sort?.uses,
        last: laterOf(search, sort),
      };
    }),
  );
  const isAlone = (await store.partitions.list()).length === 1;
  return { rows, since, database: known.database, isAlone };
}

/** All of R4 has thousands. */
const keyOf = (type: string, code: string): string => `${type} ${code}`;

const laterOf = (search: UsedIndex | undefined, sort: UsedIndex | undefined): string | undefined =>
  (sort?.last ?? '') > (search?.last ?? '') ? sort?.last : search?.last;
