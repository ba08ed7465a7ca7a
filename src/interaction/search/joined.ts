import { belowBase, parseReference } from '../../fhir/reference.ts';
import { parseProperties } from '../../fhir/stored-text.ts';
import { propertiesRead } from '../../fhirpath/extract/properties-read.ts';
import type { Extract } from '../../indexing/extract.ts';
import type { IndexValue, ReferenceValue } from '../../indexing/entry.ts';
import { withOnly } from '../../indexing/only.ts';
import type { Access } from '../../auth/access.ts';
import type { Model, ResourceType, SearchParam } from '../../model/model.ts';
import type { Chain, Has, Position, Query } from '../../search/ast.ts';
import { type Indexed, referencesTo } from '../../search/matches.ts';
import { none } from '../../search/simplify.ts';
import type { Partition } from '../../store/port/partitions.ts';
import type { StoredVersion } from '../../store/port/records.ts';

/** The reads of a partition that a search uses. */
export interface SearchedPartition extends Pick<
  Partition,
  'id' | 'settings' | 'search' | 'count' | 'read' | 'readMany' | 'types'
> {
  /**
   * The time by which a version matches `_lastUpdated`, if it is not yet written and its own is a placeholder.
   * Milliseconds since 1970 UTC; absent: its `lastUpdated`.
   */
  readonly timeOf?: ((version: StoredVersion) => number) | undefined;
  /** The partition without the time limit of all reads together; absent without one. */
  readonly unlimited?: SearchedPartition | undefined;
}

/** The partition in which joins are evaluated, and its URL. */
export interface Place {
  readonly partition: SearchedPartition;
  readonly extract: Extract;
  /** `{publicUrl}/r4/{partition}`. */
  readonly base: string;
}

/** The caller of a search, and its place. */
export interface Includer extends Place {
  readonly model: Model;
  readonly access: Access;
}

/** The order of reads whose order is irrelevant. */
export const anyOrder = [{ by: 'id', descending: false }] as const;

/** The matching records, if there are at most `most`. The query has no joins. */
export async function atMost(
  { partition }: Place,
  type: ResourceType,
  query: Query,
  most: number,
): Promise<readonly StoredVersion[] | undefined> {
  if (most < 1) return undefined;
  const found: StoredVersion[] = [];
  let after: Position | undefined;
  do {
    const limit = most - found.length;
    if (limit < 1) return undefined;
    const search = { query, sort: anyOrder, limit, ...(after === undefined ? {} : { after }) };
    const { versions, next } = await partition.search(type.name, search); // a page may be shorter than its limit
    found.push(...versions);
    after = next;
  } while (after !== undefined);
  return found;
}

/** The query that a record matches if it is joined to one of `others`, which match the inner query of the join. */
export function joinedTo(join: Chain | Has, others: readonly StoredVersion[], place: Place): Query {
  if (others.length === 0) return none;
  const { param, type } = join;
  if (join.kind === 'chain') {
    const indexed = isCanonical(param) ? indexedBy(urlOf(type), others, type, place) : others.map(withoutEntries);
    return referringTo(param, type, indexed, place);
  }
  const found = indexedBy([param], others, type, place).flatMap(({ entries }) => entries.map(({ value }) => value));
  return leadingTo(join.target, found, place);
}

/**
 * The query for records that refer by a parameter to one of these resources of a type, which are indexed by their
 * `url`.
 */
export function referringTo(
  param: SearchParam,
  { name }: ResourceType,
  resources: readonly Indexed[],
  { base }: Place,
): Query {
  return { kind: 'param', param, test: referencesTo(param, name, resources, base) };
}

/** The query for the resources of a type that these references identify. */
export function leadingTo(type: ResourceType, values: readonly IndexValue[], place: Place): Query {
  const [ids, urls] = [new Set<string>(), new Set<string>()];
  for (const value of values) {
    if (value.kind !== 'reference') continue;
    const { url, version = '' } = value;
    // An address has no version of a definition.
    const id = version === '' ? localId(value, type, place) : undefined;
    if (id !== undefined) ids.add(id);
    if (url !== undefined && value.version !== undefined) urls.add(versioned(url, version));
  }
  const byId: Query = { kind: 'id', anyOf: [...ids] };
  const [url] = urlOf(type);
  if (url === undefined || urls.size === 0) return byId;
  const byUrl = [...urls].map((uri): Query => ({ kind: 'param', param: url, test: { kind: 'uri', uri } }));
  return { kind: 'or', of: [byId, ...byUrl] };
}

/** The canonical as the entries of `url` have it: with the version, or without one, which is any version. */
const versioned = (url: string, version: string): string => (version === '' ? url : `${url}|${version}`);

/** The id of the resource of the type in this partition that a reference identifies. */
export function localId(value: ReferenceValue, type: ResourceType, { base }: Place): string | undefined {
  const named = value.url === undefined ? value : (belowBase(base, value.url) ?? relativeOf(value.url));
  return named?.type === type.name ? named.id : undefined;
}

/** The type and id in a canonical that is written as a relative reference. */
function relativeOf(url: string): { readonly type: string; readonly id: string } | undefined {
  const parsed = parseReference(url);
  return parsed?.kind === 'relative' && parsed.version === undefined ? parsed : undefined;
}

/** Records with their entries of some parameters. */
export function indexedBy(
  params: readonly SearchParam[],
  records: readonly StoredVersion[],
  type: ResourceType,
  { partition, extract }: Place,
): readonly Indexed[] {
  if (params.length === 0) return records.map(withoutEntries);
  const { only, properties } = readingOf(params, type);
  const where = { id: partition.id, zone: partition.settings.zone };
  return records.map(({ id, lastUpdated, created, text = '', owners }) => {
    const parsed = properties === undefined ? undefined : { value: parseProperties(text, properties) };
    return { id, lastUpdated, created, owners, entries: extract(only, text, where, parsed) };
  });
}

/** How the entries of parameters are read. */
interface ReadParam {
  readonly only: ResourceType;
  /** The properties that have all of their values; undefined if they may read others. */
  readonly properties: readonly string[] | undefined;
}

/** The reading of one parameter is cached: includes and joins read one each. */
function readingOf(params: readonly SearchParam[], type: ResourceType): ReadParam {
  const [param, ...others] = params;
  if (param === undefined || others.length > 0) return { only: withOnly(type, params), properties: undefined };
  const known = readings.get(type)?.get(param);
  if (known !== undefined) return known;
  const reading = { only: withOnly(type, params), properties: referenceProperties(param, type) };
  const ofType = readings.get(type) ?? new WeakMap<SearchParam, ReadParam>();
  readings.set(type, ofType.set(param, reading));
  return reading;
}

const readings = new WeakMap<ResourceType, WeakMap<SearchParam, ReadParam>>();

/** A reference to a contained resource, whose type `resolve()` reads elsewhere in the record, has no entry. */
const referenceProperties = (
  { type, delegated, expression }: SearchParam,
  { definition }: ResourceType,
): readonly string[] | undefined =>
  type === 'reference' && !delegated ? propertiesRead(expression, definition) : undefined;

const withoutEntries = ({ id, lastUpdated, created, owners }: StoredVersion): Indexed => ({
  id,
  lastUpdated,
  created,
  owners,
  entries: [],
});

/** The parameter with the canonical URLs of resources of the type. */
export function urlOf(type: ResourceType): readonly SearchParam[] {
  const url = type.parameters.get('url');
  return url?.type === 'uri' ? [url] : [];
}

/** Whether a reference parameter may have canonicals, which stores do not count as references to a record. */
export const isCanonical = ({ dataTypes }: SearchParam): boolean => dataTypes.has('canonical') || dataTypes.has('uri');
