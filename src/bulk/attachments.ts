import type { Query } from '../search/ast.ts';
import { currentAttachments, pagesOf } from '../store/port/pages.ts';
import type { Attached } from '../store/port/blobs.ts';
import type { Partition } from '../store/port/partitions.ts';
import type { StoredVersion } from '../store/port/records.ts';

/** A record with its attachments, possibly none. */
export interface CarryingRecord {
  readonly record: StoredVersion;
  readonly attachments: readonly Attached[];
}

/** The matching records of a type in id order, each with its attachments. Throws the errors of a search. */
export async function* recordsWithAttachments(
  partition: Partition,
  type: string,
  query: Query,
): AsyncIterable<CarryingRecord> {
  for await (const versions of pagesOf(partition, type, query)) {
    const ids = versions.map(({ id }) => id);
    const attached = await currentAttachments(partition, type, ids);
    for (const record of versions) yield { record, attachments: attached.get(record.id) ?? [] };
  }
}
