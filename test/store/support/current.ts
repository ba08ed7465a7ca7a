import type { StoredVersion } from '../../../src/store/port/records.ts';
import type { PartitionTransfer } from '../../../src/store/port/transfer.ts';

/**
 * The current records of a type in id order, without tombstones, after an id: read beside searches and their indexes.
 */
export async function* current(
  partition: Pick<PartitionTransfer, 'export'>,
  type: string,
  after?: string,
): AsyncIterable<StoredVersion> {
  let last: StoredVersion | undefined;
  for await (const { attachments: _attachments, ...version } of partition.export({
    type,
    after: after === undefined ? undefined : { type, id: after },
  })) {
    if (last?.text !== undefined && last.id !== version.id) yield last;
    last = version;
  }
  if (last?.text !== undefined) yield last;
}
