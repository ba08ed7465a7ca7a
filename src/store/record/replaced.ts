import { isConditional } from '../port/conditional.ts';
import { StoreUnavailable } from '../port/errors.ts';
import type { Change, Requirement } from '../port/records.ts';
import type { StoreDefinitions } from '../port/store.ts';

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
