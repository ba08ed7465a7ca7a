import type { Query } from '../search/ast.ts';
import type { Model, ResourceType } from '../model/model.ts';
import { none, simplify } from '../search/simplify.ts';
import type { Context, Letter } from './scope.ts';
import { criteriaQuery } from './criteria.ts';
import type { Place } from './criteria.ts';
import { reach } from './reach.ts';
import type { Who } from './reach.ts';
import { parseScope } from './scope.ts';

/** What one scope of a token gives on one resource type. */
export interface Grant {
  readonly context: Context;
  readonly resourceType: string;
  readonly letters: readonly Letter[];
  /** What its context reaches of the type, the same for all grants of both. */
  readonly reach: Query;
  /** What of that it is about. */
  readonly criteria: Query;
}

/**
 * What a scope gives, type by type: what it asks for as far as a `smart-scope` of the type has it. Nothing for a scope that no
 * type has, that cannot be read, whose search does not work, or that reaches nothing (no patient in context, no clinician, a type that
 * belongs to no patient).
 */
export function grantsOf(scope: string, who: Who, place: Place): readonly Grant[] {
  return [...place.model.types.values()].flatMap(type =>
    listed(scope, type).flatMap(({ context, letters, criteria }): Grant[] => {
      const all = reach(context, type, who, place);
      const some = simplify({ kind: 'and', of: criteria.map(one => criteriaQuery(type, one, place) ?? none) });
      const query = simplify({ kind: 'and', of: [all, some] });
      const isNothing = query.kind === 'id' && query.anyOf.length === 0;
      return isNothing ? [] : [{ context, resourceType: type.name, letters, reach: all, criteria: some }];
    }),
  );
}

/** True where any type has the scope, whoever asks: another one does not exist. */
export const scopeExists = (scope: string, model: Model): boolean =>
  [...model.types.values()].some(type => listed(scope, type).length > 0);

interface Listed {
  readonly context: Context;
  readonly letters: readonly Letter[];
  /** All of them hold. */
  readonly criteria: readonly string[];
}

/** What the type lists of a scope: for each of its `smart-scope`s of the context the letters that both have. */
function listed(text: string, type: ResourceType): readonly Listed[] {
  if (text === 'fhirUser') {
    return type.smartScopes.includes(text) ? [{ context: 'fhirUser', letters: ['r'], criteria: [] }] : [];
  }
  const asked = parseScope(text);
  if (asked === undefined || (asked.resourceType !== '*' && asked.resourceType !== type.name)) return [];
  return type.smartScopes.flatMap((one): Listed[] => {
    const has = parseScope(one);
    if (has?.context !== asked.context) return [];
    const letters = asked.letters.filter(letter => has.letters.includes(letter));
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
