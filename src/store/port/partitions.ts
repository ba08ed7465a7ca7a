import type { BlobStore } from './blobs.ts';
import type { RecordStore } from './records.ts';
import type { StoreDefinitions } from './definitions.ts';
import type { MomentReader, PartitionTransfer } from './transfer.ts';

/** The content of a partition, separate from all others. */
export interface Partition extends PartitionIdentity, RecordStore, BlobStore, PartitionTransfer, MomentReader {
  /** What applied in the partition when it was opened, and does for this object: those of its records included. */
  readonly definitions: StoreDefinitions;
}

/** The identity of a partition, as a value. */
export interface PartitionIdentity {
  readonly id: string;
  readonly settings: PartitionSettings;
}

export interface PartitionSettings {
  /** IANA zone of dateTimes without a zone; default `UTC`. */
  readonly zone: string;
}

export interface PartitionAdmin {
  /** Throws `PartitionExists` if the id is used with other settings. */
  add(id: string, settings: PartitionSettings): Promise<void>;
  /** In the order of ids. */
  list(): Promise<readonly PartitionIdentity[]>;
  /** Removes the partition with all of its content; false if there is none. */
  remove(id: string): Promise<boolean>;
}
