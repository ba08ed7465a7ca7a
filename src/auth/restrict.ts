import type { ResourceType } from '../model/model.ts';
import type { Container, Query } from '../search/ast.ts';
import { matches } from '../search/matches.ts';
import { isNone, none, simplify } from '../search/simplify.ts';
import { hasJoins, mapJoins, parametersOf } from '../search/walk.ts';
import type { Extract } from '../indexing/extract.ts';
import { withOnly } from '../indexing/only.ts';
import type { Partition } from '../store/port/partitions.ts';
import { hasText } from '../store/port/records.ts';
import type { StoredVersion, VersionWithText } from '../store/port/records.ts';
import type { Access } from './access.ts';
import type { Letter } from './scope.ts';

/**
 * The query of the records of a type that are open to the caller for a letter: the one rule of access to records. Every
 * module that reads records for a client combines it with its query by `and`, or calls `isWithin`.
 */
export function restriction(access: Access, type: ResourceType, letter: Letter): Query {
  if (access === 'open') return everything;
  return access.restrictions.get(type.name)?.[letter] ?? none;
}

/** The query of a client, restricted to the records that are open to the caller, of other types too. */
export function restrict(access: Access, type: ResourceType, letter: Letter, query: Query): Query {
  const allowed = restriction(access, type, letter);
  const confined = confineJoins(access, query);
  if (allowed.kind === 'all' || asks(confined, allowed)) return confined;
  return simplify({ kind: 'and', of: [confined, allowed] });
}

/**
 * A chain or `_has` follows references among what the caller may search. A resource inside of a record is as open as
 * the record.
 */
function confineJoins(access: Access, query: Query): Query {
  if (access === 'open') return query;
  if (!hasJoins(query)) return query;
  return mapJoins(query, join => {
    if (join.kind === 'inside') return { ...join, of: confineJoins(access, join.of) };
    if (join.kind === 'tree') return { ...join, of: restrict(access, join.type, 's', join.of) };
    const [allowed, of] = [restriction(access, join.type, 's'), confineJoins(access, join.of)];
    const confined = { ...join, of, within: allowed.kind === 'all' || asks(of, allowed) ? undefined : allowed };
    if (confined.kind === 'chain') return confined;
    return { ...confined, containers: confined.containers.flatMap(one => openContainer(access, one)) };
  });
}

/** A type of containers with the access to its records; none without any access. */
function openContainer(access: Access, { type }: Container): readonly Container[] {
  const within = restriction(access, type, 's');
  return isNone(within) ? [] : [{ type, within: within.kind === 'all' ? undefined : within }];
}

/** Whether a query already includes the rule, as queries of a patient's app that name the patient do. */
function asks(query: Query, rule: Query): boolean {
  if (query.kind === 'and') return query.of.some(one => asks(one, rule));
  if (query.kind !== 'param' || query.test.kind !== 'reference' || rule.kind !== 'owner') return false;
  const { type, id, base } = query.test;
  const isLink = rule.of.some(({ code }) => code === query.param.code);
  return isLink && type === rule.compartment && id === rule.id && base === rule.base;
}

/** The data that decides about one record. */
export type OwnedRecord = Pick<VersionWithText, 'id' | 'lastUpdated' | 'owners' | 'text'>;

/**
 * True if the rule covers the record: the same decision as in a search. The owners of a record are stored with it;
 * other entries that the rule asks for are read from its text.
 */
export function isWithin(
  rule: Query,
  type: ResourceType,
  { id, lastUpdated, owners, text }: OwnedRecord,
  extract: Extract,
  { id: partition, settings }: Pick<Partition, 'id' | 'settings'>,
): boolean {
  if (rule.kind === 'all') return true;
  const params = parametersOf(rule, owners === undefined);
  const entries =
    params.length === 0 ? [] : extract(withOnly(type, params), text, { id: partition, zone: settings.zone });
  return matches(rule, { id, lastUpdated, entries, owners });
}

/**
 * True if the rule covers a version: that version, and the current one, so that the history of a record which the
 * caller may not see any more is not shown. A deleted record has no current version: its versions are open to callers
 * who may see every record of the type, and to no others.
 */
export function isVersionWithin(
  rule: Query,
  type: ResourceType,
  { version, current }: { readonly version: StoredVersion; readonly current: StoredVersion | undefined },
  extract: Extract,
  partition: Pick<Partition, 'id' | 'settings'>,
): boolean {
  if (rule.kind === 'all') return true;
  if (current?.text === undefined) return false;
  return [current, version].every(one => !hasText(one) || isWithin(rule, type, one, extract, partition));
}

const everything: Query = { kind: 'all' };
