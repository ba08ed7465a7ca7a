import type { ElementDefinition } from '../../model/element.ts';
import type { ResourceType, SearchParam } from '../../model/model.ts';
import type { QueryPair } from '../../search/request.ts';
import { sortKindOf } from '../../search/sort-value.ts';

/** A column of results: an element of the type, or the time of the last change. */
export interface Column {
  /** The name of the element; `_lastUpdated` for the time. */
  readonly name: string;
  readonly element: ElementDefinition | undefined;
  /** The code by which `_sort` orders by the column; undefined if it cannot. */
  readonly sort: string | undefined;
}

/** Most columns that are shown unless the visitor chooses more. */
const most = 6;

/** The column of the last change. */
export const changed = '_lastUpdated';

/**
 * All columns that the results of a type can have: its elements that people read, those of its summary first, and the
 * time of the last change.
 */
export function columnsOf(type: ResourceType): readonly Column[] {
  const found = columns.get(type) ?? allColumns(type);
  columns.set(type, found);
  return found;
}

const columns = new WeakMap<ResourceType, readonly Column[]>();

function allColumns(type: ResourceType): readonly Column[] {
  const elements = [...type.definition.elements.values()].filter(({ name }) => !hidden.has(name));
  const ordered = elements.toSorted((a, b) => Number(b.summary) - Number(a.summary));
  return [
    ...ordered.map(element => ({ name: element.name, element, sort: sortOf(type, element.name) })),
    { name: changed, element: undefined, sort: changed },
  ];
}

/** Elements about the record itself, and texts too long for a cell. */
const hidden: ReadonlySet<string> = new Set(
  ['id', 'meta', 'implicitRules', 'language', 'text', 'contained'].concat(['extension', 'modifierExtension']),
);

/**
 * The shown columns: those that the visitor chose, else those of the search parameters in the query, and of the summary
 * that a search parameter uses, since people search by what they know.
 */
export function shownColumns(
  type: ResourceType,
  query: readonly QueryPair[],
  chosen: readonly string[],
): readonly Column[] {
  const all = columnsOf(type);
  const known = all.filter(({ name }) => chosen.includes(name));
  if (known.length > 0) return known;
  const used = new Set(query.flatMap(([name]) => elementOf(type, name.split(/[:.]/)[0] ?? '') ?? []));
  const searched = new Set([...type.parameters.values()].flatMap(param => elementsOf(type, param)));
  const weight = ({ name, element }: Column): number =>
    (used.has(name) ? 8 : 0) +
    (searched.has(name) ? 4 : 0) +
    (element?.summary === true ? 2 : 0) +
    ((element?.min ?? 0) > 0 || element?.choice === true ? 1 : 0);
  const best = all
    .filter(({ name }) => name !== changed)
    .toSorted((a, b) => weight(b) - weight(a))
    .slice(0, most);
  return all.filter(column => best.includes(column));
}

/** The sort parameter that is nearest to an element: of its own value, not of a part of it. */
function sortOf(type: ResourceType, element: string): string | undefined {
  const fitting = [...type.parameters.values()].filter(
    param => sortKindOf(param) !== undefined && elementsOf(type, param).includes(element),
  );
  const isOwn = ({ expression }: SearchParam): boolean => expression === `${type.name}.${element}`;
  return (fitting.find(isOwn) ?? fitting[0])?.code;
}

const elementOf = (type: ResourceType, code: string): string | undefined => {
  const param = type.parameters.get(code);
  return param === undefined ? undefined : elementsOf(type, param)[0];
};

/** The elements of the type that the expression of a parameter begins with. */
const elementsOf = ({ name }: ResourceType, { expression }: SearchParam): readonly string[] =>
  [...expression.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))].map(([, element = '']) => element);
