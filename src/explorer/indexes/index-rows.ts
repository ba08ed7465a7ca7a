import { isAllowed } from '../../auth/may.ts';
import { restriction } from '../../auth/restrict.ts';
import type { Access } from '../../auth/access.ts';
import type { Model, ResourceType } from '../../model/model.ts';
import { usageCollection } from '../../store/index-usage.ts';
import { readIndexUsage } from '../../store/index-usage-report.ts';
import type { UsedIndex } from '../../store/index-usage-report.ts';
import type { DatabaseIndex, IndexState } from '../../store/indexes.ts';
import type { Store } from '../../store/store.ts';

/** An index of a type: its state in a partition, and its use in the whole store. */
export interface IndexRow {
  readonly type: string;
  /** Code of a parameter, or of a pair such as `patient+code`. */
  readonly code: string;
  /** Undefined for a pair, which only makes searches faster. */
  readonly state: IndexState | undefined;
  /** Searches and counts that it found matches for. */
  readonly searches: number;
  /** Those that it had the order for; undefined if it has none. */
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
}

/** Days of which the uses are added up. */
export const usageDays = 7;

/**
 * The types whose indexes a visitor may see: those of which the token covers every record, since the states of indexes
 * have numbers of records.
 */
export const visibleTypes = ({ types }: Model, access: Access): readonly ResourceType[] =>
  [...types.values()].filter(
    type =>
      isAllowed(access, { interaction: 'search-type', resourceType: type.name }) &&
      restriction(access, type, 's').kind === 'all',
  );

/** The indexes of types in a partition. `now`: milliseconds since 1970 UTC. */
export async function readIndexes(
  store: Pick<Store, 'indexes' | 'documents'>,
  model: Model,
  place: { readonly partition: string; readonly types: readonly ResourceType[]; readonly now: number },
): Promise<PartitionIndexes> {
  const { partition, types, now } = place;
  const { indexes, since } = await readIndexUsage(store.documents(usageCollection), model, usageDays, now);
  const used = new Map(indexes.map(one => [keyOf(one.type, one.code, one.use), one]));
  const states = new Map((await store.indexes.status({ partition })).map(one => [keyOf(one.type, one.param), one]));
  const rows = types.flatMap(({ name, indexed, pairs }) =>
    [...indexed.keys(), ...pairs.map(({ code }) => code)].map((code): IndexRow => {
      const [search, sort] = [used.get(keyOf(name, code, 'search')), used.get(keyOf(name, code, 'sort'))];
      return {
        type: name,
        code,
        state: states.get(keyOf(name, code)),
        searches: search?.uses ?? 0,
        sorts: sort?.uses,
        last: laterOf(search, sort),
      };
    }),
  );
  return { rows, since, database: await store.indexes.database() };
}

const keyOf = (...parts: readonly string[]): string => parts.join(' ');

const laterOf = (...used: readonly (UsedIndex | undefined)[]): string | undefined =>
  used
    .flatMap(one => one?.last ?? [])
    .toSorted()
    .at(-1);
