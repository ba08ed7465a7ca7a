import { hash } from 'node:crypto';
import type { Attached } from './blobs.ts';
import type { KeptVersion } from './transfer.ts';

/**
 * SHA-256 as base64url of a version with all that is kept beside its text: so damage of either is found. `partition` is
 * the key by which the store knows the partition, which it never uses again. A tombstone has a digest too.
 */
export function recordDigest(partition: number | string, version: KeptVersion): string {
  const { type, id, version: number, lastUpdated, text, attachments } = version;
  const carried = attachments.length === 0 ? '' : printAttached(attachments);
  const head = `${partition}/${type}/${id}/${number}/${lastUpdated}${carried}\n`;
  return hash('sha256', text === undefined ? `${head}deleted` : `${head}\n${text}`, 'base64url');
}

/** SHA-256 as base64url of what is kept of something small: a document, a mark, the key of a write. */
export function valueDigest(parts: readonly (string | number | null)[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}

const printAttached = (attachments: readonly Attached[]): string =>
  JSON.stringify(attachments.map(({ path, digest, size, contentType }) => [path, digest, size, contentType]));
