import { buffer } from 'node:stream/consumers';
import type { KeptVersion } from '../../store/port/transfer.ts';
import type { Mark } from '../../store/port/records.ts';
import type { Partition } from '../../store/port/partitions.ts';
import { migrationKey, type Position, printPosition } from './position.ts';

/** Maximum size of one write: versions, and characters of their texts; all versions of a resource stay together. */
const mostVersions = 500;
const mostText = 4 * 1024 * 1024;
/** Concurrent writes: one is written while the next is read. */
const mostInFlight = 2;

/** How many records were copied so far, and the type of the last. */
export interface Copied {
  readonly type: string;
  readonly records: number;
}

/**
 * Copies all versions of a partition with the bytes of their attachments, from where an earlier run stopped. Reports
 * progress after each batch, which has records of one type. Throws Error where the source has lost bytes, and what the
 * stores throw.
 */
export async function* copyRecords(
  from: Partition,
  to: Partition,
  { source, at }: Position,
): AsyncGenerator<Copied, void> {
  const writes = new Writes(to, source);
  const kept = new Set<string>();
  let batch: KeptVersion[] = [];
  let [text, records] = [0, 0];
  for await (const version of from.export({ after: at })) {
    const last = batch.at(-1);
    const isNew = version.id !== last?.id || version.type !== last.type;
    const isFull = batch.length >= mostVersions || text >= mostText;
    if (last !== undefined && isNew && (isFull || version.type !== last.type)) {
      await writes.send(batch);
      yield { type: last.type, records };
      [batch, text] = [[], 0];
    }
    if (isNew) records += 1;
    await keepBytes(from, to, version, kept);
    batch.push(version);
    text += version.text?.length ?? 0;
  }
  await writes.send(batch);
  await writes.end();
  yield { type: batch.at(-1)?.type ?? '', records };
}

/** Attachments are stored before their records. `kept` are those that this run has copied. */
async function keepBytes(from: Partition, to: Partition, version: KeptVersion, kept: Set<string>): Promise<void> {
  for (const { digest } of version.attachments) {
    if (kept.has(digest)) continue;
    const name = `The attachment ${digest} of ${version.type}/${version.id}/_history/${version.version}`;
    const stream = await from.attachment(digest);
    if (stream === undefined)
      throw new Error(`${name} does not exist in the source: \`verify\` lists all missing ones`);
    const copied = await to.putAttachment(await buffer(stream));
    if (copied.digest !== digest) throw new Error(`${name} is damaged in the source: \`verify\` lists all damage`);
    kept.add(digest);
  }
}

/**
 * Writes batches, two at a time. Each has a mark of what was durable when it was sent: an interrupted run continues
 * there, and copies the running batches again, which changes nothing.
 */
class Writes {
  readonly #to: Partition;
  readonly #source: string;
  readonly #sent: { readonly at: Position['at']; durable: boolean }[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #durable: Position['at'];
  #failure: { readonly error: unknown } | undefined;

  constructor(to: Partition, source: string) {
    this.#to = to;
    this.#source = source;
  }

  async send(batch: readonly KeptVersion[]): Promise<void> {
    const last = batch.at(-1);
    if (last === undefined) return;
    const write = this.#write(batch, { at: { type: last.type, id: last.id }, durable: false });
    this.#underWay.add(write);
    void write.finally(() => this.#underWay.delete(write));
    while (this.#underWay.size >= mostInFlight) await Promise.race(this.#underWay);
    this.#check();
  }

  /** All is durable when it resolves, and the mark records it. */
  async end(): Promise<void> {
    await Promise.all(this.#underWay);
    this.#check();
    const { mark } = this.#mark();
    if (mark !== undefined) await this.#to.import([], { mark });
  }

  async #write(batch: readonly KeptVersion[], sent: { at: Position['at']; durable: boolean }): Promise<void> {
    this.#sent.push(sent);
    try {
      await this.#to.import(batch, this.#mark());
    } catch (error) {
      this.#failure ??= { error };
      return;
    }
    sent.durable = true;
    while (this.#sent[0]?.durable === true) this.#durable = this.#sent.shift()?.at;
  }

  #mark(): { mark?: Mark } {
    if (this.#durable === undefined) return {};
    return { mark: { key: migrationKey, value: printPosition({ source: this.#source, at: this.#durable }) } };
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
