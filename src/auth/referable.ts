import type { ResourceType } from '../model/model.ts';
import type { Query } from '../search/ast.ts';
import { simplify } from '../search/simplify.ts';
import type { Access } from './access.ts';
import type { AccessPlace } from './criteria.ts';
import { contextQuery } from './context-query.ts';
import { parseScope } from './scope.ts';
import type { Letter } from './scope.ts';

/**
 * The records of `target` that a record which the caller writes may reference: all that the contexts of the scopes that
 * allow the write cover, even if the scopes grant no read of it (`user/Media.c` alone writes to the charts of a
 * clinician's patients). Empty for a type without a scope of such a context.
 */
export function referable(
  access: Access,
  written: { readonly type: ResourceType; readonly letter: Letter },
  target: ResourceType,
  place: AccessPlace,
): Query {
  if (access === 'open') return { kind: 'all' };
  const contexts = new Set(
    access.grants
      .filter(({ resourceType, letters }) => resourceType === written.type.name && letters.includes(written.letter))
      .map(({ context }) => context),
  );
  const of = [...contexts]
    .filter(context => target.smartScopes.some(scope => parseScope(scope)?.context === context))
    .map(context => contextQuery(context, target, access, place));
  return simplify({ kind: 'or', of });
}

/**
 * True for a type whose callers see at most their own resource: the others live in another system, so that a
 * reference to one of them does not reveal whether it exists here.
 */
export const isStoredElsewhere = ({ smartScopes }: ResourceType): boolean =>
  smartScopes.length > 0 && smartScopes.every(scope => scope === 'fhirUser');
