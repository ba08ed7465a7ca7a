import type { Extract } from '../../../indexing/extract.ts';
import { foldCode } from '../../../indexing/normalize.ts';
import type { ResourceType } from '../../../model/model.ts';
import type { Position, Query, Sort } from '../../../search/ast.ts';
import { matches } from '../../../search/matches.ts';
import type { Indexed } from '../../../search/matches.ts';
import { simplify } from '../../../search/simplify.ts';
import type { Partition } from '../../../store/port/partitions.ts';
import type { Change, Page, StoreSearch, StoredVersion } from '../../../store/port/records.ts';
import { comparePositions, positionOf } from '../../../search/sort.ts';
import { createSortedPage } from '../../../search/sorted-page.ts';
import { parametersOfSort } from '../../../search/walk.ts';
import { fitting } from '../../../store/port/pages.ts';
import { indexedBy } from '../../search/joined.ts';

/** A page of stored and staged records of a type, in order. Throws the errors of `Partition.search`. */
export async function searchStaged(
  partition: Partition,
  extract: Extract,
  staged: StagedType,
  search: StoreSearch,
): Promise<Page> {
  const { type } = staged;
  const { query, sort, limit, after } = search;
  const stored = await partition.search(type.name, { ...search, query: withoutIds(query, staged.replacedIds) });
  const page = createSortedPage<StoredVersion>(sort, { limit, after, fitting });
  const indexed = indexedBy(parametersOfSort(type, sort), stored.versions, type, { partition, extract, base: '' });
  for (const [at, version] of stored.versions.entries()) {
    const one = indexed[at];
    if (one !== undefined) page.add(positionOf(sort, type, one), version);
  }
  const matching = staged.matching(query);
  const times = await createdTimes(partition, type, sort, matching);
  for (const record of matching) {
    const one = staged.entriesOf(record);
    if (one === undefined) continue;
    const { lastUpdated } = record.version; // all of them have one time, after those of all others
    const created = times.get(one.id);
    const position = positionOf(sort, type, { ...one, lastUpdated, created });
    // Behind the stored page there may be stored records before this one.
    const isLater = stored.next !== undefined && comparePositions(sort, position, stored.next) > 0;
    if (!isLater) page.add(position, created === undefined ? record.version : { ...record.version, created });
  }
  const { matches, next } = page.read();
  // The stored page alone may end at its limit although more follow.
  return { versions: matches, next: next ?? stored.next };
}

/** When the records were created that exist already, if the order needs it: by their ids. */
async function createdTimes(
  partition: Partition,
  { name, sortDate }: ResourceType,
  sort: readonly Sort[],
  records: readonly StagedRecord[],
): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>();
  if (sortDate !== undefined || !sort.some(({ by }) => by === 'default')) return times;
  const anyOf = records.filter(isStored).map(({ version }) => version.id);
  for (let after: Position | undefined, isLast = anyOf.length === 0; !isLast; isLast = after === undefined) {
    const from = after === undefined ? {} : { after };
    const page = await partition.search(name, { query: { kind: 'id', anyOf }, sort, limit: anyOf.length, ...from });
    for (const { id, created } of page.versions) if (created !== undefined) times.set(id, created);
    after = page.next;
  }
  return times;
}

/** A record that a transaction has changed, and that is not stored yet. */
export interface StagedRecord {
  /** With the precondition that the write needs so that the decisions of the transaction still hold. */
  readonly change: Change;
  readonly before: StoredVersion | undefined;
  /** A tombstone without text. Its `lastUpdated` is a placeholder. */
  readonly version: StoredVersion;
}

/** What the index entries of staged records depend on. */
export interface StagedIndexing {
  readonly extract: Extract;
  readonly partition: Pick<Partition, 'id' | 'settings'>;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/** The changed records of a type. Their index entries are extracted at the first search. */
export class StagedType {
  readonly type: ResourceType;
  readonly records: StagedRecord[] = [];
  /** The ids of those that were there before. */
  readonly replacedIds: string[] = [];
  readonly #indexing: StagedIndexing;
  readonly #indexed = new Map<StagedRecord, Indexed>();
  /** The records that are not tombstones, by id, and by parameter and code of their tokens. */
  readonly #byTerm = new Map<string, StagedRecord[]>();
  /** The number of records whose entries are extracted. */
  #extracted = 0;

  constructor(type: ResourceType, indexing: StagedIndexing) {
    this.type = type;
    this.#indexing = indexing;
  }

  add(record: StagedRecord): void {
    this.records.push(record);
    if (isStored(record)) this.replacedIds.push(record.version.id);
  }

  /** The index entries of a record; undefined for a tombstone. As `lastUpdated` it has the current time. */
  entriesOf(record: StagedRecord): Indexed | undefined {
    this.#extract();
    return this.#indexed.get(record);
  }

  /** The records that match a query without joins, as stores decide it. */
  matching(query: Query): readonly StagedRecord[] {
    this.#extract();
    return (this.#candidates(query) ?? this.records).filter(record => {
      const indexed = this.#indexed.get(record);
      return indexed !== undefined && matches(query, indexed);
    });
  }

  #extract(): void {
    const { extract, partition, now } = this.#indexing;
    const where = { id: partition.id, zone: partition.settings.zone };
    for (; this.#extracted < this.records.length; this.#extracted += 1) {
      const record = this.records[this.#extracted];
      if (record?.version.text === undefined) continue;
      const { id, text } = record.version;
      const entries = extract(this.type, text, where);
      this.#indexed.set(record, { id, lastUpdated: now(), entries });
      const terms = new Set([termOfId(id)]);
      for (const { param, value } of entries)
        if (value.kind === 'token' && value.code !== undefined) terms.add(termOf(param, value.code));
      for (const term of terms) {
        const known = this.#byTerm.get(term);
        if (known === undefined) this.#byTerm.set(term, [record]);
        else known.push(record);
      }
    }
  }

  /**
   * Records among which all matches are, so that many searches by an identifier do not compare each record; undefined
   * if the query has no such term.
   */
  #candidates(query: Query): readonly StagedRecord[] | undefined {
    const ofTerms = (terms: Iterable<string>): readonly StagedRecord[] =>
      [...new Set(terms)].flatMap(term => this.#byTerm.get(term) ?? []);
    if (query.kind === 'id') return ofTerms(query.anyOf.map(termOfId));
    if (query.kind === 'param') {
      const { param, test } = query;
      if (test.kind !== 'token' || test.code === undefined) return undefined;
      return [...new Set(ofTerms([termOf(param.code, test.code), termOf(param.code, foldCode(test.code))]))];
    }
    if (query.kind !== 'and' && query.kind !== 'or') return undefined;
    const parts = query.of.map(part => this.#candidates(part));
    if (query.kind === 'or')
      return parts.includes(undefined) ? undefined : [...new Set(parts.flatMap(one => one ?? []))];
    return parts.filter(part => part !== undefined).toSorted((a, b) => a.length - b.length)[0];
  }
}

const termOf = (param: string, code: string): string => `${param}|${code}`;

const termOfId = (id: string): string => `/${id}`;

/** Whether a changed record was there before. */
export const isStored = ({ before }: StagedRecord): boolean => before?.text !== undefined;

/** The stored matches of a query except the records with these ids. */
export function withoutIds(query: Query, anyOf: readonly string[]): Query {
  if (anyOf.length === 0) return query;
  return simplify({ kind: 'and', of: [query, { kind: 'not', of: { kind: 'id', anyOf } }] });
}
