import type { Readable } from 'node:stream';

/** The bytes of attachments of a partition, and which records carry them. */
export interface BlobStore {
  /**
   * Keeps bytes apart from the records, the same bytes once; durable when it resolves. Where those that are there are
   * damaged they are written again. After 7 days without a record that refers to them a sweep moves them to the trash,
   * from which they come back when they are put again, or when a record refers to them. After 7 days there a sweep
   * deletes them (attachment-ages.ts).
   */
  putAttachment(bytes: Uint8Array): Promise<{ readonly digest: string; readonly size: number }>;
  /** The bytes of a digest, also those in the trash; undefined where they are not kept. */
  attachment(digest: string): Promise<Readable | undefined>;
  /** What the current resources of a type carry, or these of them alone, in id order. */
  attachments(type: string, ids?: readonly string[]): AsyncIterable<KeptAttachment>;
}

/** Bytes that belong to a place in a resource. */
export interface Attached {
  /** Element path, as the definition of the type names it. */
  readonly path: string;
  /** SHA-256 in hex, lower case. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
  readonly contentType: string;
}

export interface KeptAttachment extends Attached {
  readonly type: string;
  readonly id: string;
  readonly version: number;
}

/** How far the bytes of a partition are verified. */
export interface AttachmentProgress {
  readonly step: 'attachments';
  readonly partition: string;
  /** Files of bytes read so far. */
  readonly checked: number;
  readonly of: number;
  /** So far, of those without a record: how many wait for one, and how many more are in the trash. */
  readonly waiting: number;
  readonly trashed: number;
  /** What was found since the last report. */
  readonly findings: readonly AttachmentFinding[];
}

export interface AttachmentFinding {
  /**
   * `orphan`: no record refers to the bytes, and no sweep has taken them; `missing`: they are not there; `trashed`:
   * they are in the trash alone, from which the next sweep takes them back; `size`, `digest`: they are not what was
   * kept.
   */
  readonly is: 'orphan' | 'missing' | 'trashed' | 'size' | 'digest';
  /** The digest by which the bytes are kept, or the name of a file that is not one. */
  readonly digest: string;
  /** Who refers to them: `Type/id/_history/version`. */
  readonly records: readonly string[];
}
