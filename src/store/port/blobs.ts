import type { Readable } from 'node:stream';

/** The attachments of a partition, and the records that reference them. */
export interface BlobStore {
  /**
   * Stores bytes outside of the records, equal bytes once; durable when it resolves. Damaged bytes are written again.
   * After 7 days without a record that references them a sweep moves them to the trash, from which they are restored
   * when they are put again, or when a record references them. After 7 days there a sweep deletes them.
   */
  putAttachment(bytes: Uint8Array): Promise<{ readonly digest: string; readonly size: number }>;
  /** The bytes of a digest, also from the trash; undefined if they do not exist. */
  attachment(digest: string): Promise<Readable | undefined>;
}

/** The attachment at a path in a resource. */
export interface Attached {
  /** Element path, as in the definition of the type. */
  readonly path: string;
  /** SHA-256 in hex, lower case. */
  readonly digest: string;
  /** Size in bytes. */
  readonly size: number;
  readonly contentType: string;
}

/** The progress of verifying the attachments of a partition. */
export interface AttachmentProgress {
  readonly step: 'attachments';
  readonly partition: string;
  /** Attachments read so far. */
  readonly checked: number;
  readonly of: number;
  /** So far, of those without a record: the number outside of the trash, and the number in the trash. */
  readonly waiting: number;
  readonly trashed: number;
  /** Findings since the last report. */
  readonly findings: readonly AttachmentFinding[];
}

export interface AttachmentFinding {
  /**
   * `orphan`: no record references the bytes, and no sweep has taken them; `missing`: they do not exist; `trashed`:
   * they are only in the trash, from which the next sweep restores them; `size`, `digest`: they differ from what was
   * stored.
   */
  readonly is: 'orphan' | 'missing' | 'trashed' | 'size' | 'digest';
  /** The digest of the bytes, or the name of a file without one. */
  readonly digest: string;
  /** The records that reference them: `Type/id/_history/version`. */
  readonly records: readonly string[];
}

const day = 86_400_000;

/** How long attachments without a record stay in place, in milliseconds; then a sweep moves them to the trash. */
export const grace = 7 * day;

/** How long they stay in the trash, in milliseconds; then a sweep deletes them. */
export const trashTime = 7 * day;

/** The age of attachments without a record at which `verify` reports that no sweep has taken them, in milliseconds. */
export const overdue = grace + day;
