import type { Filter } from 'mongodb';
import type { ResourceType } from '../../model/model.ts';
import { type Clause, partsOf, type TermsClause } from './clause.ts';
import { orderIndex, sortedField, termIndex } from './collection-indexes.ts';
import type { Core } from './core.ts';
import { allOf, filterOf } from './filter.ts';
import type { ResourceDocument } from './layout.ts';
import { everyTerm, updatedField } from './names.ts';
import type { Key } from './order.ts';

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

/**
 * For the order of a key, whose bounds `at` the filter gets: where all other conditions are terms, a range of the index that has
 * terms in this order. Which of several terms is the rare one the server finds out by itself. Strings, quantities and other dates
 * have indexes of their own, which find few sooner than a walk in order does, and many later: the server tries both.
 */
export function orderedPlan(place: Place, clauses: readonly Clause[], key: Key, at: object): Plan {
  const { core, type } = place;
  const bounds = Object.keys(at).length === 0 ? [] : [key.by === 'id' ? { _id: at } : { [`o.${key.field}`]: at }];
  if (key.by === 'field' && key.field !== sortedField(type) && key.field !== updatedField)
    return planned(clauses, [{ p: place.p }, ...bounds], undefined);
  const index = key.by === 'id' ? termIndex(core.deployment) : orderIndex(key.field, core.deployment);
  const others = clauses.filter(clause => !isAlong(clause, key));
  if (clauses.some(clause => clause.kind === 'ids')) return planned(clauses, bounds, '_id_');
  const hint = others.some(narrows) ? undefined : index;
  return planned(withTerms(place, clauses), bounds, hint);
}

/** For any order: for counts, and for what is sorted afterwards. */
export function unorderedPlan(place: Place, clauses: readonly Clause[]): Plan {
  const { deployment } = place.core;
  if (clauses.some(clause => clause.kind === 'ids')) return planned(clauses, [], '_id_');
  const others = clauses.filter(clause => clause.kind !== 'updated');
  const index = others.length < clauses.length ? orderIndex(updatedField, deployment) : termIndex(deployment);
  return others.some(narrows)
    ? planned(clauses, [{ p: place.p }], undefined)
    : planned(withTerms(place, clauses), [], index);
}

/** All documents have the term of their partition: what drives a walk that nothing else does. */
function withTerms({ p }: Place, clauses: readonly Clause[]): readonly Clause[] {
  if (clauses.some(clause => clause.kind === 'terms')) return clauses;
  const every: TermsClause = { kind: 'terms', code: undefined, terms: [everyTerm(p)] };
  return [every, ...clauses];
}

function planned(
  clauses: readonly Clause[],
  also: readonly Filter<ResourceDocument>[],
  hint: string | undefined,
): Plan {
  return { filter: allOf([...clauses.map(filterOf), ...also]), hint };
}

/** Whether a clause is a part of the order itself (segments.ts): of several dates not what bounds them from above. */
function isAlong(clause: Clause, key: Key): boolean {
  if (key.by === 'id') return false;
  if (key.code === undefined) return clause.kind === 'updated';
  if (clause.kind !== 'range' || clause.field !== 'd' || clause.code !== key.code) return false;
  return key.end === 'only' || (clause.low.max === Infinity && clause.high.max === Infinity);
}

/** Whether another index than those of terms may find the few that a clause lets through. */
function narrows(clause: Clause): boolean {
  switch (clause.kind) {
    case 'string':
    case 'range':
    case 'updated':
    case 'ids':
      return true;
    case 'and':
      return clause.of.some(narrows);
    case 'or':
      return clause.of.every(part => partsOf(part).some(one => one.kind === 'terms' || narrows(one)));
    case 'terms':
    case 'check':
    case 'not':
      return false;
    default:
      return clause satisfies never;
  }
}
