import type { ResourceType } from '../../model/model.ts';
import type { AttachmentProgress } from '../port/blobs.ts';
import type { PartitionIdentity } from '../port/partitions.ts';
import type { StoreFinding, StoreProgress, VerifyScope } from '../port/transfer.ts';
import { type Checked, type IndexDriver, requirePartition, typesIn } from './indexes.ts';
import { type KeptBytes, verifyAttachments } from './verify-attachments.ts';

/** The verification operations of a driver; `P` is its type of partitions. */
export interface VerifyDriver<P extends PartitionIdentity> {
  readonly indexes: IndexDriver<P>;
  /** All data except attachments, or that of one partition. */
  readonly parts: (partition: string | undefined) => AsyncIterable<CheckedPart>;
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
    else {
      const own = await indexes.within(one);
      for (const ofType of typesIn(own.options(), type)) yield* verifyType(own, one, ofType);
    }
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

/** A part of a verification; it is read only when those before it are done. */
export interface CheckedPart {
  readonly step: StoreProgress['step'];
  /** The total, if it is known. */
  readonly of?: number;
  readonly read: AsyncIterable<Checked>;
}

/** Reads the parts one after the other and reports progress; each finding once. */
export async function* reportParts(parts: AsyncIterable<CheckedPart>): AsyncIterable<StoreProgress> {
  const isNew = createFilter();
  const checked = { file: 0, records: 0, versions: 0, values: 0, indexes: 0 };
  for await (const { step, of, read } of parts)
    for await (const one of read) {
      checked[step] += one.checked;
      yield { step, checked: checked[step], of, findings: one.findings.filter(isNew) };
    }
}

/** Filters duplicate findings. A damaged record is reported once, whatever else follows from its damage. */
function createFilter(): (finding: StoreFinding) => boolean {
  const reported = new Set<string>();
  return ({ is, partition = '', what, why }) => {
    const key = JSON.stringify([partition, what, isOfRecord.has(is) ? '' : why]);
    const isNew = !reported.has(key);
    reported.add(key);
    return isNew;
  };
}

const isOfRecord: ReadonlySet<StoreFinding['is']> = new Set(['altered', 'text', 'stamp']);
