import { buffer } from 'node:stream/consumers';
import type { KeptVersion } from '../../store/port/transfer.ts';
import type { Mark } from '../../store/port/records.ts';
import type { Partition } from '../../store/port/partitions.ts';
import { OrderedWrites } from '../ordered-writes.ts';
import { migrationKey, type Position, printPosition } from './target.ts';

/** Maximum size of one write: versions, and characters of their texts; all versions of a resource stay together. */
const mostVersions = 500;
const mostText = 4 * 1024 * 1024;
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
  const writes = new OrderedWrites<Position['at']>(undefined);
  // What was durable when a batch was sent: an interrupted run continues there, and copies the running batches again,
  // which changes nothing.
  const mark = (): { mark?: Mark } =>
    writes.durable === undefined
      ? {}
      : { mark: { key: migrationKey, value: printPosition({ source, at: writes.durable }) } };
  const send = async (versions: readonly KeptVersion[]): Promise<void> => {
    const last = versions.at(-1);
    if (last !== undefined) await writes.send({ type: last.type, id: last.id }, () => to.import(versions, mark()));
  };
  const kept = new Set<string>();
  let batch: KeptVersion[] = [];
  let [text, records] = [0, 0];
  for await (const version of from.export({ after: at })) {
    const last = batch.at(-1);
    const isNew = version.id !== last?.id || version.type !== last.type;
    const isFull = batch.length >= mostVersions || text >= mostText;
    if (last !== undefined && isNew && (isFull || version.type !== last.type)) {
      await send(batch);
      yield { type: last.type, records };
      [batch, text] = [[], 0];
    }
    if (isNew) records += 1;
    await keepBytes(from, to, version, kept);
    batch.push(version);
    text += version.text?.length ?? 0;
  }
  await send(batch);
  await writes.end();
  if (mark().mark !== undefined) await to.import([], mark());
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
