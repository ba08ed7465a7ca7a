import { createHmac } from 'node:crypto';
import type { IndexEntry } from '../../indexing/entry.ts';
import type { ResourceType, SearchParam } from '../../model/model.ts';
import { referenceTerms, relativeTerm } from '../keys/terms.ts';
import type { Core } from './core.ts';

/**
 * The parameter whose value decides the shard of a type's resources, so that those of one owner are together. Undefined
 * if the type has no owners, or a resource may have several: its id then decides.
 */
export function ownerOf(type: ResourceType): SearchParam | undefined {
  const owner = type.pairs[0]?.owner;
  return owner?.single === true ? owner : undefined;
}

/**
 * Four hex digits derived from an owner, as a term of terms.ts, the same for relative and absolute references to it:
 * they do not reveal the owner.
 */
export function bucketOf({ bucketKey }: Pick<Core, 'bucketKey'>, p: string, owner: string): string {
  return createHmac('sha256', bucketKey)
    .update(`${p}|${relativeTerm(owner)}`)
    .digest('hex')
    .slice(0, 4);
}

/** The bucket of a resource: that of its owner, or of its own id if it has none; empty if the type has no owners. */
export function bucketFor(
  core: Pick<Core, 'bucketKey'>,
  type: ResourceType,
  p: string,
  id: string,
  entries: readonly IndexEntry[],
): string {
  const param = ownerOf(type);
  if (param === undefined) return '';
  const value = entries.find(entry => entry.param === param.code)?.value;
  const [term] = value?.kind === 'reference' ? referenceTerms(value) : [];
  return bucketOf(core, p, term ?? `${type.name}/${id}`);
}
