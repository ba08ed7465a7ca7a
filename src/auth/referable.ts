import type { ResourceType } from '../model/model.ts';
import type { Query } from '../search/ast.ts';
import { simplify } from '../search/simplify.ts';
import type { Access } from './access.ts';
import type { Place } from './criteria.ts';
import { reach } from './reach.ts';
import { parseScope } from './scope.ts';

/**
 * What of `target` a record of the type that the caller writes may refer to: what the contexts of the scopes that let him write
 * it ever reach, also where his scopes give no read of it (`user/Media.c` alone writes onto the charts of a clinician's patients).
 * A type that has no scope of such a context is not reached.
 */
export function referable(access: Access, written: ResourceType, target: ResourceType, place: Place): Query {
  if (access === 'open') return { kind: 'all' };
  const contexts = new Set(
    access.grants
      .filter(({ resourceType, letters }) => resourceType === written.name && letters.includes('c'))
      .map(({ context }) => context),
  );
  const of = [...contexts]
    .filter(context => target.smartScopes.some(scope => parseScope(scope)?.context === context))
    .map(context => reach(context, target, access, place));
  return simplify({ kind: 'or', of });
}

/**
 * True for a type of which nobody gets more than his own resource: the others are kept elsewhere, so that a reference to one of
 * them says nothing of whether it is here.
 */
export const isKeptElsewhere = ({ smartScopes }: ResourceType): boolean =>
  smartScopes.length > 0 && smartScopes.every(scope => scope === 'fhirUser');
