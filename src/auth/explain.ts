import type { Access } from './access.ts';
import { scopeInsufficient } from './refusals.ts';
import { parseScope } from './scope.ts';

/**
 * Allows the explanation of a search of these types if the token grants on each of them what one of `scopes` does, such
 * as `system/*.s`. Throws FhirError 403 with the scopes that would suffice; `realm` is the base URL of the partition.
 */
export function requireScopeToExplain(
  access: Access,
  scopes: ReadonlySet<string>,
  types: readonly string[],
  realm: string,
): void {
  const type = types.find(name => !mayExplain(access, scopes, name));
  if (type === undefined) return;
  const sufficient = [...scopes].map(scope => scope.replace('*', type));
  const list = sufficient.map(scope => `\`${scope}\``).join(' or ');
  throw scopeInsufficient(
    realm,
    `\`_explain\` of a search of ${type} requires the scope ${list}.`,
    sufficient,
    'http._explain',
  );
}

/** Whether the token grants on a type what one of `scopes` does on all. */
export const mayExplain = (access: Access, scopes: ReadonlySet<string>, type: string): boolean =>
  scopes.size > 0 && (access === 'open' || [...scopes].some(scope => grants(access, scope, type)));

function grants(access: Exclude<Access, 'open'>, scope: string, type: string): boolean {
  const wanted = parseScope(scope);
  return access.grants.some(
    ({ context, resourceType, letters }) =>
      resourceType === type && context === wanted?.context && wanted.letters.every(letter => letters.includes(letter)),
  );
}
