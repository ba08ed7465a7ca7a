import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

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
