import type { PartitionIdentity } from '../../store/partitions.ts';

/** A partition. */
export interface Place {
  readonly partition: PartitionIdentity;
  /** `{publicUrl}/r4/{partition}`, no trailing slash. */
  readonly base: string;
}
