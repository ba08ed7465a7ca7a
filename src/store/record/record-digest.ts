import { hash } from 'node:crypto';
import type { Attached } from '../port/blobs.ts';
import type { KeptVersion } from '../port/transfer.ts';

/**
 * SHA-256 as base64url of a version with all data beside its text, to detect damage of either. `partition` is the key
 * of the partition in the store, which is never reused. A tombstone has a digest too.
 */
export function recordDigest(partition: number | string, version: KeptVersion): string {
  const { type, id, version: number, lastUpdated, text, attachments } = version;
  const carried = attachments.length === 0 ? '' : printAttached(attachments);
  const head = `${partition}/${type}/${id}/${number}/${lastUpdated}${carried}\n`;
  return hash('sha256', text === undefined ? `${head}deleted` : `${head}\n${text}`, 'base64url');
}

/** SHA-256 as base64url of other data: a document, a mark, the key of a write. */
export function valueDigest(parts: readonly (string | number | null)[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}

/** Attachments as a text, by which they are compared. */
export const printAttached = (attachments: readonly Attached[]): string =>
  JSON.stringify(attachments.map(({ path, digest, size, contentType }) => [path, digest, size, contentType]));
