import { createCipheriv, createDecipheriv, createSecretKey, randomFillSync } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Encrypts and authenticates texts as tokens: a token reveals nothing of its text, and only the key makes one. */
export interface Sealing {
  /** Returns base64url, a different token each time. */
  seal(text: string): string;
  /** Returns the text of a token of `seal`; undefined for any other text. */
  open(token: string): string | undefined;
}

/**
 * Sealing by AES-256-GCM under `secret` (32 bytes), with a random IV for each token: at most 2^32 tokens for a secret.
 * https://nvlpubs.nist.gov/nistpubs/Legacy/SP/nistspecialpublication800-38d.pdf (8.2.2, 8.3)
 * A token is `name` (by which its key is found), IV, encrypted text, authentication tag.
 */
export function createSealing(name: Buffer, secret: Buffer): Sealing {
  const key = createSecretKey(secret);
  const nextIv = createIvs();
  const head = name.length + IV;

  const seal = (text: string): string => {
    const iv = nextIv();
    const cipher = createCipheriv(ALGORITHM, key, iv, options);
    const encrypted = text.length < WORTH_DEFLATING ? cipher.update(PLAIN + text) : cipher.update(deflated(text));
    cipher.final(); // adds nothing in this mode
    return Buffer.concat([name, iv, encrypted, cipher.getAuthTag()]).toString('base64url');
  };

  const open = (token: string): string | undefined => {
    const bytes = Buffer.from(token, 'base64url');
    const end = bytes.length - TAG;
    if (end <= head || bytes.compare(name, 0, name.length, 0, name.length) !== 0) return undefined;
    // Decoding skips characters outside base64url; the token must be exactly the issued one.
    if (bytes.toString('base64url') !== token) return undefined;
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(name.length, head), options);
    decipher.setAuthTag(bytes.subarray(end));
    const content = decipher.update(bytes.subarray(head, end));
    try {
      decipher.final();
    } catch {
      return undefined; // not made with this key, or altered
    }
    const body = content.subarray(1);
    return (content[0] === DEFLATED ? inflateRawSync(body) : body).toString();
  };

  return { seal, open };
}

const ALGORITHM = 'aes-256-gcm';
/** Lengths in bytes. */
const IV = 12;
const TAG = 16;
const options = { authTagLength: TAG };

/** The first byte of the encrypted content. Deflating costs more than encrypting and is only used for long texts. */
const PLAIN = '\0';
const DEFLATED = 1;
const WORTH_DEFLATING = 1000;

const deflated = (text: string): Buffer => Buffer.concat([Buffer.of(DEFLATED), deflateRawSync(text)]);

/** Returns 12 random bytes at each call. They are generated 1024 IVs at a time, since each request is a system call. */
function createIvs(): () => Buffer {
  const block = Buffer.alloc(1024 * IV);
  let at = block.length;
  return () => {
    if (at === block.length) {
      randomFillSync(block);
      at = 0;
    }
    return block.subarray(at, (at += IV));
  };
}
