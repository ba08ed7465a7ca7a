import { createHash } from 'node:crypto';
import type { Model, ResourceType } from '../../model/model.ts';
import { atRoot } from '../at-root.ts';

/** Raise it whenever entries of the same definitions are kept differently (entries.ts): every document is then made again. */
const indexVersion = 1;

/** One index that a type needs, a parameter or a pair as `owner+token`, with a digest (at-root.ts) of all that decides its entries. */
export interface WantedIndex {
  readonly code: string;
  readonly digest: string;
  /** Of a pair: the code of its owner. */
  readonly owner?: string;
}

/** What decides how resources are indexed: all processes that write one store must agree on it. */
export function definitionsDigest(model: Model): string {
  return atRoot(`${indexVersion}:${model.digest}`, model.root);
}

/** The indexes of a type in a partition of this zone: what `parameters` says of each of them. */
export function wantedIndexes(type: ResourceType, zone: string): readonly WantedIndex[] {
  const params = [...type.indexed.values()].map(({ code, digest: by, root, single }) => ({
    code,
    digest: atRoot(digest([indexVersion, zone, by, single]), root),
  }));
  const pairs = type.pairs.map(({ code, owner, token }) => ({
    code,
    digest: atRoot(digest([indexVersion, zone, owner.digest, token.digest]), owner.root),
    owner: owner.code,
  }));
  return [...params, ...pairs];
}

/** What `made` says in a document whose entries follow the definitions of the type, in a partition of this zone. */
export function madeBy(type: ResourceType, zone: string): string {
  const known = made.get(type)?.get(zone);
  if (known !== undefined) return known;
  const fresh = digest(wantedIndexes(type, zone).map(index => [index.code, index.digest]));
  made.set(type, new Map([...(made.get(type) ?? []), [zone, fresh]]));
  return fresh;
}

/** By type and zone: asked for each document that is written. */
const made = new WeakMap<ResourceType, ReadonlyMap<string, string>>();

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
