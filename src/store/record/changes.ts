import { storedTypes } from '../../definitions/definition.ts';
import { stamp } from '../../fhir/resource-text.ts';
import { isConditional } from '../port/conditional.ts';
import { StoreUnavailable } from '../port/errors.ts';
import {
  type Change,
  longestRecord,
  type RecordKey,
  type Requirement,
  type WriteOutcome,
  type WriteResult,
} from '../port/records.ts';
import type { StoreDefinitions } from '../port/definitions.ts';

/**
 * Whether the text of a resource exceeds the limit of a store, in bytes of UTF-8 with the stamp of its first version:
 * so that no record exceeds it by the number of its version.
 */
export function isTooLong({ before, after }: { readonly before: string; readonly after: string }): boolean {
  const most = longestRecord - firstStamp;
  // UTF-8 takes at most three bytes for a UTF-16 unit.
  if ((before.length + after.length) * 3 <= most) return false;
  return Buffer.byteLength(before) + Buffer.byteLength(after) > most;
}

/** The most changes of definitions that a partition names: a process that is further behind reads all of them. */
export const mostNamedChanges = 100;

/** The changes of records that are definitions, each once. */
export const definingKeys = (changes: readonly RecordKey[]): readonly RecordKey[] =>
  changes.filter(({ type }) => storedTypes.has(type)).map(({ type, id }) => ({ type, id }));

const firstStamp = stamp(1, 0).length;

type Model = StoreDefinitions['model'];

/**
 * Checks a write of a request that began before other definitions replaced those of its model. Throws
 * `StoreUnavailable` if the new model does not declare a type of the write, or has other indexes while the write
 * depends on a search: its repetition is answered by the new definitions.
 */
export function requireStillDeclared(
  before: Model,
  latest: Model,
  changes: readonly Change[],
  requires: readonly Requirement[] = [],
): void {
  if (before === latest) return;
  const isDeclared = [...changes, ...requires].every(({ type }) => latest.types.has(type));
  const searches = changes.some(isConditional) || requires.some(({ is }) => is !== 'there');
  if (isDeclared && (!searches || hasIndexesOf(before, latest))) return;
  throw new StoreUnavailable('transient', 'The definitions have changed while the request was running; repeat it');
}

const compared = new WeakMap<Model, WeakMap<Model, boolean>>();

/** Whether a model has all indexes of another one, with the same meaning. */
function hasIndexesOf(before: Model, latest: Model): boolean {
  const known = compared.get(latest) ?? new WeakMap<Model, boolean>();
  compared.set(latest, known);
  const result = known.get(before) ?? compareIndexes(before, latest);
  known.set(before, result);
  return result;
}

const compareIndexes = (before: Model, latest: Model): boolean =>
  before.types
    .values()
    .every(({ name, indexed }) =>
      indexed.values().every(({ code, digest }) => latest.types.get(name)?.indexed.get(code)?.digest === digest),
    );

/** The original outcome of a change, from a repeated result. */
export function firstOutcome({ outcome, first }: Pick<WriteResult, 'outcome' | 'first'>): WriteOutcome {
  const kept = outcome === 'repeated' ? first : outcome;
  if (kept === undefined) throw new Error('A repeated result lacks its original outcome');
  return kept;
}
