import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** What is kept of a text that only who has the secret may read. */
export interface Sealed {
  /** Base64url, as are the others. */
  readonly salt: string;
  readonly iv: string;
  readonly tag: string;
  readonly text: string;
}

/**
 * Encrypts a text by AES-256-GCM, with a key that follows from the secret and a salt of its own; `purpose` is bound to it.
 * https://csrc.nist.gov/pubs/sp/800/38/d/final
 */
export function seal(text: string, secret: string, purpose: string): Sealed {
  const [salt, iv] = [randomBytes(16), randomBytes(12)];
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret, salt, purpose), iv);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const print = (bytes: Buffer): string => bytes.toString('base64url');
  return { salt: print(salt), iv: print(iv), tag: print(cipher.getAuthTag()), text: print(sealed) };
}

/** The text; undefined where it was sealed with another secret or for another purpose, or was changed. */
export function unseal({ salt, iv, tag, text }: Sealed, secret: string, purpose: string): string | undefined {
  const read = (part: string): Buffer => Buffer.from(part, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret, read(salt), purpose), read(iv), { authTagLength: 16 });
  decipher.setAuthTag(read(tag));
  try {
    return Buffer.concat([decipher.update(read(text)), decipher.final()]).toString();
  } catch {
    return undefined; // the tag does not fit
  }
}

/** A secret for one purpose that tells nothing of the one that it follows from: 32 bytes, base64url. */
export const derivedSecret = (secret: string, purpose: string): string =>
  keyOf(secret, Buffer.alloc(0), purpose).toString('base64url');

/** https://www.rfc-editor.org/rfc/rfc5869 - the secret is random, so that nothing has to be made slow. */
const keyOf = (secret: string, salt: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, `clinical-records-service ${purpose}`, 32));
