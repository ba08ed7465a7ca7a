import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Base64Error, Base64InPlace } from '../../src/fhir/base64.ts';

/** Decodes with `most` bytes a step; the text is between other bytes, which must not change. */
function decode(text: string, most = 7): Buffer {
  const bytes = Buffer.from(`<<${text}>>`);
  const end = bytes.length - 2;
  const decoder = new Base64InPlace(bytes, 2, end);
  while (!decoder.step(most));
  expect(bytes.toString('latin1', 0, 2) + bytes.toString('latin1', end)).toBe('<<>>');
  return Buffer.from(decoder.decoded);
}

describe('Base64InPlace', () => {
  it('gives back what was encoded, in steps of any size', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 50 }), (bytes, most) => {
        expect(decode(Buffer.from(bytes).toString('base64'), most)).toEqual(Buffer.from(bytes));
      }),
    );
  });

  const nothing = ['', ' ', String.raw`\n`, String.raw`\r\n`, String.raw`\t`, String.raw`\u0020`];
  it('takes white space and escapes between any characters', () => {
    const spaced = fc.array(fc.tuple(fc.constantFrom(...nothing), fc.nat(3)), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), spaced, (bytes, parts) => {
        const text = Array.from(Buffer.from(bytes).toString('base64'))
          .map((character, at) => {
            const [space, how] = parts[at % parts.length] ?? ['', 0];
            const code = character.charCodeAt(0).toString(16).padStart(4, '0');
            return space + (how === 1 ? `\\u${code}` : how === 2 && character === '/' ? String.raw`\/` : character);
          })
          .join('');
        expect(decode(text)).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it.each([
    ['a character that it does not have', 'QU*D', 2],
    ['the alphabet for URLs', 'QU-_', 2],
    ['a letter beyond ASCII', 'QUé=', 2],
    ['an escape for such a letter', String.raw`QU\u00e9=`, 2],
    ['a quote', String.raw`QU\"D`, 2],
    ['a backslash', String.raw`QU\\D`, 2],
    ['a broken escape', String.raw`QUJ\u00`, 6],
    ['an escape that does not exist', String.raw`QUJ\x`, 3],
    ['a line break as it is', 'QUJD\nQUJD', 4],
    ['a group that is not complete', 'QUJDQ', 5],
    ['padding that is missing', 'QUI', 3],
    ['padding too much', 'QUI==', 5],
    ['padding alone', '====', 0],
    ['padding in the middle', 'QQ==QUJD', 4],
    ['padding behind a whole group', 'QUJD=', 4],
    ['one character and padding', 'Q===', 1],
  ])('refuses %s: %s', (_, text, at) => {
    expect(refusal(text)).toBe(at);
  });

  it('takes whole groups and nothing else', () => {
    const characters = fc.constantFrom(...'ABCDabcd0189+/== é*-'.split(''));
    fc.assert(
      fc.property(fc.string({ unit: characters, maxLength: 12 }), text => {
        const plain = text.replaceAll(' ', '');
        const whole = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(plain);
        const expected = whole ? Buffer.from(plain, 'base64') : undefined;
        let actual: Buffer | undefined;
        try {
          actual = decode(text);
        } catch {}
        expect(actual).toEqual(expected);
      }),
      { numRuns: 2_000 },
    );
  });
});

/** Where a text is refused; undefined where it is not. */
function refusal(text: string): number | undefined {
  try {
    decode(text);
    return undefined;
  } catch (error) {
    return error instanceof Base64Error ? error.at : undefined;
  }
}
