import { commit } from '../interaction/write/commit.ts';
import type { CarryingChange } from '../interaction/write/context.ts';
import type { Partition } from '../store/port/partitions.ts';
import { RequirementFailed, VersionConflict } from '../store/port/errors.ts';
import type { Requirement, WriteOptions } from '../store/port/records.ts';
import { OrderedWrites } from './ordered-writes.ts';
import type { Counts } from './progress.ts';

/** The position before the first file and record. */
export const start = '0 0';

/** Most changes of a write. Larger writes are no faster, and their records take memory until they are durable. */
const mostChanges = 300;
/** Maximum text of a write, in characters, and its attachments, in bytes. */
const mostText = 4 * 1024 * 1024;
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
  /** With the position of the durable batches. */
  readonly #writes: OrderedWrites<string>;
  /** The value of the mark. */
  #marked: string | undefined;

  #changes: CarryingChange[] = [];
  #keys = new Set<string>();
  #bytes = 0;

  constructor({ partition, counts, key, marked }: BatchWriterParts) {
    this.#partition = partition;
    this.#counts = counts;
    this.#key = key;
    this.#marked = marked;
    this.position = marked ?? start;
    this.#writes = new OrderedWrites(this.position);
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
    await this.#writes.end();
    this.#writes.durable = this.position;
  }

  /**
   * Writes changes atomically, after all others. Returns why nothing was written: a precondition or a requirement that
   * does not hold, or a store without transactions.
   */
  async alone(changes: readonly CarryingChange[], requires: readonly Requirement[] = []): Promise<Error | undefined> {
    await this.flush();
    try {
      await commit(this.#partition, changes, { ...this.#mark(), requires }, this.#counts.committed);
      return undefined;
    } catch (error) {
      const isRefusal = [VersionConflict, RequirementFailed].some(refusal => error instanceof refusal);
      if (isRefusal && error instanceof Error) return error;
      throw error;
    }
  }

  /** Flushes, and deletes the mark: loading again starts over. */
  async finish(): Promise<void> {
    await this.flush();
    this.#writes.durable = start;
    await this.#writeMark();
  }

  /** Flushes, and stores the position in the mark, where the next load of the same continues. */
  async stop(): Promise<void> {
    await this.flush();
    await this.#writeMark();
  }

  async #writeMark(): Promise<void> {
    const options = this.#mark();
    if (options.mark !== undefined) await this.#partition.write([], options);
  }

  async #send(): Promise<void> {
    if (this.#changes.length === 0) return;
    const changes = this.#changes;
    const carries = changes.some(({ contents }) => contents.length > 0);
    this.#changes = [];
    this.#keys = new Set();
    this.#bytes = 0;
    // One by one if the store has no transactions: a partial write is loaded again.
    const write = () => commit(this.#partition, changes, { ...this.#mark(), unit: 'each' }, this.#counts.committed);
    // Its changes wait until the attachments are stored: no later change may overtake them.
    await this.#writes.send(this.position, write, carries);
  }

  /** The mark for the next commit; none if it is unchanged. */
  #mark(): WriteOptions {
    const { durable } = this.#writes;
    if (this.#key === undefined || durable === (this.#marked ?? start)) return {};
    this.#marked = durable;
    return { mark: { key: this.#key, value: durable } };
  }
}
