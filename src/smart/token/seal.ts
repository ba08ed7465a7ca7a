import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** An encrypted text, which only the secret opens. */
export interface Sealed {
  /** Base64url, like the others. */
  readonly salt: string;
  readonly iv: string;
  readonly tag: string;
  readonly text: string;
}

/**
 * Encrypts a text by AES-256-GCM, with a key derived from the secret and its own salt; `purpose` is authenticated with
 * it. https://csrc.nist.gov/pubs/sp/800/38/d/final
 */
export function seal(text: string, secret: string, purpose: string): Sealed {
  const [salt, iv] = [randomBytes(16), randomBytes(12)];
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret, salt, purpose), iv);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const print = (bytes: Buffer): string => bytes.toString('base64url');
  return { salt: print(salt), iv: print(iv), tag: print(cipher.getAuthTag()), text: print(sealed) };
}

/** The text; undefined if it was encrypted with another secret or for another purpose, or was changed. */
export function unseal({ salt, iv, tag, text }: Sealed, secret: string, purpose: string): string | undefined {
  const read = (part: string): Buffer => Buffer.from(part, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret, read(salt), purpose), read(iv), { authTagLength: 16 });
  decipher.setAuthTag(read(tag));
  try {
    return Buffer.concat([decipher.update(read(text)), decipher.final()]).toString();
  } catch {
    return undefined; // the authentication tag does not match
  }
}

/** A derived secret for one purpose, which does not reveal the original: 32 bytes, base64url. */
export const derivedSecret = (secret: string, purpose: string): string =>
  keyOf(secret, Buffer.alloc(0), purpose).toString('base64url');

/** HKDF, since the secret is random and needs no slow derivation. https://www.rfc-editor.org/rfc/rfc5869 */
const keyOf = (secret: string, salt: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, `clinical-records-service ${purpose}`, 32));
