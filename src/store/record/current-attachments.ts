import type { Attached } from '../port/blobs.ts';
import type { PartitionTransfer } from '../port/transfer.ts';

/** The attachments of the current versions of records of a type, by id; a deleted record has none. */
export async function currentAttachments(
  partition: Pick<PartitionTransfer, 'export'>,
  type: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly Attached[]>> {
  const found = new Map<string, readonly Attached[]>();
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return found;
  const scope = { order: 'newest', of: [{ type, ids: wanted }], slice: wanted.length } as const;
  for await (const { id, attachments } of partition.export(scope)) {
    if (!found.has(id)) found.set(id, attachments); // the newest version comes first
    if (found.size === wanted.length) break;
  }
  return found;
}
