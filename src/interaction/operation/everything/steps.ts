import { isAllowed, requireScope } from '../../../auth/may.ts';
import { restrict } from '../../../auth/restrict.ts';
import type { ResourceType, SearchParam } from '../../../model/model.ts';
import type { Query } from '../../../search/ast.ts';
import { parseSearch } from '../../../search/parse/search.ts';
import { simplify } from '../../../search/simplify.ts';
import { withIndexed } from '../../../search/with-indexed.ts';
import type { Engine, FhirRequest } from '../../interaction.ts';
import { compartmentQuery } from '../../search/searched.ts';
import type { EverythingRequest } from './request.ts';

/** The records of one type that belong to a compartment, among those that the caller may see. */
export interface Step {
  readonly type: ResourceType;
  readonly query: Query;
  /** The type of the compartment. */
  readonly owner: ResourceType;
  /** The parameters that must name a record of that type, if the query covers other records too. */
  readonly links: readonly SearchParam[];
}

/** The compartment of a record; without an id those of all records of the type. */
export interface Compartments {
  readonly type: ResourceType;
  readonly id: string | undefined;
}

/**
 * The types that are read, that of the compartment first. Those in `_type` if all of them are in the compartment;
 * otherwise every type, since the others are found by reference. Types that the caller may not search are left out, but
 * 403 for one that `_type` names.
 */
export function stepsOf(
  engine: Engine,
  { of, access, base, zone }: Pick<FhirRequest, 'access' | 'base'> & { readonly of: Compartments; zone: string },
  request: EverythingRequest,
): readonly Step[] {
  const { model } = engine;
  const { names } = request;
  const askedFor = (type: ResourceType) => ({ interaction: 'search-type', resourceType: type.name }) as const;
  const members = [...model.types.values()].filter(({ compartmentLinks }) => compartmentLinks.has(of.type.name));
  const isMember = (name: string): boolean => members.some(type => type.name === name);
  for (const name of names ?? []) {
    const asked = isMember(name) ? 'search-type' : 'read';
    if (name !== of.type.name) requireScope(access, model, { interaction: asked, resourceType: name }, base);
  }
  const isOnlyMembers = names !== undefined && [...names].every(isMember);
  const others = members.filter(type => type !== of.type && isAllowed(access, askedFor(type)));
  const context = { model, base, zone, handling: 'strict', now: request.at } as const;
  return [of.type, ...others]
    .filter(({ name }) => !isOnlyMembers || names.has(name))
    .map(type => {
      const about: Query = { kind: 'and', of: [sinceQuery(request), careQuery(type, request, context)] };
      if (of.id !== undefined) {
        const linked = compartmentQuery(type, { type: of.type.name, id: of.id }, base);
        // The record itself is read, whether the caller may search the type or not.
        const own: readonly Query[] = type === of.type ? [{ kind: 'id', anyOf: [of.id] }] : [];
        const query: Query = { kind: 'or', of: [...own, restrict(access, type, 's', linked)] };
        return { type, query: simplify({ kind: 'and', of: [query, about] }), owner: of.type, links: [] };
      }
      const links = type === of.type ? [] : (type.compartmentLinks.get(of.type.name) ?? []);
      const linked = links.map((param): Query => ({ kind: 'present', param }));
      const any: Query = links.length === 0 ? { kind: 'all' } : { kind: 'or', of: linked };
      return {
        type,
        query: restrict(access, type, 's', simplify({ kind: 'and', of: [any, about] })),
        owner: of.type,
        links,
      };
    });
}

const sinceQuery = ({ since }: EverythingRequest): Query =>
  since === undefined ? { kind: 'all' } : { kind: 'lastUpdated', bounds: [{ end: 'low', is: '>=', value: since }] };

/**
 * The records whose date of care is within `start` and `end`: that of `sort-date`, else of the parameter `date`. Those
 * without a date are not excluded.
 */
function careQuery(
  type: ResourceType,
  { start, end }: EverythingRequest,
  context: Parameters<typeof parseSearch>[2],
): Query {
  const date = type.sortDate ?? type.parameters.get('date');
  if (date?.type !== 'date' || (start === undefined && end === undefined)) return { kind: 'all' };
  const bounds = [
    ...(start === undefined ? [] : [[date.code, `ge${start}`] as const]),
    ...(end === undefined ? [] : [[date.code, `le${end}`] as const]),
  ];
  const { query } = parseSearch(withIndexed(type), bounds, context);
  // A date without an instant, such as an empty Period, is present, but no bound can exclude it.
  const hasInstant: Query = { kind: 'param', param: date, test: { kind: 'range', bounds: [] } };
  return { kind: 'or', of: [query, { kind: 'not', of: hasInstant }] };
}
