import type { Query } from '../search/ast.ts';
import type { KeptAttachment } from '../store/blobs.ts';
import { pagesOf } from '../store/pages.ts';
import type { Partition } from '../store/partitions.ts';
import type { StoredVersion } from '../store/records.ts';

/** A record with its attachments, possibly none. */
export interface CarryingRecord {
  readonly record: StoredVersion;
  readonly attachments: readonly KeptAttachment[];
}

/** The matching records of a type in id order, each with its attachments. Throws the errors of a search. */
export async function* recordsWithAttachments(
  partition: Partition,
  type: string,
  query: Query,
): AsyncIterable<CarryingRecord> {
  for await (const versions of pagesOf(partition, type, query)) {
    const ids = versions.map(({ id }) => id);
    const carried = new Map<string, KeptAttachment[]>(ids.map(id => [id, []]));
    for await (const attachment of partition.attachments(type, ids)) carried.get(attachment.id)?.push(attachment);
    for (const record of versions) yield { record, attachments: carried.get(record.id) ?? [] };
  }
}
