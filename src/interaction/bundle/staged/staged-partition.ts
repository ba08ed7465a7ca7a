import type { Readable } from 'node:stream';
import { fhirError } from '../../../fhir/error.ts';
import type { FhirError } from '../../../fhir/error.ts';
import { stamp } from '../../../fhir/resource-text.ts';
import type { Extract } from '../../../indexing/extract.ts';
import type { Model } from '../../../model/model.ts';
import type { Query } from '../../../search/ast.ts';
import { VersionConflict } from '../../../store/port/errors.ts';
import { digestOf } from '../../../store/record/digest.ts';
import { currentAttachments } from '../../../store/port/pages.ts';
import type { Attached } from '../../../store/port/blobs.ts';
import type { Explain } from '../../../store/port/explained.ts';
import type { Partition, PartitionSettings } from '../../../store/port/partitions.ts';
import type {
  Change,
  Page,
  Referred,
  Requirement,
  StoreSearch,
  StoredVersion,
  WriteOptions,
  WriteResult,
} from '../../../store/port/records.ts';
import type { KeptVersion, MomentPage } from '../../../store/port/transfer.ts';
import { mostKept, ownParts } from '../entry.ts';
import { stageChange } from './stage-change.ts';
import type { Staged } from './stage-change.ts';
import { StagedType, searchStaged, withoutIds } from './staged-record.ts';
import type { StagedRecord } from './staged-record.ts';

/** The dependencies of a staged partition. */
export interface StagedParts {
  readonly partition: Partition;
  readonly model: Model;
  readonly extract: Extract;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** The `lastUpdated` of all changes until they are written, in milliseconds since 1970 UTC: later than all others. */
  readonly placeholder: number;
  /** Whether attachments are stored before the changes are written; else only their digests are known. */
  readonly storesAttachments: boolean;
}

/**
 * A partition with the changes of one transaction before they are stored: what reads it sees them, what writes to it
 * adds to them. So the interactions of the entries are the same as those of separate requests. Each record may be
 * written once: a second write throws FhirError 400.
 */
export class StagedPartition implements Partition {
  readonly id: string;
  readonly settings: PartitionSettings;
  readonly #parts: StagedParts;
  readonly #staged = new Map<string, StagedRecord>();
  readonly #byType = new Map<string, StagedType>();
  /** Characters of the staged records. */
  #length = 0;
  readonly #stored = new Map<string, Promise<StoredVersion | undefined>>();
  /** The records that were written, also if nothing changed. */
  readonly #written = new Set<string>();
  readonly #requires: Requirement[] = [];
  #isHidden = false;

  constructor(parts: StagedParts) {
    this.id = parts.partition.id;
    this.settings = parts.partition.settings;
    this.#parts = parts;
  }

  get definitions(): Partition['definitions'] {
    return this.#parts.partition.definitions;
  }

  /** Another one with the same changes, which further changes do not concern. */
  copy(): StagedPartition {
    const copy = new StagedPartition(this.#parts);
    for (const record of this.#staged.values()) copy.#add(record);
    for (const key of this.#written) copy.#written.add(key);
    return copy;
  }

  /** Runs work that reads the records as they are stored, without the changes. */
  async withoutChanges(work: () => Promise<void>): Promise<void> {
    this.#isHidden = true;
    try {
      await work();
    } finally {
      this.#isHidden = false;
    }
  }

  /** A version that is not stored yet matches by the current time, as in `StagedType`. */
  readonly timeOf = ({ lastUpdated }: StoredVersion): number => {
    const { placeholder, now } = this.#parts;
    return lastUpdated === placeholder ? now() : lastUpdated;
  };

  /** Whether the transaction has changed no record. */
  get isUnchanged(): boolean {
    return this.#staged.size === 0;
  }

  /** The changed records, in the order of their changes. */
  get records(): readonly StagedRecord[] {
    return [...this.#staged.values()];
  }

  /** What the write of the changes requires. */
  get requires(): readonly Requirement[] {
    return this.#requires;
  }

  /** Whether the transaction has changed a record. */
  has(type: string, id: string): boolean {
    return this.#staged.has(`${type}/${id}`);
  }

  async read(type: string, id: string, version?: number): Promise<StoredVersion | undefined> {
    const staged = this.#seen(type, id)?.version;
    if (staged === undefined && version === undefined) return this.#readStored(type, id);
    if (staged === undefined || (version !== undefined && version < staged.version))
      return this.#parts.partition.read(type, id, version);
    return version === undefined || version === staged.version ? staged : undefined;
  }

  /** Reads the current versions of records together, before they are read one by one. */
  async readAhead(keys: readonly { readonly type: string; readonly id: string }[]): Promise<void> {
    const { model, partition } = this.#parts;
    const unread = keys.filter(({ type, id }) => model.types.has(type) && !this.#stored.has(`${type}/${id}`));
    for (const { type, id } of unread) this.#stored.set(`${type}/${id}`, none);
    for (const version of await partition.readMany(unread))
      this.#stored.set(`${version.type}/${version.id}`, Promise.resolve(version));
  }

  /** A record is read once: what is decided about it is decided about one version. */
  #readStored(type: string, id: string): Promise<StoredVersion | undefined> {
    const key = `${type}/${id}`;
    const known = this.#stored.get(key) ?? this.#parts.partition.read(type, id);
    this.#stored.set(key, known);
    return known;
  }

  async readMany(keys: readonly { readonly type: string; readonly id: string }[]): Promise<readonly StoredVersion[]> {
    const stored = await this.#parts.partition.readMany(keys.filter(({ type, id }) => !this.#seen(type, id)));
    const found = new Map(stored.map(version => [`${version.type}/${version.id}`, version]));
    return keys
      .map(({ type, id }) => this.#seen(type, id)?.version ?? found.get(`${type}/${id}`))
      .filter(version => version !== undefined);
  }

  search(type: string, search: StoreSearch): Promise<Page> {
    const staged = this.#of(type);
    const { partition, extract } = this.#parts;
    return staged === undefined ? partition.search(type, search) : searchStaged(partition, extract, staged, search);
  }

  /** The ids of the changed records of a type that match a query without joins. */
  matchingIds(type: string, query: Query): readonly string[] {
    return (
      this.#of(type)
        ?.matching(query)
        .map(({ version }) => version.id) ?? []
    );
  }

  async count(type: string, query?: Query, explain?: Explain): Promise<number> {
    const { partition } = this.#parts;
    const staged = this.#of(type);
    if (staged === undefined) return partition.count(type, query, explain);
    const { records, replacedIds } = staged;
    if (query === undefined) {
      const isThere = (version: StoredVersion | undefined): number => (version?.text === undefined ? 0 : 1);
      const more = records.map(({ before, version }) => isThere(version) - isThere(before));
      return more.reduce((sum, one) => sum + one, await partition.count(type));
    }
    const own = staged.matching(query);
    return (await partition.count(type, withoutIds(query, replacedIds), explain)) + own.length;
  }

  /** The types of changed records are among them, whether these refer to one or not. */
  async types(referringTo?: Referred): Promise<readonly string[]> {
    const stored = await this.#parts.partition.types(referringTo);
    const changed = this.#isHidden ? [] : this.#byType.keys();
    return [...new Set([...stored, ...changed])];
  }

  /** `requires` is for the write of the transaction: what entries check of one another is checked at their end. */
  async write(changes: readonly Change[], { requires = [] }: WriteOptions = {}): Promise<readonly WriteResult[]> {
    const results: WriteResult[] = [];
    for (const change of changes) {
      const key = `${change.type}/${change.id}`;
      const { result, record } = await this.#stage(key, change);
      results.push(result);
      if (result.outcome === 'matched') continue;
      if (this.#written.has(key)) throw repeated(key);
      this.#written.add(key);
      if (record !== undefined) this.#add(record);
    }
    this.#requires.push(...requires);
    return results;
  }

  #add(record: StagedRecord): void {
    const { version } = record;
    this.#length += version.text?.length ?? 0;
    const kept = this.#length > mostKept ? shortened(record) : record;
    this.#staged.set(`${version.type}/${version.id}`, kept);
    const ofType = this.#byType.get(version.type) ?? this.#createType(version.type);
    this.#byType.set(version.type, ofType);
    ofType.add(kept);
  }

  async #stage(key: string, change: Change): Promise<Staged> {
    try {
      return await stageChange(this, this.#parts.placeholder, change);
    } catch (error) {
      this.#stored.delete(key); // it is read again if its write is decided again
      // With a record of this transaction: deciding again would end the same.
      if (error instanceof VersionConflict && this.has(change.type, change.id)) throw repeated(key);
      throw error;
    }
  }

  async putAttachment(bytes: Uint8Array): Promise<{ readonly digest: string; readonly size: number }> {
    const { partition, storesAttachments } = this.#parts;
    if (storesAttachments) return partition.putAttachment(bytes);
    return { digest: await digestOf(bytes), size: bytes.length };
  }

  attachment(digest: string): Promise<Readable | undefined> {
    return this.#parts.partition.attachment(digest);
  }

  /** The attachments of the stored version of a record. */
  async attachedTo(type: string, id: string): Promise<readonly Attached[]> {
    return (await currentAttachments(this.#parts.partition, type, [id])).get(id) ?? [];
  }

  export(): AsyncIterable<KeptVersion> {
    throw noHistory();
  }

  moment(): Promise<number> {
    return Promise.reject(noHistory());
  }

  at(): AsyncIterable<MomentPage> {
    throw noHistory();
  }

  import(): Promise<void> {
    return Promise.reject(new Error('A transaction cannot import versions'));
  }

  mark(key: string): Promise<string | undefined> {
    return this.#parts.partition.mark(key);
  }

  #seen(type: string, id: string): StagedRecord | undefined {
    return this.#isHidden ? undefined : this.#staged.get(`${type}/${id}`);
  }

  #of(type: string): StagedType | undefined {
    return this.#isHidden ? undefined : this.#byType.get(type);
  }

  #createType(name: string): StagedType {
    const { model, extract, now } = this.#parts;
    const type = model.types.get(name);
    if (type === undefined) throw new Error(`\`${name}\` is not a declared type`);
    return new StagedType(type, { extract, partition: this, now });
  }
}

/**
 * One of many large records without its parsed value, which is made again when it is written, and with texts of its
 * own: parts of longer ones would keep these in memory.
 */
function shortened(record: StagedRecord): StagedRecord {
  const { change, version } = record;
  if (change.kind !== 'put') return record;
  const text = ownParts(change.text);
  const whole = text.before + stamp(version.version, version.lastUpdated) + text.after;
  return { ...record, change: { ...change, text, parsed: undefined }, version: { ...version, text: whole } };
}

const none = Promise.resolve(undefined);

/** https://hl7.org/fhir/R4/http.html#trules: identities must not overlap. */
export const repeated = (key: string): FhirError =>
  fhirError(400, 'duplicate', `Another entry of the transaction writes \`${key}\`: send them one after another.`);

const noHistory = (): FhirError =>
  fhirError(
    400,
    'not-supported',
    'A transaction cannot read a history, whose last versions get their time when it ends. Send a separate request.',
  );
