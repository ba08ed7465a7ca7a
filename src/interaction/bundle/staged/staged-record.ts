import type { Extract } from '../../../indexing/extract.ts';
import type { ResourceType } from '../../../model/model.ts';
import type { Query } from '../../../search/ast.ts';
import { matches } from '../../../search/matches.ts';
import type { Indexed } from '../../../search/matches.ts';
import { simplify } from '../../../search/simplify.ts';
import type { Partition } from '../../../store/port/partitions.ts';
import type { Change, StoredVersion } from '../../../store/port/records.ts';

/** A record that a transaction has changed, and that is not stored yet. */
export interface StagedRecord {
  /** With the precondition that the write needs so that the decisions of the transaction still hold. */
  readonly change: Change;
  readonly before: StoredVersion | undefined;
  /** A tombstone without text. Its `lastUpdated` is a placeholder. */
  readonly version: StoredVersion;
}

/** The index entries of staged records, extracted at their first use. */
export class StagedEntries {
  readonly #extract: Extract;
  readonly #partition: Pick<Partition, 'id' | 'settings'>;
  readonly #now: () => number;
  readonly #known = new WeakMap<StagedRecord, Indexed>();

  constructor(extract: Extract, partition: Pick<Partition, 'id' | 'settings'>, now: () => number) {
    this.#extract = extract;
    this.#partition = partition;
    this.#now = now;
  }

  /** Undefined for a tombstone. As `lastUpdated` it has the current time, by which it matches. */
  of(record: StagedRecord, type: ResourceType): Indexed | undefined {
    const { id, text } = record.version;
    if (text === undefined) return undefined;
    const known = this.#known.get(record);
    if (known !== undefined) return known;
    const where = { id: this.#partition.id, zone: this.#partition.settings.zone };
    const indexed = { id, lastUpdated: this.#now(), entries: this.#extract(type, text, where) };
    this.#known.set(record, indexed);
    return indexed;
  }

  /** Whether a record matches a query without joins, as stores decide it. */
  matches(record: StagedRecord, type: ResourceType, query: Query): boolean {
    const indexed = this.of(record, type);
    return indexed !== undefined && matches(query, indexed);
  }
}

/** The stored matches of a query except some records, most of which are not stored yet. */
export function withoutRecords(query: Query, records: readonly StagedRecord[]): Query {
  const anyOf = records.filter(({ before }) => before?.text !== undefined).map(({ version }) => version.id);
  if (anyOf.length === 0) return query;
  return simplify({ kind: 'and', of: [query, { kind: 'not', of: { kind: 'id', anyOf } }] });
}
