import { isAllowed, requireScope } from '../../auth/may.ts';
import { scopeInsufficient } from '../../auth/refusals.ts';
import { FhirError, badValue } from '../../fhir/error.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import type { Model, ResourceType } from '../../model/model.ts';
import { operationOf } from '../../model/operation-call.ts';
import type { Query } from '../../search/ast.ts';
import type { Searched } from '../../search/parse/page.ts';
import { containerRequests } from '../../search/parse/contained.ts';
import { parseSearch } from '../../search/parse/search.ts';
import { parseSearchOfTypes } from '../../search/parse/several.ts';
import type { QueryPair, SearchRequest } from '../../search/request.ts';
import { simplify } from '../../search/simplify.ts';
import { declaredType } from '../declared.ts';
import type { CompartmentOf, FhirRequest } from '../interaction.ts';
import type { Access } from '../../auth/access.ts';
import { joinedTypes } from '../../search/walk.ts';

/** What is searched, and for whom. */
export type SearchPlace = Pick<FhirRequest, 'access' | 'base' | 'resourceType' | 'compartment' | 'operation'>;

/** What a request searches: a type, also by an operation that is a search, several types, or both in a compartment. */
export function searchedBy(model: Model, request: SearchPlace): Searched {
  const { compartment, resourceType, base } = request;
  const within = (one: SearchRequest): SearchRequest =>
    compartment === undefined ? one : { ...one, query: inCompartment(one, compartment, base) };
  if (resourceType !== undefined) {
    const type = declaredType(model, request);
    const operation = operationOf(model, request);
    if (operation !== undefined)
      return {
        path: `${type.name}/$${operation.code}`,
        parse(pairs, context) {
          const one = parseSearch(type, pairs, context, operation.query);
          if (one.contained === undefined) return [one];
          throw badValue('_contained', `\`_contained\` cannot be used with \`$${operation.code}\`: omit it.`);
        },
      };
    return {
      path: compartment === undefined ? type.name : `${compartment.type}/${compartment.id}/${type.name}`,
      parse(pairs, context) {
        const one = parseSearch(type, pairs, context);
        if (one.contained === undefined) return [within(one)];
        if (compartment !== undefined) throw badValue('_contained', '`_contained` does not search a compartment.');
        return containerRequests(one, searchableBy(request, [...model.types.values()]));
      },
    };
  }
  return {
    path: compartment === undefined ? '' : `${compartment.type}/${compartment.id}/*`,
    parse: (pairs, context) => parseSearchOfTypes(pairs, context, names => typesOf(names, model, request)).map(within),
  };
}

/** The types that the caller may search. */
function searchableBy({ access }: SearchPlace, types: readonly ResourceType[]): readonly ResourceType[] {
  return types.filter(
    ({ name, interactions }) =>
      interactions.has('search-type') && isAllowed(access, { interaction: 'search-type', resourceType: name }),
  );
}

/** The types in the order of their names: those that are named, else all that the caller may search. */
function typesOf(
  names: readonly string[] | undefined,
  model: Model,
  { access, base, compartment }: SearchPlace,
): readonly ResourceType[] {
  const searchable = [...model.types.values()].filter(
    type =>
      type.interactions.has('search-type') &&
      (compartment === undefined || type.compartmentLinks.has(compartment.type)),
  );
  const askedFor = ({ name }: ResourceType) => ({ interaction: 'search-type', resourceType: name }) as const;
  if (names === undefined) {
    const allowed = searchable.filter(type => isAllowed(access, askedFor(type)));
    if (allowed.length > 0) return allowed;
    throw scopeInsufficient(base, 'The token has no scope to search any of these types.', []);
  }
  for (const name of names) {
    const type = searchable.find(one => one.name === name);
    if (type === undefined) throw notSearchable(name, searchable, compartment);
    requireScope(access, model, askedFor(type), base, 'http._type');
  }
  return searchable.filter(({ name }) => names.includes(name));
}

function notSearchable(
  name: string,
  searchable: readonly ResourceType[],
  compartment: CompartmentOf | undefined,
): Error {
  const hint = didYouMean(
    name,
    searchable.map(type => type.name),
  );
  const where = compartment === undefined ? 'here' : `in the compartment of a ${compartment.type}`;
  return badValue('_type', `\`${name}\` in \`_type\` is no type that can be searched ${where}.${hint}`);
}

const inCompartment = ({ type, query }: SearchRequest, compartment: CompartmentOf, base: string): Query =>
  simplify({ kind: 'and', of: [query, compartmentQuery(type, compartment, base)] });

/** The caller of a search, and how its parameters are parsed. */
interface JoiningSearch {
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

/**
 * The query for the records of a type in a compartment: those that a parameter of the compartment links to it, and its
 * own resource. `base` is that of the partition. https://hl7.org/fhir/R4/compartmentdefinition.html
 */
export function compartmentQuery(type: ResourceType, { type: owner, id }: CompartmentOf, base: string): Query {
  const links = type.compartmentLinks.get(owner) ?? [];
  const of = links.map((param): Query => ({
    kind: 'param',
    param,
    test: { kind: 'reference', type: owner, id, base },
  }));
  const own: readonly Query[] = type.name === owner ? [{ kind: 'id', anyOf: [id] }] : [];
  return simplify({ kind: 'or', of: [...of, ...own] });
}
