import { createHash } from 'node:crypto';
import type { ResourceType } from '../../model/model.ts';
import { sortVersion } from '../keys/order-key.ts';
import { createdOrder } from '../port/indexes.ts';
import type { StoreDefinitions } from '../port/store.ts';

/**
 * To be raised whenever entries of the same definitions are stored differently (entries.ts): every document is then
 * rebuilt.
 */
const indexVersion = 2;

/** It is raised when the time of creation changes, in documents of types without a sort date. */
const createdVersion = 1;

/**
 * One index of a type, a parameter, a pair as `owner+token` or the default order (`createdOrder`), with a digest of
 * everything that determines its entries.
 */
export interface WantedIndex {
  readonly code: string;
  readonly digest: string;
}

/** The definitions that determine index entries: all processes that write one store must agree on them. */
export function definitionsDigest(model: StoreDefinitions['model']): string {
  return `${indexVersion}.${createdVersion}:${model.digest}`;
}

/** Without definitions a process writes no records. */
export const noDefinitions = `${indexVersion}.${createdVersion}:`;

/** The digest of the model in what `definitionsDigest` returns. */
export const modelDigest = (registered: string): string => registered.slice(registered.indexOf(':') + 1);

/** The indexes of a type in a partition of this zone, for comparison with `parameters`. */
export function wantedIndexes(type: ResourceType, zone: string): readonly WantedIndex[] {
  const params = [...type.indexed.values()].map(({ code, digest: by, single }) => {
    const sorts = type.sortIndexes.has(code) ? [sortVersion] : [];
    return { code, digest: digest([indexVersion, zone, by, single, ...sorts]) };
  });
  const pairs = type.pairs.map(({ code, owner, token }) => ({
    code,
    digest: digest([indexVersion, zone, owner.digest, token.digest]),
  }));
  // Documents of a type with a sort date have no time of creation.
  const created = type.sortDate === undefined ? [{ code: createdOrder, digest: digest([createdVersion]) }] : [];
  return [...params, ...pairs, ...created];
}

/** The value of `made` in a document whose entries follow the definitions of the type, in a partition of this zone. */
export function madeBy(type: ResourceType, zone: string): string {
  const known = made.get(type)?.get(zone);
  if (known !== undefined) return known;
  const fresh = digest(wantedIndexes(type, zone).map(index => [index.code, index.digest]));
  made.set(type, new Map([...(made.get(type) ?? []), [zone, fresh]]));
  return fresh;
}

/** The values are kept by type and zone: each written document needs one. */
const made = new WeakMap<ResourceType, ReadonlyMap<string, string>>();

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
