import type { Extract } from '../indexing/extract.ts';
import type { Model, ResourceType } from '../model/model.ts';
import type { Query } from '../search/ast.ts';
import type { Partition } from '../store/port/partitions.ts';
import { together } from './access.ts';
import type { Access } from './access.ts';
import { ownersOfRecord } from './owned-by.ts';
import { isWithin, restriction } from './restrict.ts';
import type { Record } from './restrict.ts';
import type { Letter } from './scope.ts';

/** The partition of a write, and what reads its records. */
export interface WritePlace {
  readonly model: Model;
  readonly extract: Extract;
  /** `{publicUrl}/r4/{partition}`. */
  readonly base: string;
  readonly partition: Pick<Partition, 'id' | 'settings'>;
}

/** A record before and after a write; undefined if there is none. */
export interface RecordChange {
  readonly before?: Record | undefined;
  readonly after?: Record | undefined;
}

/**
 * True if the caller may change a record of a type: the rules of its scopes cover it before and after. A change that
 * only scopes of the context `patient` cover must not move the record into the compartment of another patient, or out
 * of it. https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html
 */
export function isWritable(
  access: Access,
  type: ResourceType,
  letter: Letter,
  { before, after }: RecordChange,
  place: WritePlace,
): boolean {
  const records = [before, after].filter(record => record !== undefined);
  const covers = (rule: Query): boolean =>
    records.every(record => isWithin(rule, type, record, place.extract, place.partition));
  const rule = restriction(access, type, letter);
  if (!covers(rule)) return false;
  if (access === 'open' || rule.kind === 'all') return true;
  const grants = access.grants.filter(one => one.resourceType === type.name && one.letters.includes(letter));
  if (covers(together(grants.filter(({ context }) => context !== 'patient')))) return true;
  const others = (record: Record | undefined): string =>
    (record === undefined ? [] : ownersOfRecord(type, record, place))
      .filter(id => id !== access.patient)
      .toSorted()
      .join(' ');
  return others(before) === others(after);
}
