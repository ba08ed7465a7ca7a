import { isConditional } from '../../../store/port/conditional.ts';
import type { Requirement, WriteResult } from '../../../store/port/records.ts';
import type { CarryingChange } from '../../write/context.ts';
import { isStored, withoutIds } from './staged-record.ts';
import type { StagedRecord } from './staged-record.ts';

/** The changes of a transaction. */
export interface Stage {
  readonly records: readonly StagedRecord[];
  readonly requires: readonly Requirement[];
}

/** The changes of a transaction, to be written at once, and what their write requires. */
export interface StagedWrite {
  readonly changes: readonly CarryingChange[];
  readonly requires: readonly Requirement[];
  /** The records in the order of the changes. */
  readonly records: readonly StagedRecord[];
}

/** The time of the new versions, by their placeholder, in milliseconds since 1970 UTC. */
export type Times = ReadonlyMap<number, number>;

/**
 * The write of staged records. It fails with `VersionConflict`, `SeveralMatch` or `RequirementFailed` if the store has
 * changed since they were staged.
 */
export function writeOfStaged({ records, requires }: Stage): StagedWrite {
  // Conditional creates first: among the others they would find what the transaction itself has changed.
  const ordered = records.toSorted((a, b) => Number(isConditional(b.change)) - Number(isConditional(a.change)));
  const byType = Map.groupBy(records, ({ version }) => version.type);
  const idsOf = (some: readonly StagedRecord[]): readonly string[] => some.map(({ version }) => version.id);
  const replacedIds = new Map([...byType].map(([type, some]) => [type, idsOf(some.filter(isStored))]));
  const changedIds = new Map([...byType].map(([type, some]) => [type, new Set(idsOf(some))]));
  const changes = ordered.map(({ change }) => {
    if (!isConditional(change)) return { change, contents: [] };
    // A conditional create looks at no record that the transaction changes: its staging has.
    const except = replacedIds.get(change.type) ?? [];
    return { change: { ...change, precondition: { ...change.precondition, except } }, contents: [] };
  });
  // What is required of records that the transaction changes is checked at its end.
  const ofOthers = inOne(requires).flatMap((required): readonly Requirement[] => {
    if (required.is === 'unreferred')
      return [{ ...required, except: records.map(({ version: { type, id } }) => ({ type, id })) }];
    if (required.is === 'there') return changedIds.get(required.type)?.has(required.id) === true ? [] : [required];
    return [{ ...required, query: withoutIds(required.query, replacedIds.get(required.type) ?? []) }];
  });
  return { changes, requires: ofOthers, records: ordered };
}

/**
 * The times of the versions of staged records, by the results of their write. A version that differs from the staged
 * one, a fault of the store, goes to `fault`.
 */
export function timesOf(
  records: readonly StagedRecord[],
  results: readonly WriteResult[],
  fault: (error: Error) => void,
): Times {
  const times = new Map<number, number>();
  for (const [at, { version, change }] of records.entries()) {
    const result = results[at];
    if (result?.version !== version.version)
      fault(new Error(`${change.type}/${change.id} was written with another version than was staged`));
    if (result !== undefined) times.set(version.lastUpdated, result.lastUpdated);
  }
  return times;
}

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
