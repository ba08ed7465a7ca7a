import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextCursor, stringEnd, unquote, valueEnd } from '../../src/fhir/text-cursor.ts';

// Strings of JSON: https://www.rfc-editor.org/rfc/rfc8259#section-7

/** Parts of strings, as written: each escape, characters that JSON.stringify escapes or leaves, and long runs. */
const characters = ['a', ' ', 'é', '😀', '\u007f', '\u2028', '{', '],', ':', "'", 'x'.repeat(60)];
const escapes = ['\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t', '\\u0041', '\\u001F', '\\ud83d\\ude00'];
const part = fc.constantFrom(...characters, ...escapes);
const literal = fc.array(part, { maxLength: 8 }).map(parts => `"${parts.join('')}"`);
/** What may follow a token. */
const rest = fc.constantFrom('', ',"a":1}', ']', '}', ':1', '"', '\\', '\\"');

describe('a string of a text', () => {
  it('ends where JSON.parse accepts it, and has the same value', () => {
    fc.assert(
      fc.property(literal, rest, (text, after) => {
        expect(stringEnd(`{${text}${after}`, 1)).toBe(text.length + 1);
        expect(unquote(text)).toBe(JSON.parse(text));
        const cursor = new TextCursor(`{${text}${after}`, 1);
        expect(cursor.readString()).toBe(JSON.parse(text));
        expect(cursor.at).toBe(text.length + 1);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is the same name each time it is read', () => {
    fc.assert(
      fc.property(fc.array(literal, { maxLength: 5 }), texts => {
        for (const text of [...texts, ...texts]) {
          const cursor = new TextCursor(text);
          expect(cursor.readName()).toBe(JSON.parse(text));
          expect(cursor.at).toBe(text.length);
        }
      }),
    );
  });

  it('is read just where JSON.parse accepts the characters up to its end', () => {
    const signs = fc.constantFrom('"', '\\', 'u', '0', '0', '4', 'a', 'n', 'x', '\n', '\u0001', ' ');
    fc.assert(
      fc.property(fc.string({ unit: signs, maxLength: 12 }), text => {
        const cursor = new TextCursor(`"${text}`);
        const value = tryTo(() => cursor.readString());
        // No prefix is a string if this is none, but for U+0000, which JSON.parse accepts.
        const expected = prefixes(`"${text}`).map(prefix => tryTo(() => JSON.parse(prefix) as string));
        const first = expected.find(one => one !== undefined);
        expect(value).toBe(first?.includes('\0') === true ? undefined : first);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('a value of a compact text', () => {
  it('ends where JSON.stringify ended it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(',"a":1}', ']', '}', ',{'), (value, after) => {
        const text = JSON.stringify(value);
        expect(valueEnd(`[${text}${after}`, 1)).toBe(text.length + 1);
      }),
      { numRuns: 1_000 },
    );
  });
});

const prefixes = (text: string): readonly string[] => Array.from(text, (_, at) => text.slice(0, at + 1));

function tryTo<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
