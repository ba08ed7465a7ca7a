import type { ResourceType, SearchParam } from '../../model/model.ts';
import { sortVersion } from '../keys/order-key.ts';
import { createdOrder } from '../port/indexes.ts';
import { digestWithVersion, indexDigest } from '../upkeep/definitions.ts';

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

/** The definitions that determine index entries. */
export const definitionsDigest = digestWithVersion(indexVersion, createdVersion);

/** The digest of the definitions of a process without any: it writes no records. */
export const noDefinitions = definitionsDigest({ digest: '' });

/** The beginning of the digests of indexes whose parameters are records of their partition. */
const storedMark = '+';

/** Whether an index belongs to a parameter that is a record of the partition, by its digest. */
export const isOfStored = (by: string): boolean => by.startsWith(storedMark);

/** The indexes of a type in a partition of this zone, for comparison with `parameters`. */
export function wantedIndexes(type: ResourceType, zone: string): readonly WantedIndex[] {
  const mark = ({ stored }: Pick<SearchParam, 'stored'>): string => (stored === true ? storedMark : '');
  const params = [...type.indexed.values()].map(param => {
    const { code, digest: by, single } = param;
    const sorts = type.sortIndexes.has(code) ? [sortVersion] : [];
    return { code, digest: `${mark(param)}${indexDigest([indexVersion, zone, by, single, ...sorts])}` };
  });
  const pairs = type.pairs.map(({ code, owner, token }) => ({
    code,
    digest: `${mark(token)}${indexDigest([indexVersion, zone, owner.digest, token.digest])}`,
  }));
  // Documents of a type with a sort date have no time of creation.
  const created = type.sortDate === undefined ? [{ code: createdOrder, digest: indexDigest([createdVersion]) }] : [];
  return [...params, ...pairs, ...created];
}

/** The value of `made` in a document whose entries follow the definitions of the type, in a partition of this zone. */
export function madeBy(type: ResourceType, zone: string): string {
  const known = made.get(type)?.get(zone);
  if (known !== undefined) return known;
  const fresh = indexDigest(wantedIndexes(type, zone).map(index => [index.code, index.digest]));
  made.set(type, new Map([...(made.get(type) ?? []), [zone, fresh]]));
  return fresh;
}

/** The values are kept by type and zone: each written document needs one. */
const made = new WeakMap<ResourceType, ReadonlyMap<string, string>>();
