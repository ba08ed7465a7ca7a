import { randomUUID } from 'node:crypto';
import type { DocumentStore } from '../store/documents.ts';

/** Where it is kept: `store.documents(onceCollection)`. */
export const onceCollection = 'once';

/**
 * True for the first who asks for the key, in whatever process; false for everybody else until `expires` (milliseconds since 1970
 * UTC). The key is a digest, or has one in it.
 */
export async function isFirst(once: DocumentStore, key: string, expires: number): Promise<boolean> {
  const mine = randomUUID();
  return (await once.putIfAbsent(key, mine, expires)) === mine;
}
