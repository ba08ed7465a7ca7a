import { sharedTypes } from '../definitions/definition.ts';
import type { Query } from '../search/ast.ts';
import type { Model, ResourceType } from '../model/model.ts';
import { none, simplify } from '../search/simplify.ts';
import type { Context, Letter } from './scope.ts';
import { criteriaQuery } from './criteria.ts';
import type { AccessPlace } from './criteria.ts';
import { contextQuery } from './context-query.ts';
import type { Who } from './context-query.ts';
import { parseScope } from './scope.ts';

/** The rights of one scope of a token on one resource type. */
export interface Grant {
  readonly context: Context;
  readonly resourceType: string;
  readonly letters: readonly Letter[];
  /** The context query of the type, the same object for all grants of both. */
  readonly contextQuery: Query;
  /** The part of it that the scope grants. */
  readonly criteria: Query;
}

/**
 * The grants of a scope, type by type: the requested part of each `smart-scope` of the type. Empty for a scope that no
 * type has, that cannot be parsed, whose search is not valid, or whose context is empty (no patient in context, not a
 * clinician, a type that belongs to no patient).
 */
export function grantsOf(scope: string, who: Who, place: AccessPlace): readonly Grant[] {
  return [...place.model.types.values()].flatMap(type =>
    listed(scope, type).flatMap(({ context, letters, criteria }): Grant[] => {
      const all = contextQuery(context, type, who, place);
      const some = simplify({ kind: 'and', of: criteria.map(one => criteriaQuery(type, one, place) ?? none) });
      const query = simplify({ kind: 'and', of: [all, some] });
      const isNothing = query.kind === 'id' && query.anyOf.length === 0;
      return isNothing ? [] : [{ context, resourceType: type.name, letters, contextQuery: all, criteria: some }];
    }),
  );
}

/** True if any type has the scope, for any caller: other scopes do not exist. */
export const scopeExists = (scope: string, model: Model): boolean =>
  [...model.types.values()].some(type => listed(scope, type).length > 0);

/** What each token may read: the definitions that are records, which have nothing of a patient. */
export const definitionGrants = ({ types }: Pick<Model, 'types'>): readonly Grant[] =>
  [...sharedTypes]
    .filter(name => types.has(name))
    .map(resourceType => ({
      context: 'system',
      resourceType,
      letters: ['r', 's'],
      contextQuery: everything,
      criteria: everything,
    }));

const everything: Query = { kind: 'all' };

const isReading = (letter: Letter): boolean => letter === 'r' || letter === 's';

interface Listed {
  readonly context: Context;
  readonly letters: readonly Letter[];
  /** All of them apply. */
  readonly criteria: readonly string[];
}

/**
 * The listed parts of a scope: for each `smart-scope` of the type with the same context, the letters that both have. A
 * wildcard, and a scope of a patient, writes no definitions that others use.
 */
function listed(text: string, type: ResourceType): readonly Listed[] {
  if (text === 'fhirUser') {
    return type.smartScopes.includes(text) ? [{ context: 'fhirUser', letters: ['r'], criteria: [] }] : [];
  }
  const asked = parseScope(text);
  if (asked === undefined || (asked.resourceType !== '*' && asked.resourceType !== type.name)) return [];
  const mayWrite = !sharedTypes.has(type.name) || (asked.resourceType !== '*' && asked.context !== 'patient');
  const scopes = type.smartScopes.filter(one => !sharedTypes.has(type.name) || !one.includes('/*.'));
  return scopes.flatMap((one): Listed[] => {
    const has = parseScope(one);
    if (has?.context !== asked.context) return [];
    const letters = asked.letters.filter(letter => has.letters.includes(letter) && (mayWrite || isReading(letter)));
    return letters.length === 0
      ? []
      : [
          {
            context: asked.context,
            letters,
            criteria: [asked.criteria, has.criteria].filter(given => given !== undefined),
          },
        ];
  });
}
