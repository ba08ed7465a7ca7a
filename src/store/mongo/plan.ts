import type { Filter } from 'mongodb';
import type { ResourceType } from '../../model/model.ts';
import { partsOf } from '../plan/clause.ts';
import type { Clause } from './clause.ts';
import { orderIndex, sortedField, termIndex } from './collection-indexes.ts';
import type { Core } from './core.ts';
import { allOf, filtersOf, termsIn } from './filter.ts';
import type { ResourceDocument } from './layout.ts';
import { everyTerm, updatedField } from './names.ts';
import type { Key } from './order.ts';
import { tupleSource } from './tuple.ts';

/** A filter, with the index that the server shall use where there is no doubt; else it tries those that there are. */
export interface Plan {
  readonly filter: Filter<ResourceDocument>;
  readonly hint: string | undefined;
}

/** What a plan is made for. */
export interface Place {
  readonly core: Core;
  readonly type: ResourceType;
  /** The key of the partition. */
  readonly p: string;
}

/** A query resolved to the fields of documents: all of it must match. */
export interface Asked {
  readonly clauses: readonly Clause[];
  /** What names the shards (shard.ts). */
  readonly shards: readonly Filter<ResourceDocument>[];
}

/**
 * For the order of a key, whose bounds `at` the filter gets, with a term beside the clauses: where all other conditions are terms, a range of the index that has
 * terms in this order. Which of several terms is the rare one the server finds out by itself. Strings, quantities and other dates
 * have indexes of their own, which find few sooner than a walk in order does, and many later: the server tries both.
 */
export function orderedPlan(place: Place, asked: Asked, key: Key, at: object, term?: string): Plan {
  const { core, type, p } = place;
  const { clauses } = asked;
  const terms = term === undefined ? [] : [{ t: term }];
  const bounds = Object.keys(at).length === 0 ? [] : [key.by === 'id' ? { _id: at } : { [`o.${key.field}`]: at }];
  if (key.by === 'field' && key.field !== sortedField(type) && key.field !== updatedField)
    return planned(place, asked, [...terms, { p }, ...bounds], undefined);
  const index = key.by === 'id' ? termIndex(core.deployment) : orderIndex(key.field, core.deployment);
  const others = clauses.filter(clause => !isAlong(clause, key));
  if (clauses.some(clause => clause.kind === 'ids')) return planned(place, asked, [...terms, ...bounds], '_id_');
  const hint = others.some(narrows) ? undefined : index;
  const every = term === undefined ? everyOf(place, clauses) : [];
  return planned(place, asked, [...terms, ...bounds], hint, every);
}

/** For any order: for counts, and for what is sorted afterwards. */
export function unorderedPlan(place: Place, asked: Asked): Plan {
  const { clauses } = asked;
  const { deployment } = place.core;
  if (clauses.some(clause => clause.kind === 'ids')) return planned(place, asked, [], '_id_');
  const others = clauses.filter(clause => clause.kind !== 'updated');
  const index = others.length < clauses.length ? orderIndex(updatedField, deployment) : termIndex(deployment);
  return others.some(narrows)
    ? planned(place, asked, [{ p: place.p }], undefined)
    : planned(place, asked, [], index, everyOf(place, clauses));
}

/** All documents have the term of their partition: what drives a walk that nothing else does. */
function everyOf({ p }: Place, clauses: readonly Clause[]): readonly Filter<ResourceDocument>[] {
  return clauses.some(hasTerms) ? [] : [{ t: everyTerm(p) }];
}

function planned(
  { p }: Place,
  { clauses, shards }: Asked,
  also: readonly Filter<ResourceDocument>[],
  hint: string | undefined,
  first: readonly Filter<ResourceDocument>[] = [],
): Plan {
  return { filter: allOf([...first, ...clauses.flatMap(clause => filtersOf(clause, p)), ...shards, ...also]), hint };
}

/** Whether a clause is a part of the order itself (segments.ts): of several dates not what bounds them from above. */
function isAlong(clause: Clause, key: Key): boolean {
  if (key.by === 'id') return false;
  if (key.index === undefined) return clause.kind === 'updated';
  if (clause.kind !== 'range' || clause.index !== key.index) return false;
  return key.end === 'only' || (clause.low.max === Infinity && clause.high.max === Infinity);
}

/** Whether another index than those of terms may find the few that a clause lets through. */
function narrows(clause: Clause): boolean {
  if (termsIn(clause) !== undefined) return false;
  switch (clause.kind) {
    case 'string':
      return clause.text !== '';
    case 'range':
      return [clause.low, clause.high].some(({ min, max }) => min !== -Infinity || max !== Infinity);
    case 'updated':
    case 'ids':
      return true;
    case 'and':
      return clause.of.some(narrows);
    case 'or':
      return clause.of.every(part => partsOf(part).some(one => hasTerms(one) || narrows(one)));
    case 'tuple': {
      const source = tupleSource(clause);
      return source !== undefined && narrows(source);
    }
    case 'terms':
    case 'prefix':
    case 'not':
      return false;
    default:
      return clause satisfies never;
  }
}

/** Whether every match has one of some terms. */
function hasTerms(clause: Clause): boolean {
  const source = clause.kind === 'tuple' ? tupleSource(clause) : clause;
  return source !== undefined && termsIn(source) !== undefined;
}
