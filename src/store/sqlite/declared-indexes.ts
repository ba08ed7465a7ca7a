import type { Pair, ResourceType, SearchParam } from '../../model/model.ts';
import { sortVersion } from '../keys/order-key.ts';
import { type End, sortEnds } from '../plan/sort.ts';
import type { StoreDefinitions } from '../port/definitions.ts';
import { digestWithVersion, indexDigest } from '../upkeep/definitions.ts';

/** To be raised whenever entries of the same definitions are stored differently: every index is then rebuilt. */
const indexVersion = 1;

/** It is raised when `ord` of types without a sort date changes: all indexes of these types are then rebuilt. */
const createdVersion = 1;

/** The index that determines `ord`. */
export const orderCode = '_order';

/** One index of a type: its code, and a digest of everything that determines its rows. */
export interface WantedIndex {
  readonly code: string;
  readonly digest: string;
  /** It is an index of words, which needs a table of its own. */
  readonly words?: true;
}

export interface WantedType {
  readonly type: string;
  readonly indexes: readonly WantedIndex[];
}

/** The types of a partition, which is identified by its number. */
export interface WantedPartition {
  readonly n: number;
  readonly types: readonly WantedType[];
}

type StoreModel = StoreDefinitions['model'];

/** The definitions that determine index entries. */
export const definitionsDigest = digestWithVersion(indexVersion, createdVersion);

/** Whether any type of a model has an index of words. */
export function hasFullText({ types }: StoreModel): boolean {
  return types.values().some(({ indexed }) => indexed.values().some(({ reads }) => reads === 'words'));
}

/** The indexes of all types of a model, in a partition of this zone. */
export function wantedIndexes(model: StoreModel, zone: string): readonly WantedType[] {
  return [...model.types.values()].map(type => ({ type: type.name, indexes: wantedOfType(type, zone) }));
}

/** The beginning of the digests of indexes whose parameters are records of their partition. */
const storedMark = '+';

/** Whether an index belongs to a parameter that is a record of the partition, by its digest. */
export const isOfStored = (digest: string): boolean => digest.startsWith(storedMark);

/** The indexes of parameters that are records of a partition, in all types of its model. */
export const wantedOfStored = (model: StoreModel, zone: string): readonly WantedType[] =>
  wantedIndexes(model, zone).map(({ type, indexes }) => ({
    type,
    indexes: indexes.filter(({ digest: by }) => isOfStored(by)),
  }));

function wantedOfType(type: ResourceType, zone: string): readonly WantedIndex[] {
  const known = wantedByType.get(type)?.get(zone);
  if (known !== undefined) return known;
  const wanted = makeWanted(type, zone);
  wantedByType.set(type, new Map([...(wantedByType.get(type) ?? []), [zone, wanted]]));
  return wanted;
}

/** Kept, since each change of a partition needs them. */
const wantedByType = new WeakMap<ResourceType, ReadonlyMap<string, readonly WantedIndex[]>>();

function makeWanted(type: ResourceType, zone: string): readonly WantedIndex[] {
  // ord is in every row: a change of it changes all indexes of the type.
  const { sortDate } = type;
  const order = [indexVersion, zone, ...(sortDate ? [sortDate.code, sortDate.digest] : ['created', createdVersion])];
  const wanted: WantedIndex[] = [{ code: orderCode, digest: indexDigest([...order]) }];
  const add = ({ stored }: Pick<SearchParam, 'stored'>, code: string, ...by: readonly unknown[]): void => {
    wanted.push({ code, digest: `${stored === true ? storedMark : ''}${indexDigest([...order, ...by])}` });
  };
  for (const param of type.indexed.values()) {
    const sorts = sortsOf(type, param);
    if (param.reads === 'words')
      wanted.push({ code: param.code, digest: indexDigest([...order, param.digest]), words: true });
    else add(param, param.code, param.digest, sorts.highest, sorts.lowest);
    for (const [at] of param.components.entries()) add(param, componentCode(param.code, at), param.digest);
    for (const end of sortEndsOf(type, param)) add(param, sortCode(param.code, end), sortVersion, end, param.digest);
  }
  for (const pair of type.pairs) {
    add(pair.token, pairCode(pair), pair.owner.digest, pair.token.digest);
  }
  return wanted;
}

export function componentCode(code: string, at: number): string {
  return `${code}$${at}`;
}

/** The code of a sort index: `status$lowest`. */
export function sortCode(code: string, end: End): string {
  return `${code}$${end}`;
}

/** The sort indexes of a parameter; dates have theirs in `sorts`. */
export function sortEndsOf({ sortIndexes }: ResourceType, param: SearchParam): readonly End[] {
  return sortIndexes.has(param.code) && param.type !== 'date' ? sortEnds(param) : [];
}

export function pairCode(pair: Pair): string {
  return `${pair.owner.code}+${pair.token.code}`;
}

/**
 * The sort keys of a parameter that are stored besides `ord`: its highest low end, and the lowest if that is another.
 */
export function sortsOf(
  type: ResourceType,
  param: SearchParam,
): { readonly highest: boolean; readonly lowest: boolean } {
  const isSortDate = type.sortDate?.code === param.code;
  const sorted = param.type === 'date' && (isSortDate || type.parameters.has(param.code));
  return { highest: sorted && !isSortDate, lowest: sorted && !param.single };
}
