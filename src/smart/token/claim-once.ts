import { randomUUID } from 'node:crypto';
import type { DocumentStore } from '../../store/port/documents.ts';

/** The collection of used keys: `store.documents(onceCollection)`. */
export const usedKeyCollection = 'once';

/**
 * True for the first caller with the key in any process, false for all others until `expires` (milliseconds since 1970
 * UTC). The key is a digest, or contains one.
 */
export async function claimOnce(once: DocumentStore, key: string, expires: number): Promise<boolean> {
  const mine = randomUUID();
  return (await once.put(key, mine, { expires, ifAbsent: true })) === mine;
}
