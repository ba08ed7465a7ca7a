import type { Query } from '../../search/ast.ts';
import type { Change, Precondition, Put, VersionPrecondition } from './records.ts';

/** A change that is done only if nothing matches. */
export type Conditional = Put & { readonly precondition: Extract<Precondition, { readonly is: 'no-match' }> };

export function isConditional(change: Change): change is Conditional {
  return change.precondition?.is === 'no-match';
}

/** The query that must find nothing. */
export function queryOf({ query, except = [] }: Conditional['precondition']): Query {
  return except.length === 0 ? query : { kind: 'and', of: [query, { kind: 'not', of: { kind: 'id', anyOf: except } }] };
}

/**
 * Whether the current version of a record (0 if there is none) meets a precondition. A `no-match`, which is searched
 * before, requires only that the id is free.
 */
export function holds(
  precondition: VersionPrecondition | { readonly is: 'no-match' } | undefined,
  version: number,
  isThere: boolean,
): boolean {
  if (precondition === undefined) return true;
  if (precondition.is === 'version') return isThere && precondition.version === version;
  if (precondition.is === 'no-match') return !isThere;
  return !isThere && (precondition.version ?? version) === version;
}

/** Whether the id was never used, if the precondition holds. */
export const isNew = (precondition: VersionPrecondition | { readonly is: 'no-match' } | undefined): boolean =>
  precondition?.is === 'absent' && precondition.version === 0;

/** Throws Error if another change of the same write concerns a conditionally created resource. */
export function requireApart(changes: readonly Change[]): void {
  if (changes.length < 2 || !changes.some(isConditional)) return;
  const seen = new Map<string, boolean>();
  for (const change of changes) {
    const key = `${change.type}/${change.id}`;
    const before = seen.get(key);
    if (before === true || (before === false && isConditional(change)))
      throw new Error(`${key} is created conditionally, so no other change of the same write may touch it`);
    seen.set(key, isConditional(change));
  }
}
