import { commit } from '../interaction/write/commit.ts';
import type { CarryingChange } from '../interaction/write/context.ts';
import type { Partition } from '../store/port/partitions.ts';
import { PromiseLacking, VersionConflict } from '../store/port/errors.ts';
import type { WriteOptions, WriteResult } from '../store/port/records.ts';
import type { Counts } from './progress.ts';

/** The position before the first file and record. */
export const start = '0 0';

/** Most changes of a write. Larger writes are no faster, and their records take memory until they are durable. */
const mostChanges = 300;
/** Maximum text of a write, in characters, and its attachments, in bytes. */
const mostText = 4 * 1024 * 1024;
/** Concurrent writes: one is written while the next one waits, and the one after it is read. */
const mostInFlight = 2;

interface Batch {
  readonly changes: readonly CarryingChange[];
  /** The position of the load when this batch and all before it are durable. */
  readonly position: string;
  durable: boolean;
}

export interface BatchWriterParts {
  readonly partition: Partition;
  readonly counts: Counts;
  /** Key of the mark; undefined for none. */
  readonly key: string | undefined;
  /** The current value of the mark; undefined if it does not exist. */
  readonly marked: string | undefined;
}

/**
 * Writes changes in batches. Each batch has a mark of what was durable when it was
 * sent, so that an interrupted load continues there; the running batches are then loaded again, which changes nothing.
 */
export class BatchWriter {
  readonly #partition: Partition;
  readonly #counts: Counts;
  readonly #key: string | undefined;
  /** The position of the load with all added changes. */
  position: string;
  /** The position of the durable batches without a gap, and the value of the mark. */
  #durable: string;
  #marked: string | undefined;

  #changes: CarryingChange[] = [];
  #keys = new Set<string>();
  #bytes = 0;
  readonly #sent: Batch[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  constructor({ partition, counts, key, marked }: BatchWriterParts) {
    this.#partition = partition;
    this.#counts = counts;
    this.#key = key;
    this.#marked = marked;
    this.#durable = marked ?? start;
    this.position = this.#durable;
  }

  /** Adds a change; waits if enough writes are running. Throws the errors of writing. */
  add(carrying: CarryingChange): Promise<void> | undefined {
    const { change, contents } = carrying;
    const key = `${change.type}/${change.id}`;
    // Two versions of one resource are two commits, so that each has its own time, and the first is stored before the
    // second.
    if (this.#keys.has(key)) return this.flush().then(() => this.add(carrying));
    this.#changes.push(carrying);
    this.#keys.add(key);
    this.#bytes += change.kind === 'put' ? change.text.before.length + change.text.after.length : 0;
    for (const { bytes } of contents) this.#bytes += bytes.length;
    return this.#changes.length >= mostChanges || this.#bytes >= mostText ? this.#send() : undefined;
  }

  /** Everything that was added is durable when it resolves. */
  async flush(): Promise<void> {
    await this.#send();
    await Promise.all(this.#inFlight);
    this.#check();
    this.#durable = this.position;
  }

  /**
   * Writes changes atomically, after all others. Returns why nothing was written: a failed precondition, or a store
   * without transactions.
   */
  async alone(changes: readonly CarryingChange[]): Promise<VersionConflict | PromiseLacking | undefined> {
    await this.flush();
    try {
      this.#count(await commit(this.#partition, changes, this.#mark()));
      return undefined;
    } catch (error) {
      if (error instanceof VersionConflict || error instanceof PromiseLacking) return error;
      throw error;
    }
  }

  /** Flushes, and deletes the mark: loading again starts over. */
  async finish(): Promise<void> {
    await this.flush();
    this.#durable = start;
    const options = this.#mark();
    if (options.mark !== undefined) await this.#partition.write([], options);
  }

  /** Flushes, and stores the position in the mark, where the next load of the same continues. */
  async stop(): Promise<void> {
    await this.flush();
    const options = this.#mark();
    if (options.mark !== undefined) await this.#partition.write([], options);
  }

  async #send(): Promise<void> {
    if (this.#changes.length > 0) {
      const carries = this.#changes.some(({ contents }) => contents.length > 0);
      const batch = { changes: this.#changes, position: this.position, durable: false };
      this.#changes = [];
      this.#keys = new Set();
      this.#bytes = 0;
      this.#sent.push(batch);
      const run = this.#write(batch).finally(() => {
        this.#inFlight.delete(run);
      });
      this.#inFlight.add(run);
      // Its changes wait until the attachments are stored: no later change may overtake them.
      if (carries) await run;
    }
    while (this.#inFlight.size >= mostInFlight) await Promise.race(this.#inFlight);
    this.#check();
  }

  async #write(batch: Batch): Promise<void> {
    try {
      // One by one if the store has no transactions: a partial write is loaded again.
      this.#count(await commit(this.#partition, batch.changes, { ...this.#mark(), unit: 'each' }));
    } catch (error) {
      this.#failure ??= { error };
      return;
    }
    batch.durable = true;
    while (this.#sent[0]?.durable === true) this.#durable = this.#sent.shift()?.position ?? this.#durable;
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** The mark for the next commit; none if it is unchanged. */
  #mark(): WriteOptions {
    if (this.#key === undefined || this.#durable === (this.#marked ?? start)) return {};
    this.#marked = this.#durable;
    return { mark: { key: this.#key, value: this.#durable } };
  }

  #count(results: readonly WriteResult[]): void {
    for (const { outcome } of results)
      this.#counts[outcome === 'matched' || outcome === 'repeated' ? 'unchanged' : outcome]++;
  }
}
