import type { ResourceType } from '../../model/model.ts';
import type { AttachmentProgress } from '../port/blobs.ts';
import type { PartitionIdentity } from '../port/partitions.ts';
import type { StoreProgress, VerifyScope } from '../port/transfer.ts';
import { type IndexDriver, requirePartition, typesIn } from './indexes.ts';
import { type Part, reportParts } from './report.ts';
import { type KeptBytes, verifyAttachments } from './verify-attachments.ts';

/** The verification operations of a driver; `P` is its type of partitions. */
export interface VerifyDriver<P extends PartitionIdentity> {
  readonly indexes: IndexDriver<P>;
  /** All data except attachments, or that of one partition. */
  readonly parts: (partition: string | undefined) => AsyncIterable<Part>;
  readonly bytes: (partition: P) => KeptBytes;
}

/** Verifies a scope. Throws Error for an unknown partition or type. */
export async function* verify<P extends PartitionIdentity>(
  { indexes, parts, bytes }: VerifyDriver<P>,
  { partition, only, type }: VerifyScope = {},
): AsyncIterable<StoreProgress | AttachmentProgress> {
  if (only === undefined) {
    yield* reportParts(parts(partition));
    return;
  }
  const all = partition === undefined ? await indexes.partitions() : [await requirePartition(indexes, partition)];
  for (const one of all) {
    if (only === 'attachments') yield* verifyAttachments(one.id, bytes(one));
    else for (const ofType of typesIn(indexes.options(), type)) yield* verifyType(indexes, one, ofType);
  }
}

async function* verifyType<P extends PartitionIdentity>(
  indexes: IndexDriver<P>,
  partition: P,
  type: ResourceType,
): AsyncIterable<StoreProgress> {
  const [state] = await indexes.states(partition, type);
  let checked = 0;
  for await (const { findings, checked: more } of indexes.verify(partition, type)) {
    checked += more;
    yield { step: 'indexes', type: type.name, checked, of: Math.max(state?.of ?? 0, checked), findings };
  }
}
