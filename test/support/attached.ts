import type { Attached } from '../../src/store/port/blobs.ts';
import type { Partition } from '../../src/store/port/partitions.ts';
import type { KeptVersion } from '../../src/store/port/transfer.ts';

/** An attachment with the version of the record that has it. */
export type RecordAttachment = Attached & Pick<KeptVersion, 'type' | 'id' | 'version'>;

/** The attachments of the current records of a type, by id. */
export async function attachmentsIn(
  partition: Pick<Partition, 'export'>,
  type: string,
): Promise<readonly RecordAttachment[]> {
  const current = new Map<string, KeptVersion>();
  for await (const version of partition.export({ type })) current.set(version.id, version); // the newest comes last
  return [...current.values()].flatMap(({ id, version, attachments }) =>
    attachments.map(({ path, digest, size, contentType }) => ({ type, id, version, path, digest, size, contentType })),
  );
}
