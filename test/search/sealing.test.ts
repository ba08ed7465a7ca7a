import { createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSealing } from '../../src/search/sealing.ts';

const name = Buffer.from('01020304', 'hex');
const secret = randomBytes(32);

/** What the standard functions say of a token: its parts, and the text in it. */
function dissect(token: string) {
  const bytes = Buffer.from(token, 'base64url');
  const key = (use: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', use, 32));
  const [said, tag] = [bytes.subarray(0, -16), bytes.subarray(-16)];
  const vector = said.subarray(4, 16);
  const block = said.readUInt16BE(16);
  const counter = Buffer.concat([vector, Buffer.from([0, 0, block >> 8, block & 0xff])]);
  const decipher = createDecipheriv('aes-256-ctr', key('page token encryption'), counter);
  return {
    authentic: createHmac('sha256', key('page token authentication')).update(said).digest().subarray(0, 16).equals(tag),
    vector: vector.toString('hex'),
    block,
    blocks: Math.ceil((said.length - 18) / 16),
    body: decipher.update(said.subarray(18)),
  };
}

describe('a sealed text', () => {
  it('is what AES in counter mode and HMAC make of it', () => {
    const sealing = createSealing(name, secret);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), text => {
        const { authentic, body } = dissect(sealing.seal(text));
        expect(authentic).toBe(true);
        expect(body.toString()).toBe(`\0${text.toWellFormed()}`);
      }),
    );
  });

  it('never shares a part of the key stream with another', () => {
    const sealing = createSealing(name, secret);
    const seen = new Set<string>();
    for (let count = 0; count < 2_000; count++) {
      const { vector, block, blocks } = dissect(sealing.seal('x'.repeat(count % 700)));
      for (let at = block; at < block + blocks; at++) {
        const part = `${vector} ${at}`;
        expect(seen.has(part)).toBe(false);
        seen.add(part);
      }
    }
  });

  it.each([0, 1, 999, 1_000, 20_000, 300_000])('of %s characters is opened by whoever has the key', length => {
    const text = randomBytes(length).toString('latin1').slice(0, length);
    const token = createSealing(name, secret).seal(text);
    expect(createSealing(name, secret).open(token)).toBe(text);
    expect(createSealing(name, randomBytes(32)).open(token)).toBeUndefined();
    expect(createSealing(Buffer.from('05060708', 'hex'), secret).open(token)).toBeUndefined();
  });

  it('is opened long after, when its stream is not at hand any more', () => {
    const sealing = createSealing(name, secret);
    const tokens = Array.from({ length: 3_000 }, (_, at) => sealing.seal(`text ${at} ${'x'.repeat(200)}`));
    expect(tokens.map(token => sealing.open(token)?.split(' ')[1])).toEqual(tokens.map((_, at) => String(at)));
  });
});
