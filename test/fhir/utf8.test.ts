import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8 } from '../../src/fhir/utf8.ts';

describe('decodeUtf8', () => {
  it('gives back any well-formed text, without a byte order mark', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        fc.pre(text.isWellFormed() && !text.startsWith('\ufeff'));
        expect(decodeUtf8(Buffer.from(text))).toBe(text);
        expect(decodeUtf8(Buffer.from(`\ufeff${text}`))).toBe(text);
      }),
    );
  });

  it('refuses what a strict decoder refuses', () => {
    const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), bytes => {
        const text = attempt(() => strict.decode(bytes));
        const expected = text?.startsWith('\ufeff') === true ? text.slice(1) : text;
        expect(attempt(() => decodeUtf8(bytes))).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it.each<[string, number[], string, number, number]>([
    ['a Latin-1 letter', [0x7b, 0x0a, 0x22, 0xe9, 0x22], 'byte 4 (0xe9)', 2, 2],
    ['an overlong form', [0xc0, 0x80], 'byte 1 (0xc0)', 1, 1],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80], 'byte 2 (0xed)', 1, 2],
    ['a character cut off at the end', [0x22, 0xc3], 'byte 2 (0xc3)', 1, 2],
  ])('reports the place of %s', (_title, bytes, message, line, column) => {
    expect(() => decodeUtf8(Uint8Array.from(bytes))).toThrow(
      expect.objectContaining({ name: 'JsonError', message: expect.stringContaining(message) as string, line, column }),
    );
  });
});

function attempt(run: () => string): string | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
