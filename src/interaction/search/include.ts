import { isAllowed } from '../../auth/may.ts';
import { isWithin, restrict, restriction } from '../../auth/restrict.ts';
import type { Issue } from '../../fhir/outcome.ts';
import type { ResourceType, SearchParam } from '../../model/model.ts';
import type { Query } from '../../search/ast.ts';
import type { Include, IncludeLink } from '../../search/include.ts';
import type { Indexed } from '../../search/matches.ts';
import { none } from '../../search/simplify.ts';
import type { IndexValue } from '../../indexing/entry.ts';
import { idOfOwner } from '../../indexing/owners.ts';
import { isFull, mostPageText } from '../../store/port/pages.ts';
import { hasText } from '../../store/port/records.ts';
import type { StoredVersion } from '../../store/port/records.ts';
import { type Includer, indexedBy, isCanonical, leadingTo, type Place, referringTo, urlOf } from './joined.ts';
import { Ids } from './ids.ts';
import { Seen } from './seen.ts';
import {
  type FoundVersions,
  mayNameVersions,
  type NamedVersion,
  readVersions,
  referencesOf,
  versionsLacking,
} from './versions.ts';
import { fewTypes } from './used-types.ts';

/** Most records that a page includes. */
export const MOST_INCLUDED = 1000;

export interface Included {
  /** In the order in which they were found, each once. */
  readonly records: readonly StoredVersion[];
  readonly warnings: readonly Issue[];
}

/**
 * The records that a page includes in addition to its matches: those that the matches refer to and those that refer to
 * them, with `:iterate` also those of included records; only records that the caller may see. A warning names each
 * include that was cut, and each that no scope allows. https://hl7.org/fhir/R4/search.html#revinclude
 */
export async function include(
  matches: readonly StoredVersion[],
  includes: readonly Include[],
  includer: Includer,
): Promise<Included> {
  if (includes.length === 0) return nothing;
  const seen = new Seen(matches);
  const records: StoredVersion[] = [];
  const cut = new Set<Include>();
  const lacking = new Map<Include, NamedVersion[]>();
  const earlier = new Set<StoredVersion>();
  /** An earlier version is another record than the current one. */
  const keyOf = (record: StoredVersion): Pick<StoredVersion, 'type' | 'id'> =>
    earlier.has(record) ? { type: record.type, id: `${record.id}/_history/${record.version}` } : record;
  let characters = 0;
  for (let ring = matches, first = true; ring.length > 0; first = false) {
    const next: StoredVersion[] = [];
    for (const one of includes) {
      if ((!first && !one.iterate) || cut.has(one)) continue;
      const left = MOST_INCLUDED - records.length - next.length;
      const found: ReferredTo = one.reverse
        ? await referring(one, ring, left + seen.size, includer)
        : await referredTo(one, ring, seen, includer);
      const { isCut, versions } = found;
      for (const record of versions?.earlier ?? []) earlier.add(record);
      if (versions !== undefined) lacking.set(one, [...(lacking.get(one) ?? []), ...versions.lacking]);
      for (const record of [...found.records, ...(versions?.earlier ?? [])]) {
        if (seen.has(keyOf(record))) continue; // perhaps found by another parameter of the same include
        characters += record.text?.length ?? 0;
        if (records.length + next.length === MOST_INCLUDED || characters > mostPageText) {
          cut.add(one);
          break;
        }
        seen.add(keyOf(record));
        next.push(record);
      }
      if (isCut) cut.add(one);
    }
    records.push(...next);
    ring = next;
  }
  const warnings = [
    ...[...cut].map(incomplete),
    ...[...lacking].flatMap(([{ written }, all]) => (all.length === 0 ? [] : [versionsLacking(written, all)])),
    ...includes.flatMap(one => notAllowed(one, includer)),
  ];
  return { records, warnings };
}

const nothing: Included = { records: [], warnings: [] };

/** Records that are found; `isCut` if their texts are too long for more. */
interface FoundRecords {
  readonly records: readonly StoredVersion[];
  readonly isCut: boolean;
}

/** Records that are found by references, and versions that references name. */
interface ReferredTo extends FoundRecords {
  readonly versions?: FoundVersions;
}

/** The records that those of a ring refer to, without the ones in `seen`. */
async function referredTo(
  { links, target }: Include,
  ring: readonly StoredVersion[],
  seen: Seen,
  includer: Includer,
): Promise<ReferredTo> {
  const wanted = new Map<ResourceType, { ids: Ids; others: Query[] }>();
  const named: NamedVersion[] = [];
  for (const { type, param } of links) {
    const all = ring.filter(record => record.type === type.name);
    if (all.length === 0) continue;
    const from = all.filter(record => !mayNameVersions(record));
    const beside = all.filter(mayNameVersions).map(record => referencesOf(record, param, type, includer));
    named.push(...beside.flatMap(({ versions }) => versions));
    const plain = beside.flatMap(one => one.plain);
    const valuesOf = (records: readonly StoredVersion[]): readonly IndexValue[] =>
      indexedBy([param], records, type, includer).flatMap(({ entries }) => entries.map(one => one.value));
    let values: readonly IndexValue[] | undefined;
    for (const to of targetsOf(param.targets, target, includer)) {
      const of = wanted.get(to) ?? { ids: new Ids(), others: [] };
      wanted.set(to, of);
      const isOwner = isOnlyOwner(type, param, to);
      const unknown = isOwner ? from.filter(record => !addOwners(record, to, includer, of.ids)) : from;
      if (unknown.length === 0 && plain.length === 0) continue;
      const read = [...plain, ...(unknown.length < from.length ? valuesOf(unknown) : (values ??= valuesOf(from)))];
      for (const query of alternatives(leadingTo(to, read, includer))) {
        if (query.kind === 'id') query.anyOf.forEach(id => of.ids.add(id));
        else of.others.push(query);
      }
    }
  }
  const records: StoredVersion[] = [];
  let isCut = false;
  const add = (found: FoundRecords): void => {
    records.push(...found.records);
    isCut ||= found.isCut;
  };
  for (const [type, { ids, others }] of wanted) {
    const keys = ids
      .values()
      .map(id => ({ type: type.name, id }))
      .filter(key => !seen.has(key));
    add(await readVisible(type, keys, includer));
    if (others.length > 0) add(await search(type, { kind: 'or', of: others }, MOST_INCLUDED + seen.size + 1, includer));
  }
  if (named.length === 0) return { records, isCut };
  const versions: FoundVersions = { earlier: [], current: [], lacking: [] };
  for (const [type] of wanted) {
    const found = await readVersions(
      type,
      named.filter(one => one.type === type.name),
      includer,
    );
    records.push(...found.current);
    versions.earlier.push(...found.earlier);
    versions.lacking.push(...found.lacking);
  }
  return { records, isCut, versions };
}

/**
 * Whether the owners of a type's records in the compartment of another type are the references of one parameter. They
 * are stored with each record, whose text need not be read then.
 */
const isOnlyOwner = ({ accessLinks }: ResourceType, param: SearchParam, to: ResourceType): boolean =>
  urlOf(to).length === 0 &&
  accessLinks.some(({ compartment, parameter }) => compartment === to.name && parameter === param.code) &&
  accessLinks.every(({ compartment, parameter }) => compartment !== to.name || parameter === param.code);

/** Adds the ids of a record's owners of a type; false if the record has no stored owners. */
function addOwners({ owners }: StoredVersion, to: ResourceType, { base }: Place, ids: Ids): boolean {
  if (owners === undefined) return false;
  for (const owner of owners) {
    const id = idOfOwner(owner, to.name, base);
    if (id !== undefined) ids.add(id);
  }
  return true;
}

const alternatives = (query: Query): readonly Query[] => (query.kind === 'or' ? query.of : [query]);

function targetsOf(
  targets: readonly string[],
  target: string | undefined,
  { model }: Includer,
): readonly ResourceType[] {
  const names = target !== undefined ? [target] : targets.length > 0 ? targets : [...model.types.keys()];
  return names.flatMap(name => model.types.get(name) ?? []);
}

/** Records by key, in the form in which the caller may read them, until their texts are too long. */
export async function readVisible(
  type: ResourceType,
  keys: Iterable<{ readonly type: string; readonly id: string }>,
  { partition, extract, access }: Includer,
): Promise<FoundRecords> {
  const rule = restriction(access, type, 'r');
  const all = [...keys];
  const records: StoredVersion[] = [];
  if (rule === none) return { records, isCut: false };
  for (let from = 0; from < all.length; from += readTogether) {
    if (isFull(records, Infinity)) return { records, isCut: true };
    const found = await partition.readMany(all.slice(from, from + readTogether));
    records.push(...found.filter(record => hasText(record) && isWithin(rule, type, record, extract, partition)));
  }
  return { records, isCut: false };
}

/** Records that are read at once: their texts are bounded by those of so many. */
const readTogether = 100;

/** The records that refer to those of a ring: one query for each type. */
async function referring(
  { links, target }: Include,
  ring: readonly StoredVersion[],
  most: number,
  includer: Includer,
): Promise<FoundRecords> {
  const targets = Map.groupBy(ring, ({ type }) => type);
  const indexed = new Map<ResourceType, readonly Indexed[]>();
  const indexedOf = (to: ResourceType): readonly Indexed[] => {
    const known = indexed.get(to) ?? indexedBy(urlOf(to), targets.get(to.name) ?? [], to, includer);
    indexed.set(to, known);
    return known;
  };
  const records: StoredVersion[] = [];
  let isCut = false;
  for (const [type, of] of await withReferences(
    Map.groupBy(links, link => link.type),
    targets,
    includer,
  )) {
    const queries = of.flatMap(({ param }) =>
      targetsOf(param.targets, target, includer)
        .filter(to => targets.has(to.name))
        .map(to => referringTo(param, to, indexedOf(to), includer)),
    );
    if (queries.length === 0) continue;
    const found = await search(type, { kind: 'or', of: queries }, most + 1, includer);
    records.push(...found.records);
    isCut ||= found.isCut;
  }
  return { records, isCut };
}

/**
 * The links of the types that the caller may search, without types whose records refer to none of the targets: a
 * wildcard names all types of the server, and few of them have records. A store asks all types at once.
 */
async function withReferences(
  links: ReadonlyMap<ResourceType, readonly IncludeLink[]>,
  targets: ReadonlyMap<string, readonly StoredVersion[]>,
  { partition, access, base }: Includer,
): Promise<readonly (readonly [ResourceType, readonly IncludeLink[]])[]> {
  const allowed = [...links].filter(([type]) => restriction(access, type, 's') !== none);
  if (allowed.length <= fewTypes) return allowed;
  const named = new Set<string>();
  for (const [type, records] of targets) {
    const ids = records.map(({ id }) => id);
    for (const name of await partition.types({ type, ids, base })) named.add(name);
  }
  return allowed.filter(([{ name }, of]) => named.has(name) || of.some(({ param }) => isCanonical(param)));
}

/** Matches among the records that the caller may search. */
async function search(
  type: ResourceType,
  query: Query,
  limit: number,
  { partition, access }: Includer,
): Promise<FoundRecords> {
  const confined = restrict(access, type, 's', query);
  const sort = [{ by: 'default', descending: true }] as const;
  const { versions: records, next } = await partition.search(type.name, { query: confined, sort, limit });
  return { records, isCut: next !== undefined && records.length < limit };
}

function incomplete({ written }: Include): Issue {
  const text = `\`${written}\` finds more: a page includes at most ${MOST_INCLUDED} records. Request smaller pages.`;
  return { severity: 'warning', code: 'incomplete', text };
}

/**
 * Adds a warning for the types that an include omits because of a missing scope; a wildcard includes the allowed types
 * silently.
 */
function notAllowed({ written, wildcard, reverse, links, target }: Include, includer: Includer): readonly Issue[] {
  if (wildcard) return [];
  const interaction = reverse ? 'search-type' : 'read';
  const types = reverse
    ? links.map(({ type }: IncludeLink) => type)
    : links.flatMap(({ param }) => targetsOf(param.targets, target, includer));
  const lacking = types.filter(({ name }) => !isAllowed(includer.access, { interaction, resourceType: name }));
  if (lacking.length === 0) return [];
  const names = [...new Set(lacking.map(({ name }) => name))].join(', ');
  const text = `\`${written}\` includes nothing of ${names}: the token has no scope for it.`;
  return [{ severity: 'information', code: 'suppressed', text }];
}
