import { bucketOf, ownerOf } from './bucket.ts';
import { type Clause, partsOf } from './clause.ts';
import { anyOf } from './filter.ts';
import { isOfAnyType, termsOf } from './names.ts';
import type { Place } from './plan.ts';

/**
 * What a search says of where its resources lie on a sharded cluster: the partition, so that only the servers that hold it are
 * asked, and the buckets of the owners where it names them, which is one server then. None where the cluster is not sharded.
 */
export function shardClauses({ core, type, p }: Place, clause: Clause): readonly Clause[] {
  if (!core.deployment.sharded) return [];
  const owner = ownerOf(type);
  const named = owner && partsOf(clause).find(part => part.kind === 'terms' && part.code === owner.code);
  if (owner === undefined || named?.kind !== 'terms') return [{ kind: 'check', filter: { p } }];
  const owners = named.terms.map(term => term.slice(termsOf(p, owner.code).length));
  if (owners.some(isOfAnyType)) return [{ kind: 'check', filter: { p } }];
  const buckets = new Set(owners.map(one => bucketOf(core, p, one)));
  return [{ kind: 'check', filter: { p, b: anyOf([...buckets]) } }];
}
