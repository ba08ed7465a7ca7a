import type { IndexDescription } from 'mongodb';
import type { ResourceType } from '../../model/model.ts';
import type { StoreDefinitions } from '../port/definitions.ts';
import type { Core, Deployment } from './core.ts';
import { createdField, orderField, updatedField } from './names.ts';

/** The indexes that the two collections of a type need; with `attaches` those by attachments. */
export function indexesOf(
  { options, deployment }: Pick<Core, 'options' | 'deployment'>,
  name: string,
  attaches: boolean,
): readonly (readonly [collection: string, indexes: readonly IndexDescription[]])[] {
  const { model } = options;
  const type = model.types.get(name);
  const ofBoth = [
    ...(attaches ? [attachedIndex] : []),
    ...(type === undefined ? [] : historyIndexes(type, model, deployment)),
  ];
  const ofType = type === undefined ? [] : collectionIndexes(type, deployment);
  return [
    [name, [...ofType, ...ofBoth]],
    [`${name}.history`, ofBoth],
  ];
}

/** The index that finds records and their older versions by their attachments. */
export const attachedIndex: IndexDescription = { key: { p: 1, 'attached.digest': 1 }, name: 'attached' };

/**
 * The indexes of the collection of a type, in addition to that of `_id`: the same few whatever is declared. Each begins
 * with an array, so that each condition on it may drive a scan, followed by the sort key. On a sharded cluster they
 * include the shard key, without which a server reads each document to know whether it owns it.
 */
function collectionIndexes(type: ResourceType, deployment: Deployment): readonly IndexDescription[] {
  const shard = deployment.sharded ? ({ b: 1, p: 1 } as const) : {};
  const ordered = new Set([sortedField(type), updatedField]);
  return [
    { name: termIndex(deployment), key: { t: 1, _id: 1, ...shard } },
    ...[...ordered].map(field => ({
      name: orderIndex(field, deployment),
      key: { t: 1, [`o.${field}`]: 1, ...shard } as const,
    })),
    { name: named('o', deployment), key: { p: 1, 'o.$**': 1, ...(deployment.sharded ? { b: 1 } : {}) } },
    { name: named('s', deployment), key: { s: 1, _id: 1, ...shard } },
    { name: named('d', deployment), key: { 'd.k': 1, 'd.lo': 1, 'd.hi': 1, ...shard } },
    { name: named('n', deployment), key: { 'n.k': 1, 'n.lo': 1, 'n.hi': 1, ...shard } },
  ];
}

/**
 * The index of versions in the order of time, on both collections of a type whose history is declared for all of its
 * records: a single record's history needs none.
 */
function historyIndexes(
  type: ResourceType,
  model: StoreDefinitions['model'],
  deployment: Deployment,
): readonly IndexDescription[] {
  if (!type.interactions.has('history-type') && !model.systemInteractions.has('history-system')) return [];
  return [{ name: named('h', deployment), key: { p: 1, updated: 1, _id: 1, ...(deployment.sharded ? { b: 1 } : {}) } }];
}

/** The ordered field of the type's own order: its date, or the time of creation. */
export function sortedField({ sortDate }: ResourceType): string {
  return sortDate === undefined ? createdField : orderField(sortDate.code);
}

/** The name of the index of terms in the order of ids. */
export function termIndex(deployment: Deployment): string {
  return named('t', deployment);
}

/** The name of the index of terms in the order of a field: other definitions need another index. */
export function orderIndex(field: string, deployment: Deployment): string {
  return named(`t_${field}`, deployment);
}

function named(name: string, { sharded }: Deployment): string {
  return sharded ? `${name}_shard` : name;
}
