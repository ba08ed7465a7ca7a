import type { BlobStore } from './blobs.ts';
import type { RecordStore } from './records.ts';
import type { PartitionTransfer } from './transfer.ts';

/** What a partition keeps, apart from all others. */
export interface Partition extends PartitionIdentity, RecordStore, BlobStore, PartitionTransfer {}

/** Which partition it is, as a value. */
export interface PartitionIdentity {
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
  /** In the order of ids. */
  list(): Promise<readonly PartitionIdentity[]>;
  /** Removes the partition with everything in it; false where there is none. */
  remove(id: string): Promise<boolean>;
}
