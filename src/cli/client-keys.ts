import { readFileSync } from 'node:fs';
import { keySet, webUrl } from '../smart/accounts/account-rules.ts';
import type { RegisteredClient } from '../smart/accounts/registered.ts';
import type { Flag, Given } from '../config/flag.ts';

/** The public keys of a client. */
export const keyFlags = [
  { flag: 'jwks', value: 'FILE', read: keysIn, meaning: 'File with its public keys, a JSON Web Key Set' },
  { flag: 'jwks-url', value: 'URL', read: webUrl, meaning: 'URL of its public keys, instead of a file' },
] as const satisfies readonly Flag[];

/** Public keys, or their URL. */
export type Keys = Pick<RegisteredClient, 'jwks' | 'jwksUrl'>;

/** The keys of these flags. */
export function keysOf(own: Given<typeof keyFlags>): Keys {
  return { jwks: own.jwks, jwksUrl: own['jwks-url'] };
}

function keysIn(path: string): RegisteredClient['jwks'] {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    const why = cause instanceof SyntaxError ? 'is not JSON.' : 'cannot be read.';
    throw new Error(`names \`${path}\`, which ${why}`, { cause });
  }
  try {
    return keySet(value);
  } catch (cause) {
    throw new Error(`names \`${path}\`, which ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
