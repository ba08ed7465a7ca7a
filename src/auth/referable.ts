import type { Model, ResourceType } from '../model/model.ts';
import type { Query } from '../search/ast.ts';
import { simplify } from '../search/simplify.ts';
import type { Access, AccessContext } from './access.ts';
import type { AccessPlace } from './criteria.ts';
import { contextQuery } from './context-query.ts';
import { ownerType } from './owned-by.ts';
import { parseScope } from './scope.ts';
import type { Context, Letter } from './scope.ts';

/** A record that a caller writes, by its type and the letter of the scopes that allow the write. */
export interface Written {
  readonly type: ResourceType;
  readonly letter: Letter;
}

/**
 * False for references that are accepted without a look at their targets, which so reveal nothing: those to types that
 * are stored elsewhere, and for a patient in context alone those to types other than the patient's that the token does
 * not read, such as performers and locations.
 */
export function checksTarget(access: Access, written: Written, target: ResourceType, model: Model): boolean {
  if (isStoredElsewhere(target)) return false;
  if (access === 'open' || target.name === ownerType(model)) return true;
  const contexts = contextsOf(access, written.type, [written.letter]);
  return contexts.size !== 1 || !contexts.has('patient') || readContexts(access, target).size > 0;
}

/**
 * The records of `target` that a record which the caller writes may reference: all that the contexts of the scopes that
 * allow the write cover, even if the scopes grant no read of it (`user/Media.c` alone writes to the charts of a
 * clinician's patients). For a type without a scope of such a context: what the token reads.
 */
export function referable(access: Access, written: Written, target: ResourceType, place: AccessPlace): Query {
  if (access === 'open') return { kind: 'all' };
  const contexts = [...contextsOf(access, written.type, [written.letter])].filter(context =>
    target.smartScopes.some(scope => parseScope(scope)?.context === context),
  );
  const used = contexts.length > 0 ? contexts : [...readContexts(access, target)];
  return simplify({ kind: 'or', of: used.map(context => contextQuery(context, target, access, place)) });
}

/** The contexts of the scopes that read a type, but for that of the user's own resource. */
const readContexts = (access: AccessContext, type: ResourceType): ReadonlySet<Context> =>
  new Set([...contextsOf(access, type, ['r', 's'])].filter(context => context !== 'fhirUser'));

/** The contexts of the scopes with any of the letters on a type. */
const contextsOf = (
  { grants }: AccessContext,
  { name }: ResourceType,
  letters: readonly Letter[],
): ReadonlySet<Context> =>
  new Set(
    grants
      .filter(grant => grant.resourceType === name && letters.some(letter => grant.letters.includes(letter)))
      .map(({ context }) => context),
  );

/**
 * True for a type whose callers see at most their own resource: the others live in another system, so that a
 * reference to one of them does not reveal whether it exists here.
 */
export const isStoredElsewhere = ({ smartScopes }: ResourceType): boolean =>
  smartScopes.length > 0 && smartScopes.every(scope => scope === 'fhirUser');
