import { AttachmentMissing } from '../store/port/errors.ts';
import type { Attached } from '../store/port/blobs.ts';
import type { Change, WriteOptions, WriteResult } from '../store/port/records.ts';
import type { Partition } from '../store/port/partitions.ts';
import type { Content } from './content.ts';

/** A change with its attachments. */
export interface CarryingChange {
  readonly change: Change;
  /** Empty: a new version keeps the attachments of the one before. */
  readonly contents: readonly Content[];
}

/** Records whose attachments are stored concurrently: each waits for three flushes. */
const atOnce = 8;

/**
 * Writes changes as `Partition.write` does, after their attachments are durable. Retries once if attachments were
 * deleted in between, since no record referenced them yet. Throws the errors of `Partition.write`.
 */
export async function writeCarrying(
  partition: Partition,
  carrying: readonly CarryingChange[],
  options: WriteOptions,
): Promise<readonly WriteResult[]> {
  const attempt = async (): Promise<readonly WriteResult[]> =>
    partition.write(await keepAll(partition, carrying), options);
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof AttachmentMissing) return attempt();
    throw error;
  }
}

/** The changes, with the stored attachments of each. */
async function keepAll(partition: Partition, carrying: readonly CarryingChange[]): Promise<readonly Change[]> {
  const changes = carrying.map(({ change }) => change);
  const rest = carrying.entries();
  const work = async (): Promise<void> => {
    for (const [at, { change, contents }] of rest) {
      if (change.kind === 'put' && contents.length > 0) {
        changes[at] = { ...change, attachments: await keep(partition, contents) };
      }
    }
  };
  const workers = carrying.filter(({ contents }) => contents.length > 0).length;
  await Promise.all(Array.from({ length: Math.min(atOnce, workers) }, work));
  return changes;
}

async function keep(partition: Partition, contents: readonly Content[]): Promise<readonly Attached[]> {
  const kept: Attached[] = [];
  for (const { path, bytes, owner } of contents) {
    kept.push({ path, ...(await partition.putAttachment(bytes)), contentType: String(owner['contentType']) });
  }
  return kept;
}
