import type { Access } from '../../auth/access.ts';
import { isAllowed, requireScope } from '../../auth/may.ts';
import { FhirError } from '../../fhir/error.ts';
import type { Model } from '../../model/model.ts';
import type { QueryPair, SearchRequest } from '../../search/request.ts';
import { joinedTypes } from '../../search/walk.ts';

/** The caller of a search, and how its parameters are parsed. */
export interface JoiningSearch {
  readonly access: Access;
  readonly model: Model;
  readonly base: string;
  readonly parameters: readonly QueryPair[];
  readonly parse: (pairs: readonly QueryPair[]) => readonly SearchRequest[];
}

/**
 * Requires the scopes to search the types to which chains, `_has`, lists and hierarchies of a search lead. Throws
 * FhirError 403 with the parameter that leads to a type without one.
 */
export function requireScopesOfJoins(asked: readonly SearchRequest[], search: JoiningSearch): void {
  const { access, model, base } = search;
  for (const { name } of asked.flatMap(({ query }) => joinedTypes(query))) {
    const wanted = { interaction: 'search-type', resourceType: name } as const;
    if (!isAllowed(access, wanted)) requireScope(access, model, wanted, base, parameterTo(name, search));
  }
}

/** The parameter that leads to a type: each is parsed alone, or beside the searched types. */
function parameterTo(type: string, { parameters, parse }: JoiningSearch): string | undefined {
  const types = parameters.filter(([name]) => name === '_type');
  const found = parameters.find(pair => {
    try {
      const requests = parse([...types, pair]);
      return requests.some(({ query }) => joinedTypes(query).some(({ name }) => name === type));
    } catch (error) {
      if (error instanceof FhirError) return false; // it needs others, such as those of a named query
      throw error;
    }
  });
  return found && `http.${found[0]}`;
}
