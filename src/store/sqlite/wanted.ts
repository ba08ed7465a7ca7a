import { createHash } from 'node:crypto';
import type { Model, Pair, ResourceType, SearchParam } from '../../model/model.ts';

/** Raise it whenever entries of the same definitions are kept differently: every index is then rebuilt. */
const indexVersion = 1;

/** The index that says what `ord` is. */
export const orderCode = '_order';

/** One index that a type needs: what it is called, and a digest of all that decides its rows. */
export interface WantedIndex {
  readonly code: string;
  readonly digest: string;
}

export interface WantedType {
  readonly type: string;
  readonly indexes: readonly WantedIndex[];
}

/** The types of a partition, which is told by its number. */
export interface WantedPartition {
  readonly n: number;
  readonly types: readonly WantedType[];
}

/** What decides how resources are indexed: two processes that write one file must agree on it. */
export function definitionsDigest(model: Model): string {
  return `${indexVersion}:${model.digest}`;
}

/** The indexes of all types of a model, in a partition of this zone. */
export function wantedIndexes(model: Model, zone: string): readonly WantedType[] {
  return [...model.types.values()].map(type => ({ type: type.name, indexes: wantedOfType(type, zone) }));
}

function wantedOfType(type: ResourceType, zone: string): readonly WantedIndex[] {
  // ord stands in every row: whatever decides it decides all indexes of the type.
  const order = [indexVersion, zone, type.sortDate?.code, type.sortDate?.digest];
  const wanted: WantedIndex[] = [{ code: orderCode, digest: digest([...order]) }];
  const add = (code: string, ...by: readonly unknown[]): void => {
    wanted.push({ code, digest: digest([...order, ...by]) });
  };
  for (const param of type.indexed.values()) {
    const sorts = sortsOf(type, param);
    add(param.code, param.digest, sorts.highest, sorts.lowest);
    for (const [at] of param.components.entries()) add(componentCode(param.code, at), param.digest);
  }
  for (const pair of type.pairs) {
    add(pairCode(pair), pair.owner.digest, pair.token.digest);
  }
  return wanted;
}

export function componentCode(code: string, at: number): string {
  return `${code}$${at}`;
}

export function pairCode(pair: Pair): string {
  return `${pair.owner.code}+${pair.token.code}`;
}

/** Which sort keys of a parameter are kept beside `ord`: its highest low end, and the lowest where that is another. */
export function sortsOf(
  type: ResourceType,
  param: SearchParam,
): { readonly highest: boolean; readonly lowest: boolean } {
  const isSortDate = type.sortDate?.code === param.code;
  const sorted = param.type === 'date' && (isSortDate || type.parameters.has(param.code));
  return { highest: sorted && !isSortDate, lowest: sorted && !param.single };
}

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
