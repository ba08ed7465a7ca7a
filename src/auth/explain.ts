import type { Access } from './access.ts';
import { scopeInsufficient } from './refusals.ts';
import { parseScope } from './scope.ts';

/**
 * Allows the explanation of a search of these types if the token grants on each of them what one of `scopes` does, such
 * as `system/*.s`. Throws FhirError 403 with the scopes that would suffice; `realm` is the base URL of the partition.
 */
export function requireScopeToExplain(
  access: Access,
  scopes: Iterable<string>,
  types: readonly string[],
  realm: string,
): void {
  if (access === 'open') return;
  const wanted = [...scopes];
  const type = types.find(name => !wanted.some(scope => grants(access, scope, name)));
  if (type === undefined) return;
  const sufficient = wanted.map(scope => scope.replace('*', type));
  const list = sufficient.map(scope => `\`${scope}\``).join(' or ');
  throw scopeInsufficient(realm, `\`_explain\` of a search of ${type} requires the scope ${list}.`, sufficient);
}

function grants(access: Exclude<Access, 'open'>, scope: string, type: string): boolean {
  const wanted = parseScope(scope);
  return access.grants.some(
    ({ context, resourceType, letters }) =>
      resourceType === type && context === wanted?.context && wanted.letters.every(letter => letters.includes(letter)),
  );
}
