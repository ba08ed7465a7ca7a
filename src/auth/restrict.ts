import type { ResourceType, SearchParam } from '../model/model.ts';
import type { Query } from '../search/ast.ts';
import { matches } from '../search/matches.ts';
import { none, simplify } from '../search/simplify.ts';
import { joinsOf, mapJoins, parametersOf } from '../search/walk.ts';
import type { Extract } from '../indexing/extract.ts';
import type { Partition } from '../store/partitions.ts';
import type { StoredVersion } from '../store/records.ts';
import type { Access } from './access.ts';
import type { Letter } from './scope.ts';
import { namesOf, partOf } from './part.ts';
import { isSeen, sightsOf } from './sight.ts';
import type { Sight } from './sight.ts';

/**
 * What of a type is open to the caller for a letter: the one rule of who may see what. Whatever looks at records on a client's
 * behalf joins it to its query with `and`, or asks `isWithin`.
 */
export function restriction(access: Access, type: ResourceType, letter: Letter): Query {
  if (access === 'open') return everything;
  return access.restrictions.get(type.name)?.[letter] ?? none;
}

/** The query of a client, confined to what is open to the caller: also where it is about records of other types. */
export function restrict(access: Access, type: ResourceType, letter: Letter, query: Query): Query {
  const allowed = restriction(access, type, letter);
  const confined = access === 'open' ? query : confineJoins(access, query);
  if (allowed.kind === 'all' || asks(confined, allowed)) return confined;
  return simplify({ kind: 'and', of: [confined, allowed] });
}

/** A chain or `_has` follows references among what the caller may search. */
function confineJoins(access: Access, query: Query): Query {
  if (joinsOf(query).length === 0) return query;
  return mapJoins(query, join => ({ ...join, of: restrict(access, join.type, 's', join.of) }));
}

/** Whether a query asks for what a rule wants, as those of a patient's app do that name the patient. */
function asks(query: Query, rule: Query): boolean {
  if (query.kind === 'and') return query.of.some(one => asks(one, rule));
  if (query.kind !== 'param' || rule.kind !== 'param' || query.param.code !== rule.param.code) return false;
  const [given, wanted] = [query.test, rule.test];
  if (given.kind !== 'reference' || wanted.kind !== 'reference' || given.url !== undefined) return false;
  return given.type === wanted.type && given.id === wanted.id && wanted.url === undefined;
}

/** What is looked at to decide about one record. */
export type Record = Pick<StoredVersion, 'id' | 'lastUpdated'> & { readonly text: string };

/** True where the record is among those that the rule lets through: the same decision as a search would take. */
export function isWithin(
  rule: Query,
  type: ResourceType,
  { id, lastUpdated, text }: Record,
  extract: Extract,
  { id: partition, settings }: Pick<Partition, 'id' | 'settings'>,
): boolean {
  if (rule.kind === 'all') return true;
  const { narrow, names, sights } = readingOf(rule, type);
  if (narrow === undefined) return matches(rule, { id, lastUpdated, entries: [] });
  if (sights.length > 0 && isSeen(text, sights)) return true;
  const part = names === undefined ? text : partOf(text, names);
  const entries = extract(narrow, part, { id: partition, zone: settings.zone });
  return matches(rule, { id, lastUpdated, entries });
}

/** How records of a type are read to decide by a rule. */
interface RuleReading {
  readonly type: ResourceType;
  /** With the parameters of the rule alone; undefined where it has none. */
  readonly narrow: ResourceType | undefined;
  /** As part.ts has them. */
  readonly names: RegExp | undefined;
  readonly sights: readonly Sight[];
}

const readings = new WeakMap<Query, RuleReading>();

/** Kept with the rule, which a token keeps. */
function readingOf(rule: Query, type: ResourceType): RuleReading {
  const kept = readings.get(rule);
  if (kept?.type === type) return kept;
  const params = parametersOf(rule);
  const narrow = params.length === 0 ? undefined : narrowed(type, params);
  const reading = { type, narrow, names: namesOf(params), sights: sightsOf(rule, type.name) };
  readings.set(rule, reading);
  return reading;
}

const everything: Query = { kind: 'all' };

/** By type and codes, what `narrowed` gives. */
const narrowedTypes = new WeakMap<ResourceType, Map<string, ResourceType>>();

/** The same type with some of its parameters alone, since reading the others would be in vain. */
export function narrowed(type: ResourceType, params: readonly SearchParam[]): ResourceType {
  const key = params.map(({ code }) => code).join(' ');
  const kept = narrowedTypes.get(type) ?? new Map<string, ResourceType>();
  narrowedTypes.set(type, kept);
  let found = kept.get(key);
  if (found === undefined) {
    found = { ...type, indexed: new Map(params.map(param => [param.code, param])) };
    kept.set(key, found);
  }
  return found;
}
