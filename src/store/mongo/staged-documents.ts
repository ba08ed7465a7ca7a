import type { Change, WriteResult } from '../port/records.ts';
import { requireAttachments } from './attachments.ts';
import type { Core, PartitionInfo, Step } from './core.ts';
import { createdBefore } from './created.ts';
import { readMany, type Stored } from './current.ts';
import type { HistoryDocument } from './layout.ts';
import { declared, historyOf, nextDocument, nextStamp, outcomeOf } from './prepare.ts';
import { insertEach, type NextDocument, putDocuments } from './put-documents.ts';

/** What is written of a type: the next documents by `_id`, and the versions that they replace. */
interface Staged {
  readonly next: Map<string, NextDocument>;
  readonly older: HistoryDocument[];
}

/**
 * The documents that the changes of a write make, each from the version that the changes before it have made: part by
 * part, each read before its changes are added.
 */
export class StagedDocuments {
  readonly #core: Core;
  readonly #partition: PartitionInfo;
  readonly #step: Step;
  /** `lastUpdated` of all changes, but of a second one of the same record. */
  readonly #updated: number;
  /** The current versions by `Type/id`. */
  #current = new Map<string, Stored>();
  #staged = new Map<string, Staged>();

  constructor(core: Core, partition: PartitionInfo, step: Step) {
    this.#core = core;
    this.#partition = partition;
    this.#step = step;
    this.#updated = nextStamp(core, partition.p);
  }

  /**
   * Reads the current versions of the records that changes concern; with `news` those of all but new ones, whose
   * inserts decide whether they exist. The attachments of the changes stay until these are done. Throws
   * `AttachmentMissing`.
   */
  async read(changes: readonly Change[], news: (change: Change) => boolean): Promise<void> {
    const { p } = this.#partition;
    this.#current = new Map();
    for (const [type, of] of Map.groupBy(changes, change => change.type)) {
      const attached = of.flatMap(change => (change.kind === 'put' ? (change.attachments ?? []) : []));
      await requireAttachments(this.#core, p, attached, type);
      const ids = new Set(of.filter(change => !news(change)).map(({ id }) => id));
      for (const [id, stored] of await readMany(this.#core, p, type, [...ids], this.#step))
        this.#current.set(`${type}/${id}`, stored);
    }
  }

  /** Whether there is a document of the record of a change. */
  isThere({ type, id }: Change): boolean {
    return this.#current.has(`${type}/${id}`);
  }

  /** Makes the document of a change. Throws `VersionConflict`, `RecordTooLarge`, Error for an undeclared type. */
  async add(change: Change): Promise<WriteResult> {
    const { type, id } = change;
    declared(this.#core, type);
    const before = this.#current.get(`${type}/${id}`);
    const outcome = outcomeOf(change, before);
    if (outcome === 'unchanged') return resultOf(outcome, id, before ?? { version: 0, updated: 0 });
    const created = await createdBefore(this.#core, this.#partition.p, type, before, this.#step);
    const manner = { updated: this.#updated, created };
    const document = nextDocument(this.#core, this.#partition, change, before, manner);
    this.#current.set(`${type}/${id}`, document);
    const staged: Staged = this.#staged.get(type) ?? { next: new Map(), older: [] };
    this.#staged.set(type, staged);
    if (before !== undefined) staged.older.push(historyOf(before));
    const first = staged.next.get(document._id);
    staged.next.set(document._id, { before: first === undefined ? before : first.before, document });
    return resultOf(outcome, id, document);
  }

  /** Writes the documents that were made so far. Throws `LostRace`, `RecordTooLarge`. */
  async flush(): Promise<void> {
    const staged = this.#staged;
    this.#staged = new Map();
    for (const [type, { next, older }] of staged)
      await putDocuments(this.#core, type, [...next.values()], older, this.#step);
  }

  /**
   * Inserts the documents that were made so far, all of new records of a type, each for itself. Returns the ids that
   * other writers have taken. Throws `RecordTooLarge`.
   */
  async insertEach(type: string): Promise<ReadonlySet<string>> {
    const documents = [...(this.#staged.get(type)?.next.values() ?? [])].map(({ document }) => document);
    const taken = await insertEach(this.#core, type, documents);
    return new Set(taken.map(({ _id, p }) => _id.slice(p.length + 1)));
  }
}

const resultOf = (
  outcome: WriteResult['outcome'],
  id: string,
  { version, updated }: Pick<Stored, 'version' | 'updated'>,
): WriteResult => ({ outcome, id, version, lastUpdated: updated });
