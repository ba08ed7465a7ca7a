import { createDecipheriv, randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSealing } from '../../src/search/sealing.ts';

const name = Buffer.from('01020304', 'hex');
const secret = randomBytes(32);

/** The parts of a token, and its content as Node's cipher decrypts it. Throws Error where the tag does not match. */
function dissect(token: string): { readonly iv: string; readonly content: string } {
  const bytes = Buffer.from(token, 'base64url');
  const iv = bytes.subarray(4, 16);
  const decipher = createDecipheriv('aes-256-gcm', secret, iv, { authTagLength: 16 });
  decipher.setAuthTag(bytes.subarray(-16));
  return {
    iv: iv.toString('hex'),
    content: decipher.update(bytes.subarray(16, -16), undefined, 'utf8') + decipher.final('utf8'),
  };
}

describe('a sealed text', () => {
  it('is encrypted and authenticated by AES-256-GCM', () => {
    const sealing = createSealing(name, secret);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), text => {
        expect(dissect(sealing.seal(text)).content).toBe(`\0${text.toWellFormed()}`);
      }),
    );
  });

  it('has an IV that no other token has', () => {
    const [one, other] = [createSealing(name, secret), createSealing(name, secret)];
    const tokens = Array.from({ length: 3_000 }, () => [one.seal('the same'), other.seal('the same')]).flat();
    expect(new Set(tokens.map(token => dissect(token).iv)).size).toBe(6_000);
  });

  it.each([0, 1, 999, 1_000, 20_000, 300_000])('of %s characters is opened only with the key', length => {
    const text = randomBytes(length).toString('latin1').slice(0, length);
    const token = createSealing(name, secret).seal(text);
    expect(createSealing(name, secret).open(token)).toBe(text);
    expect(createSealing(name, randomBytes(32)).open(token)).toBeUndefined();
    expect(createSealing(Buffer.from('05060708', 'hex'), secret).open(token)).toBeUndefined();
  });

  it.each([10, 2_000])('of %s characters is not opened when any bit is altered or its end is cut', length => {
    const sealing = createSealing(name, secret);
    const bytes = Buffer.from(sealing.seal('x'.repeat(length)), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const altered = Buffer.from(bytes);
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(sealing.open(altered.toString('base64url'))).toBeUndefined();
    }
    for (let end = 0; end < bytes.length; end++) {
      expect(sealing.open(bytes.toString('base64url', 0, end))).toBeUndefined();
    }
  });

  it('in the form of AES in counter mode with HMAC-SHA-256 is not opened', () => {
    const former = createSealing(name, Buffer.alloc(32, 7));
    const long = 'AQIDBAnlpZzPx0WDZGZongAA8QGGrL7ZWCN1fdMBPr4IB4rP0L8dV5_Kze5_sTdpyOQBD91UH4klXjPGl1jHbvhHg6HWnd2bow';
    for (const token of [long, 'AQIDBAnlpZzPx0WDZGZongADCtqrQdhotjzwMFSfmSSzI04M']) {
      expect(former.open(token)).toBeUndefined();
    }
  });
});
