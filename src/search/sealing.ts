import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import type { CipherGCM, KeyObject } from 'node:crypto';
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
  const nextCipher = createCiphers(key);
  const head = name.length + IV;
  const start = name.toString('base64url', 0, WHOLE);

  const seal = (text: string): string => {
    const { iv, cipher } = nextCipher();
    const encrypted = text.length < WORTH_DEFLATING ? cipher.update(PLAIN + text) : cipher.update(deflated(text));
    cipher.final(); // adds nothing in this mode
    return Buffer.concat([name, iv, encrypted, cipher.getAuthTag()]).toString('base64url');
  };

  const open = (token: string): string | undefined => {
    if (!token.startsWith(start)) return undefined; // of another key, which a server has seldom
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
/** The first bytes of a name, which are four characters of each token. */
const WHOLE = 3;

/** The first byte of the encrypted content. Deflating costs more than encrypting and is only used for long texts. */
const PLAIN = '\0';
const DEFLATED = 1;
const WORTH_DEFLATING = 1000;

const deflated = (text: string): Buffer => Buffer.concat([Buffer.of(DEFLATED), deflateRawSync(text)]);

interface PreparedCipher {
  readonly iv: Buffer;
  readonly cipher: CipherGCM;
}

/**
 * Returns a cipher with a random IV of its own at each call. They are prepared some at a time: one alone takes OpenSSL
 * some 12 µs in a server, whose other work has displaced its code from the processor's caches, and 3 µs in a series.
 */
function createCiphers(key: KeyObject): () => PreparedCipher {
  let prepared: PreparedCipher[] = [];
  const prepare = (): PreparedCipher[] => {
    const ivs = randomBytes(PREPARED * IV);
    return Array.from({ length: PREPARED }, (_, at) => {
      const iv = ivs.subarray(at * IV, (at + 1) * IV);
      return { iv, cipher: createCipheriv(ALGORITHM, key, iv, options) };
    });
  };
  return () => {
    for (;;) {
      const next = prepared.pop();
      if (next !== undefined) return next;
      prepared = prepare();
    }
  };
}

/** Few enough that a server whose searches have one page only holds little for nothing. */
const PREPARED = 64;
