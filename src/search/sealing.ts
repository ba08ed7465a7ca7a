import { createCipheriv, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Turns texts into tokens that show nothing and that nobody else can write, and back. */
export interface Sealing {
  /** Base64url, another one each time. */
  seal(text: string): string;
  /** Undefined for what `seal` did not give, to the last bit. */
  open(token: string): string | undefined;
}

/**
 * Sealing under one key: AES-256 in counter mode, then HMAC-SHA-256 over all that goes out (encrypt-then-MAC), each with a key of
 * its own that HKDF derives from `secret` (32 bytes). `name` stands at the head of each token, to find the key by. A cipher object
 * for each token would cost ten times as much as what it does, so the key stream is made ahead, in streams of their own random
 * vector, of which no byte is used twice. https://www.rfc-editor.org/rfc/rfc2104 https://www.rfc-editor.org/rfc/rfc5869
 */
export function createSealing(name: Buffer, secret: Buffer): Sealing {
  const keyOf = (use: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', use, 32));
  const streams = createStreams(keyOf('page token encryption'));
  const authenticate = createMac(keyOf('page token authentication'));
  const head = name.length + VECTOR + PLACE;

  const seal = (text: string): string => {
    const isLong = text.length >= WORTH_DEFLATING;
    const packed = isLong ? deflateRawSync(text) : undefined;
    const most = head + 1 + (packed?.length ?? text.length * 3) + TAG;
    const bytes = most <= scratch.length ? scratch : Buffer.allocUnsafe(most);
    bytes[head] = isLong ? DEFLATED : PLAIN;
    const length = 1 + (packed === undefined ? bytes.write(text, head + 1) : packed.copy(bytes, head + 1));
    const { vector, stream, place } = streams.take(length);
    bytes.set(name, 0);
    bytes.set(vector, name.length);
    bytes.writeUInt16BE(place / BLOCK, head - PLACE);
    cover(bytes, head, length, stream, place);
    const end = head + length;
    bytes.write(authenticate(bytes.subarray(0, end)), end, TAG, 'latin1');
    return bytes.toString('base64url', 0, end + TAG);
  };

  const open = (token: string): string | undefined => {
    const bytes = Buffer.from(token, 'base64url');
    const end = bytes.length - TAG;
    if (end <= head || bytes.compare(name, 0, name.length, 0, name.length) !== 0) return undefined;
    const tag = Buffer.from(authenticate(bytes.subarray(0, end)).slice(0, TAG), 'latin1');
    if (!timingSafeEqual(tag, bytes.subarray(end))) return undefined;
    // Decoding skips what is not base64url; the token must be exactly what was given out.
    if (bytes.toString('base64url') !== token) return undefined;
    const place = bytes.readUInt16BE(head - PLACE) * BLOCK;
    const stream = streams.find(bytes.subarray(name.length, name.length + VECTOR), place + end - head);
    cover(bytes, head, end - head, stream, place);
    const body = bytes.subarray(head + 1, end);
    return (bytes[head] === DEFLATED ? inflateRawSync(body) : body).toString();
  };

  return { seal, open };
}

/** Lengths in bytes: a stream's random vector, where in the stream a token begins (in blocks), authentication tag. */
const VECTOR = 12;
const PLACE = 2;
const TAG = 16;
const BLOCK = 16;
/** The first byte of what is encrypted. Deflating costs more than all the rest, so only long texts are worth it. */
const PLAIN = 0;
const DEFLATED = 1;
const WORTH_DEFLATING = 1000;

const scratch = Buffer.alloc(8192);

/** Encrypts, and decrypts, in place. */
function cover(bytes: Buffer, from: number, length: number, stream: Buffer, place: number): void {
  for (let at = 0; at < length; at++) bytes[from + at] = (bytes[from + at] ?? 0) ^ (stream[place + at] ?? 0);
}

/** Bytes of a stream, and how many streams are kept for tokens that come back soon. */
const STREAM = 16_384;
const KEPT = 16;

interface Streams {
  /** A part of a stream that was not given before; `place` in bytes. */
  take(length: number): { readonly vector: Buffer; readonly stream: Buffer; readonly place: number };
  /** At least so many bytes of the stream of a vector. */
  find(vector: Buffer, length: number): Buffer;
}

function createStreams(key: Buffer): Streams {
  const kept = new Map<string, Buffer>();
  const make = (vector: Buffer, length: number): Buffer => {
    const start = Buffer.concat([vector, Buffer.alloc(BLOCK - VECTOR)]);
    const stream = createCipheriv('aes-256-ctr', key, start).update(Buffer.alloc(Math.max(STREAM, length)));
    const [oldest] = kept.keys();
    if (kept.size >= KEPT && oldest !== undefined) kept.delete(oldest);
    if (length <= STREAM) kept.set(vector.toString('latin1'), stream);
    return stream;
  };
  let current: { vector: Buffer; stream: Buffer; place: number } = {
    vector: Buffer.alloc(0),
    stream: Buffer.alloc(0),
    place: 0,
  };
  return {
    take(length) {
      const place = Math.ceil(current.place / BLOCK) * BLOCK;
      if (place + length > current.stream.length) {
        const vector = randomBytes(VECTOR);
        current = { vector, stream: make(vector, length), place: length };
        return { ...current, place: 0 };
      }
      current.place = place + length;
      return { vector: current.vector, stream: current.stream, place };
    },
    find: (vector, length) => {
      const known = kept.get(vector.toString('latin1'));
      return known !== undefined && known.length >= length ? known : make(Buffer.from(vector), length);
    },
  };
}

/** HMAC-SHA-256 with a key of 32 bytes, as Latin-1 text: two hashes without an object for each. */
function createMac(key: Buffer): (bytes: Buffer) => string {
  const padded = Buffer.concat([key, Buffer.alloc(64 - key.length)]);
  const inner = Buffer.concat([padded.map(byte => byte ^ 0x36), Buffer.alloc(scratch.length)]);
  const outer = Buffer.concat([padded.map(byte => byte ^ 0x5c), Buffer.alloc(32)]);
  return bytes => {
    const whole = 64 + bytes.length <= inner.length ? inner : Buffer.concat([inner.subarray(0, 64), bytes]);
    if (whole === inner) inner.set(bytes, 64);
    outer.write(hash('sha256', whole.subarray(0, 64 + bytes.length), 'latin1'), 64, 'latin1');
    return hash('sha256', outer, 'latin1');
  };
}
