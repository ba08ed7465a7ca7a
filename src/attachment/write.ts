import { AttachmentMissing } from '../store/errors.ts';
import type { Attached } from '../store/blobs.ts';
import type { Change, WriteOptions, WriteResult } from '../store/records.ts';
import type { Partition } from '../store/partitions.ts';
import type { Content } from './content.ts';

/** A change with the bytes that it brings. */
export interface CarryingChange {
  readonly change: Change;
  /** None: a new version carries what the one before does. */
  readonly contents: readonly Content[];
}

/** Records whose bytes are kept at once: each waits for the disk three times. */
const atOnce = 8;

/**
 * Writes changes as `Partition.write` does, after their bytes are kept apart and durable. Once more where bytes went away in
 * between, since nothing referred to them yet. Throws what `Partition.write` throws.
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

/** The changes, with what was kept for each. */
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
