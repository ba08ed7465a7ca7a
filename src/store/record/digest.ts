import { createHash, hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Attached } from '../port/blobs.ts';
import type { KeptVersion } from '../port/transfer.ts';

/** Bytes that are hashed before the event loop gets a turn. */
const hashSlice = 1024 * 1024;

/** SHA-256 in hex, lower case; long input yields to the event loop. */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += hashSlice) {
    if (at > 0) await setImmediate();
    hash.update(bytes.subarray(at, at + hashSlice));
  }
  return hash.digest('hex');
}

/** Size in bytes, and SHA-256 in hex, of a stream. Throws its errors. */
export async function measure(
  parts: AsyncIterable<Uint8Array>,
): Promise<{ readonly digest: string; readonly size: number }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const part of parts) {
    hash.update(part);
    size += part.length;
  }
  return { digest: hash.digest('hex'), size };
}

/** Whether a text is such a digest. */
export function isDigest(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

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
