import { isConditional } from '../../../store/port/conditional.ts';
import type { Partition } from '../../../store/port/partitions.ts';
import type { Change, Requirement } from '../../../store/port/records.ts';
import { commit } from '../../write/commit.ts';
import { withoutRecords } from './staged-record.ts';
import type { StagedRecord } from './staged-record.ts';

/** The changes of a transaction. */
export interface Stage {
  readonly records: readonly StagedRecord[];
  readonly requires: readonly Requirement[];
}

/** The time of the new versions, by their placeholder, in milliseconds since 1970 UTC. */
export type Times = ReadonlyMap<number, number>;

/**
 * Writes staged records at once, and returns the times of their versions. Throws the errors of `Partition.write`;
 * `VersionConflict`, `SeveralMatch` and `RequirementFailed` if the store has changed since they were staged. Once they
 * are written it throws nothing: a version that differs from the staged one, a fault of the store, goes to `fault`.
 */
export async function writeStaged(
  partition: Partition,
  { records, requires }: Stage,
  fault: (error: Error) => void,
): Promise<Times> {
  if (records.length === 0) return new Map();
  // Conditional creates first: among the others they would find what the transaction itself has changed.
  const ordered = records.toSorted((a, b) => Number(isConditional(b.change)) - Number(isConditional(a.change)));
  const byType = Map.groupBy(records, ({ version }) => version.type);
  const except = new Map(
    [...byType].map(([type, ofType]) => [type, ofType.filter(isStored).map(({ version }) => version.id)]),
  );
  const changes = ordered.map(({ change }) => ({
    change: withExceptions(change, except.get(change.type) ?? []),
    contents: [],
  }));
  const results = await commit(partition, changes, { requires: ofOthers(requires, records, byType) });
  const times = new Map<number, number>();
  for (const [at, { version, change }] of ordered.entries()) {
    const result = results[at];
    if (result?.version !== version.version)
      fault(new Error(`${change.type}/${change.id} was written with another version than was staged`));
    if (result !== undefined) times.set(version.lastUpdated, result.lastUpdated);
  }
  return times;
}

/** What is required of records that the transaction does not change: the others are checked at its end. */
const ofOthers = (
  requires: readonly Requirement[],
  records: readonly StagedRecord[],
  byType: ReadonlyMap<string, readonly StagedRecord[]>,
): readonly Requirement[] => {
  const changedIds = new Map([...byType].map(([type, of]) => [type, new Set(of.map(({ version }) => version.id))]));
  return inOne(requires).flatMap((required): readonly Requirement[] => {
    if (required.is === 'unreferred')
      return [{ ...required, except: records.map(({ version: { type, id } }) => ({ type, id })) }];
    if (required.is === 'there') return changedIds.get(required.type)?.has(required.id) === true ? [] : [required];
    return [{ ...required, query: withoutRecords(required.query, byType.get(required.type) ?? []) }];
  });
};

/** One requirement of each type for the records to which no others may refer. */
function inOne(requires: readonly Requirement[]): readonly Requirement[] {
  const others = requires.filter(({ is }) => is !== 'unreferred');
  const byType = Map.groupBy(
    requires.filter(required => required.is === 'unreferred'),
    ({ type }) => type,
  );
  return [
    ...others,
    ...byType
      .values()
      .flatMap(([first, ...more]) =>
        first === undefined ? [] : [{ ...first, ids: [first, ...more].flatMap(({ ids }) => ids) }],
      ),
  ];
}

/** Whether a changed record was there before. */
const isStored = ({ before }: StagedRecord): boolean => before?.text !== undefined;

/** A conditional create looks at no record that the transaction changes, with these ids: its staging has. */
const withExceptions = (change: Change, except: readonly string[]): Change =>
  isConditional(change) ? { ...change, precondition: { ...change.precondition, except } } : change;
