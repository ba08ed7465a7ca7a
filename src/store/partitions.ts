import type { BlobStore } from './blobs.ts';
import type { PartitionIndexes } from './indexes.ts';
import type { RecordStore } from './records.ts';
import type { PartitionTransfer } from './transfer.ts';

/** What a partition keeps, apart from all others. */
export interface Partition extends RecordStore, BlobStore, PartitionIndexes, PartitionTransfer {
  readonly id: string;
  readonly settings: PartitionSettings;
}

export interface PartitionSettings {
  /** IANA zone in which dateTimes without a zone are read; default `UTC`. */
  readonly zone: string;
}

export interface PartitionAdmin {
  /** Throws `PartitionExists` where the id is taken with other settings. */
  add(id: string, settings: PartitionSettings): Promise<void>;
  /** In the order of ids. Counts the resources, which takes a while where they are many. */
  list(): Promise<readonly { readonly id: string; readonly settings: PartitionSettings; readonly resources: number }[]>;
  /** Their ids alone, in order. */
  ids(): Promise<readonly string[]>;
  /** Removes the partition with everything in it; false where there is none. */
  remove(id: string): Promise<boolean>;
}
