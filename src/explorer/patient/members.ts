import { defaultLinkCodes } from '../../model/access-rules.ts';
import type { Model, ResourceType, SearchParam } from '../../model/model.ts';

/** A type whose records belong to a compartment, and how they are searched. */
export interface Member {
  readonly type: ResourceType;
  /** Code of the reference parameter that leads to the compartment. */
  readonly by: string;
  /** The parameter with the date of a record; undefined for a type without one. */
  readonly date: SearchParam | undefined;
  /** The value of `_sort` for the newest first; undefined where that is the default order. */
  readonly sort: string | undefined;
}

/**
 * The types of a compartment that can be searched, in the order of the definitions. A type belongs to it by its
 * `access-link`, else by the CompartmentDefinition; the parameters for the subject of a record come first.
 * https://hl7.org/fhir/R4/compartmentdefinition.html
 */
export function membersOf({ types, compartments }: Model, compartment: string): readonly Member[] {
  const declared = compartments.get(compartment)?.parameters;
  return [...types.values()].flatMap(type => {
    const { name, interactions, accessLinks, parameters } = type;
    if (name === compartment || !interactions.has('search-type')) return [];
    const links = accessLinks.filter(link => link.compartment === compartment).map(({ parameter }) => parameter);
    const others = declared?.get(name) ?? [];
    const subjects = others.filter(code => defaultLinkCodes.some(one => one === code));
    const by = [...links, ...subjects, ...others].find(code => parameters.get(code)?.type === 'reference');
    const date = dateOf(type);
    const sort = date === undefined || date === type.sortDate ? undefined : `-${date.code}`;
    return by === undefined ? [] : [{ type, by, date, sort }];
  });
}

/** The date of the default order, else the parameter `date`, else the first date of the record's content. */
function dateOf({ sortDate, parameters }: ResourceType): SearchParam | undefined {
  const dates = [...parameters.values()].filter(({ type, code }) => type === 'date' && !code.startsWith('_'));
  return sortDate ?? dates.find(({ code }) => code === 'date') ?? dates[0];
}
