import type { Filter } from 'mongodb';
import type { ResourceType } from '../../model/model.ts';
import type { Query } from '../../search/ast.ts';
import { isOfAnyType } from '../keys/terms.ts';
import { isNone, partsOf } from '../plan/clause.ts';
import { lower } from '../plan/lower.ts';
import { usePairs } from '../plan/simplify.ts';
import { countUses } from '../server/index-usage.ts';
import { bucketOf, ownerOf } from './bucket.ts';
import { orderIndex, sortedField, termIndex } from './collection-indexes.ts';
import { anyOf } from './conditions.ts';
import type { Core } from './core.ts';
import { allOf, conditionOf } from './filter.ts';
import type { ResourceDocument } from './layout.ts';
import { type Clause, type Index, indexesOf, type MongoIndexes } from './lower.ts';
import { everyTerm, updatedField } from './names.ts';
import type { Key } from './order.ts';
import type { Trace } from './trace.ts';

/** A filter, with the index that the server must use if there is no doubt; else it tries the existing ones. */
export interface Plan {
  readonly filter: Filter<ResourceDocument>;
  readonly hint: string | undefined;
  /** The condition of all documents of the order, if the server would sort the matches of too many terms. */
  readonly order?: Filter<ResourceDocument> | undefined;
}

/**
 * Values whose ranges the server merges in the order of an index; it sorts the keys of more.
 * https://www.mongodb.com/docs/v7.0/reference/parameters/ (`internalQueryMaxScansToExplode`)
 */
const mostMerged = 200;

/** The context of a plan. */
export interface Place {
  readonly core: Core;
  readonly type: ResourceType;
  /** The key of the partition. */
  readonly p: string;
  /** Records the commands, for an explanation. */
  readonly trace?: Trace | undefined;
}

/** A query resolved to the fields of documents: all of it must match. */
export interface ResolvedQuery {
  readonly clauses: readonly Clause[];
  /** The conditions that select shards. */
  readonly shards: readonly Filter<ResourceDocument>[];
}

/**
 * A plan for the order of a key, whose bounds `at` the filter gets, with a term beside the clauses. If all other
 * conditions are terms: a range of the index that has terms in this order; the server finds out which of several terms
 * is the rarest. Strings, quantities and other dates have their own indexes, which find few matches sooner than a walk
 * in order does, and many later: the server tries both.
 */
export function orderedPlan(place: Place, asked: ResolvedQuery, key: Key, at: object, term?: string): Plan {
  const { core, type, p } = place;
  const bounds = Object.keys(at).length === 0 ? [] : [key.by === 'id' ? { _id: at } : { [`o.${key.field}`]: at }];
  const parts = partsIn(asked, p, key);
  const conditions = [...parts.conditions, ...asked.shards, ...(term === undefined ? [] : [{ t: term }])];
  if (key.by === 'field' && key.field !== sortedField(type) && key.field !== updatedField)
    return planned([...conditions, { p }, ...bounds], undefined);
  if (parts.hasIds) return planned([...conditions, ...bounds], '_id_');
  const index = key.by === 'id' ? termIndex(core.deployment) : orderIndex(key.field, core.deployment);
  const first = parts.hasTerm || term !== undefined ? [] : [{ t: everyTerm(p) }];
  const plan = planned([...first, ...conditions, ...bounds], parts.isNarrowed ? undefined : index);
  const isSorted = parts.isOfMany && term === undefined && !parts.isNarrowed && !core.deployment.sharded;
  return isSorted ? { ...plan, order: allOf([{ t: everyTerm(p) }, ...bounds]) } : plan;
}

/** A plan for any order: for counts, and for results that are sorted afterwards. */
export function unorderedPlan({ core: { deployment }, p }: Place, asked: ResolvedQuery): Plan {
  const parts = partsIn(asked, p, byUpdated);
  const conditions = [...parts.conditions, ...asked.shards];
  if (parts.hasIds) return planned(conditions, '_id_');
  if (parts.isNarrowed) return planned([...conditions, { p }], undefined);
  const hasUpdated = asked.clauses.some(({ kind }) => kind === 'updated');
  const first = parts.hasTerm ? [] : [{ t: everyTerm(p) }];
  return planned([...first, ...conditions], hasUpdated ? orderIndex(updatedField, deployment) : termIndex(deployment));
}

const byUpdated: Key = { by: 'field', field: updatedField, descending: false, index: undefined, end: 'only' };

interface Parts {
  readonly conditions: readonly Filter<ResourceDocument>[];
  readonly hasIds: boolean;
  /** All matches have one of some terms; else the term of the partition, which all documents have, drives a walk. */
  readonly hasTerm: boolean;
  /** Each condition of terms has more of them than the server merges. */
  readonly isOfMany: boolean;
  /** Another index than those of terms and of the order may find few matches. */
  readonly isNarrowed: boolean;
}

function partsIn({ clauses }: ResolvedQuery, p: string, key: Key): Parts {
  const parts = clauses.map(clause => ({ clause, ...conditionOf(clause, p) }));
  const byTerm = parts.filter(({ by }) => by === 'term');
  return {
    conditions: parts.flatMap(({ filters }) => filters),
    hasIds: clauses.some(({ kind }) => kind === 'ids'),
    hasTerm: byTerm.length > 0,
    isOfMany: byTerm.length > 0 && byTerm.every(({ terms = [] }) => terms.length > mostMerged),
    isNarrowed: parts.some(({ clause, by }) => by === 'value' && !isAlong(clause, key)),
  };
}

function planned(conditions: readonly Filter<ResourceDocument>[], hint: string | undefined): Plan {
  return { filter: allOf(conditions), hint };
}

/** Whether a clause is a part of the order itself (walk.ts): not the upper bound of a date with several values. */
function isAlong(clause: Clause, key: Key): boolean {
  if (key.by === 'id' || key.kind !== undefined) return false;
  if (key.index === undefined) return clause.kind === 'updated' && key.field === updatedField;
  if (clause.kind !== 'range' || clause.index !== key.index) return false;
  return key.end === 'only' || (clause.low.max === Infinity && clause.high.max === Infinity);
}

/** The indexes of a type, from the registry. */
export async function readIndexes({ core, type, p }: Place): Promise<MongoIndexes> {
  return indexesOf(type, p, await core.registry.ready(p, type));
}

/**
 * Resolves a query, and counts its indexes; undefined if nothing can match. Throws `IndexPending` if an index that it
 * needs is not complete.
 */
export function resolveQuery(place: Place, query: Query, indexes: MongoIndexes): ResolvedQuery | undefined {
  const clause = lower(query, indexes);
  if (isNone(clause)) return undefined;
  const clauses = partsOf(usePairs(clause, () => indexes.pairs()));
  countUses(place.core.options.used, usesOf(place), clauses);
  return { clauses, shards: shardFilters(place, clause) };
}

/** What the uses of indexes are counted for. */
export const usesOf = ({ type }: Place) => ({ type, codeOf: ({ code }: Index): string => code });

/**
 * The shard conditions of a search on a sharded cluster: the partition, so that only its servers are queried, and the
 * buckets of the owners if it names them, which is one server then. None if the cluster is not sharded.
 */
function shardFilters({ core, type, p }: Place, clause: Clause): readonly Filter<ResourceDocument>[] {
  if (!core.deployment.sharded) return [];
  const owner = ownerOf(type);
  const named = owner && partsOf(clause).find(part => part.kind === 'terms' && part.index.code === owner.code);
  if (named?.kind !== 'terms' || named.values.some(isOfAnyType)) return [{ p }];
  const buckets = new Set(named.values.map(one => bucketOf(core, p, one)));
  return [{ p, b: anyOf([...buckets]) }];
}
