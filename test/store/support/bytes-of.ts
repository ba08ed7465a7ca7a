import { createHash } from 'node:crypto';

/**
 * Bytes that follow from a name, between 1 KB and 64 KB; names that end in the same digit share theirs now and then.
 */
export function bytesOf(name: string): Uint8Array {
  const shared = name.endsWith('7') ? 'shared' : name;
  const seed = createHash('sha256').update(shared).digest();
  return Buffer.alloc(1024 * (1 + ((seed[0] ?? 0) % 64)), seed);
}

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
