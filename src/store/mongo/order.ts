import type { ResourceType, SearchParam } from '../../model/model.ts';
import type { Position, Sort } from '../../search/ast.ts';
import type { ResourceDocument } from './layout.ts';
import { orderField, updatedField } from './names.ts';
import { orderKey, orderValue } from './order-key.ts';

/** A sort key as documents hold it. */
export type Key =
  | { readonly by: 'id'; readonly descending: boolean }
  | {
      readonly by: 'field';
      /** Of `o`. */
      readonly field: string;
      readonly descending: boolean;
      /** The date parameter whose low end it is; undefined for lastUpdated, which nothing lacks. */
      readonly code: string | undefined;
      /** Which low end of several values it is. */
      readonly end: 'only' | 'highest' | 'lowest';
    };

/** What stands in a document, of all that is read of it. */
export type Ordered = Pick<ResourceDocument, '_id' | 'o'>;

export function lowerSort(sort: readonly Sort[], type: ResourceType): readonly Key[] {
  return sort.map(key => lowerKey(key, type));
}

function lowerKey(sort: Sort, type: ResourceType): Key {
  const { descending } = sort;
  switch (sort.by) {
    case 'id':
      return { by: 'id', descending };
    case 'lastUpdated':
      return updatedKey(descending);
    case 'default':
      return type.sortDate === undefined ? updatedKey(descending) : dateKey(type.sortDate, descending);
    case 'param':
      return dateKey(sort.param, descending);
    default:
      return sort satisfies never;
  }
}

function updatedKey(descending: boolean): Key {
  return { by: 'field', field: updatedField, descending, code: undefined, end: 'only' };
}

function dateKey({ code, single }: SearchParam, descending: boolean): Key {
  const lowest = !descending && !single;
  const end = single ? 'only' : lowest ? 'lowest' : 'highest';
  return { by: 'field', field: orderField(code, lowest), descending, code, end };
}

/** The one key that says the order, where one does: each ends in the id, and nothing is behind an id. */
export function soleKey(keys: readonly Key[]): Key | undefined {
  const [first, second] = keys;
  if (first === undefined || keys.length === 1 || first.by === 'id') return first;
  return second?.by === 'id' && second.descending === first.descending ? first : undefined;
}

/** Where a document stands in an order. */
export function positionOf(keys: readonly Key[], { _id, o }: Ordered): Position {
  const id = idOf(_id);
  return { keys: keys.map(key => (key.by === 'id' ? id : orderValue(o[key.field] ?? ''))), id };
}

/** The id in the `_id` of a document. */
export function idOf(_id: string): string {
  return _id.slice(_id.indexOf('/') + 1);
}

/** The order key of a field at a position that one key says. */
export function keyAt({ keys: [value], id }: Position): string {
  return orderKey(typeof value === 'number' ? value : undefined, id);
}

/** The fields that the keys are read from. */
export function fieldsOf(keys: readonly Key[]): Readonly<Record<string, 1>> {
  return Object.fromEntries(keys.flatMap(key => (key.by === 'id' ? [] : [[`o.${key.field}`, 1 as const]])));
}
