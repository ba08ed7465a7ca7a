import { isAllowed, requireScope } from '../../auth/may.ts';
import { scopeInsufficient } from '../../auth/refusals.ts';
import { badValue } from '../../fhir/error.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import type { Model, ResourceType } from '../../model/model.ts';
import { operationOf } from '../../model/operation-call.ts';
import type { Query } from '../../search/ast.ts';
import type { Searched } from '../../search/parse/page.ts';
import { containerRequests } from '../../search/parse/contained.ts';
import { parseSearch } from '../../search/parse/search.ts';
import { parseSearchOfTypes } from '../../search/parse/several.ts';
import type { SearchRequest } from '../../search/request.ts';
import { simplify } from '../../search/simplify.ts';
import { declaredType } from '../declared.ts';
import type { CompartmentOf, FhirRequest } from '../interaction.ts';
import { compartmentQuery } from './compartment.ts';

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
