import type { Position, Sort } from '../../search/ast.ts';
import type { SortKind } from '../../search/sort-value.ts';
import { orderKey, orderTextIn, orderValue, sortText, sortTextValue, textOrderKey } from '../keys/order-key.ts';
import type * as plan from '../plan/sort.ts';
import { type End, lowerSort as lowerKeys } from '../plan/sort.ts';
import { IndexPending } from '../port/errors.ts';
import { createdOrder } from '../port/indexes.ts';
import type { ResourceDocument } from './layout.ts';
import type { Index, MongoIndexes } from './lower.ts';
import { createdField, orderField, updatedField } from './names.ts';

/** A sort key in documents. */
export type Key =
  | { readonly by: 'id'; readonly descending: boolean }
  | {
      readonly by: 'field';
      /** A field of `o`. */
      readonly field: string;
      readonly descending: boolean;
      /** The parameter whose value it is, of a date the low end; undefined for an instant, which is never missing. */
      readonly index: Index | undefined;
      readonly end: End;
      /** The kind of the values of a sort index: texts in the order keys; undefined for times. */
      readonly kind?: SortKind;
    };

/** The sort fields of a document. */
export type Ordered = Pick<ResourceDocument, '_id' | 'o'>;

/** Resolves sort keys. Throws `IndexPending` if an index that they need is not complete. */
export function lowerSort(sort: readonly Sort[], indexes: MongoIndexes): readonly Key[] {
  const { type, hasCreated } = indexes;
  const keys = lowerKeys(sort, indexes);
  if (!hasCreated && keys.some(({ by }) => by === 'created')) throw new IndexPending(type.name, createdOrder);
  return keys.map(fieldKey);
}

function fieldKey(key: plan.SortKey<Index>): Key {
  const { descending } = key;
  switch (key.by) {
    case 'id':
      return { by: 'id', descending };
    case 'updated':
      return { by: 'field', field: updatedField, descending, index: undefined, end: 'only' };
    case 'created':
      return { by: 'field', field: createdField, descending, index: undefined, end: 'only' };
    case 'date': {
      const { index, end } = key;
      return { by: 'field', field: orderField(index.code, end === 'lowest'), descending, index, end };
    }
    case 'value': {
      const { index, end, kind } = key;
      return { by: 'field', field: orderField(index.code, end === 'lowest'), descending, index, end, kind };
    }
    default:
      return key satisfies never;
  }
}

/** The one key that determines the order, if there is one: each ends in the id, and no key after an id matters. */
export function soleKey(keys: readonly Key[]): Key | undefined {
  const [first, second] = keys;
  if (first === undefined || keys.length === 1 || first.by === 'id') return first;
  return second?.by === 'id' && second.descending === first.descending ? first : undefined;
}

/** The position of a document in an order. */
export function positionOf(keys: readonly Key[], { _id, o }: Ordered): Position {
  const id = idOf(_id);
  return { keys: keys.map(key => (key.by === 'id' ? id : valueIn(o[key.field], key))), id };
}

/** The sort value in an order key; null if it is missing. */
function valueIn(key: string | undefined, { kind }: { readonly kind?: SortKind }): number | string | null {
  if (key === undefined) return null;
  if (kind === undefined) return orderValue(key);
  const text = orderTextIn(key);
  return text === '' ? null : sortTextValue(text, kind);
}

/** The id in the `_id` of a document. */
export function idOf(_id: string): string {
  return _id.slice(_id.indexOf('/') + 1);
}

/** The order key of a field at a position of one key. */
export function keyAt({ kind }: { readonly kind?: SortKind }, { keys: [value = null], id }: Position): string {
  if (kind === undefined) return orderKey(typeof value === 'number' ? value : undefined, id);
  return textOrderKey(value === null ? undefined : sortText(value), id);
}

/** The fields of the keys. */
export function fieldsOf(keys: readonly Key[]): Readonly<Record<string, 1>> {
  return Object.fromEntries(keys.flatMap(key => (key.by === 'id' ? [] : [[`o.${key.field}`, 1 as const]])));
}
