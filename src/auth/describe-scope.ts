import { FhirError } from '../fhir/error.ts';
import type { Model } from '../model/model.ts';
import { parsePairs } from '../search/parse/pairs.ts';
import type { Letter, Scope } from './scope.ts';
import { parseScope } from './scope.ts';
import { within, works } from './resource-scope.ts';
import { isScopeWord } from './scope-words.ts';
import type { ScopeWord } from './scope-words.ts';

/** The meaning of a scope, as data for a page. */
export type ScopeMeaning =
  | {
      readonly kind: 'resources';
      readonly scope: string;
      /**
       * Whose records: those of the patient in context, those that the user may see, or those that a system may see.
       */
      readonly context: Scope['context'];
      /**
       * The types that it covers, in the order of the definitions: one, or those of a wildcard that list any of its
       * permissions.
       */
      readonly resourceTypes: readonly string[];
      readonly permissions: readonly Permission[];
      /** For a wildcard whose types list different permissions: one group for all types with the same ones. */
      readonly groups: readonly {
        readonly resourceTypes: readonly string[];
        readonly permissions: readonly Permission[];
      }[];
      /** The criteria that narrow it, decoded; all of them apply. */
      readonly criteria: readonly { readonly parameter: string; readonly value: string }[];
    }
  /** `openid`, `fhirUser`, `launch/patient` and the like. */
  | { readonly kind: 'word'; readonly scope: ScopeWord }
  | { readonly kind: 'unknown'; readonly scope: string };

export type Permission = 'create' | 'read' | 'update' | 'delete' | 'search';

/** Parses the meaning of a scope, without regard to whether it is granted. */
export function describeScope(scope: string, model: Model): ScopeMeaning {
  if (isScopeWord(scope, model)) return { kind: 'word', scope };
  const parsed = parseScope(scope);
  const criteria = criteriaOf(parsed?.criteria ?? '');
  if (parsed === undefined || criteria === undefined) return { kind: 'unknown', scope };
  const { context, letters } = parsed;
  const covered = lettersByType(parsed, model);
  const groups = Map.groupBy(covered, one => one.letters.join(''));
  return {
    kind: 'resources',
    scope,
    context,
    resourceTypes: covered.map(({ name }) => name),
    permissions: letters.map(letter => permissions[letter]),
    groups: [...groups.values()].map(of => ({
      resourceTypes: of.map(({ name }) => name),
      permissions: (of[0]?.letters ?? []).map(letter => permissions[letter]),
    })),
    criteria,
  };
}

/** The types of a scope, each with its letters: those of a wildcard that the type lists. */
function lettersByType(
  scope: Scope,
  model: Model,
): readonly { readonly name: string; readonly letters: readonly Letter[] }[] {
  const { resourceType, letters, criteria } = scope;
  if (resourceType !== '*') return model.types.has(resourceType) ? [{ name: resourceType, letters }] : [];
  return [...model.types.values()].flatMap(type => {
    if (criteria !== undefined && !works(criteria, type, model)) return [];
    const listed = within([{ letters, criteria }], scope, type, type.smartScopes, model);
    const some = letters.filter(letter => listed.some(piece => piece.letters.includes(letter)));
    return some.length === 0 ? [] : { name: type.name, letters: some };
  });
}

/** Undefined if it cannot be decoded, which is never so for a granted scope. */
function criteriaOf(text: string): readonly { readonly parameter: string; readonly value: string }[] | undefined {
  try {
    return parsePairs(text).map(([parameter, value]) => ({ parameter, value }));
  } catch (error) {
    if (error instanceof FhirError) return undefined;
    throw error;
  }
}

const permissions: Readonly<Record<Letter, Permission>> = {
  c: 'create',
  r: 'read',
  u: 'update',
  d: 'delete',
  s: 'search',
};
