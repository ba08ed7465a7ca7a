import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteCursor, isName } from '../../src/fhir/byte-cursor.ts';

// Strings of JSON: https://www.rfc-editor.org/rfc/rfc8259#section-7

const long = '\\"'.padStart(70, 'x');
const text = fc.oneof(fc.constantFrom('', '"', '\\', '\\\\"', '{[', 'é😀', long, long.repeat(3)), fc.string());
const { tree } = fc.letrec<{ tree: unknown }>(tie => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(text, fc.integer(), fc.constantFrom(true, null)),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(text, tie('tree'), { maxKeys: 4 }),
  ),
}));
const layout = fc.constantFrom<[space: string | undefined]>([undefined], [' '], ['\n\t']);
const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 4 });

/** The chunks of some bytes, of these sizes in turn. */
function* chunksOf(bytes: Uint8Array, lengths: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length] ?? bytes.length;
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

/** The brackets and the string literals of a text, as a cursor over its chunks separates them. */
function tokens(json: string, lengths: readonly number[]): readonly string[] {
  const found: string[] = [];
  const cursor = new ByteCursor(new Uint8Array());
  let open = '';
  for (const chunk of chunksOf(Buffer.from(json, 'latin1'), lengths)) {
    cursor.continueIn(chunk);
    while (cursor.at < chunk.length) {
      const from = cursor.at;
      if (cursor.inString) {
        const closed = cursor.skipString();
        open += Buffer.from(chunk.subarray(from, cursor.at)).toString('latin1');
        if (closed) found.push(open);
      } else {
        const byte = cursor.next();
        if (byte === 0x22) open = '"';
        else if (byte !== -1) found.push(String.fromCharCode(byte));
      }
    }
  }
  return found;
}

describe('ByteCursor', () => {
  it('separates the tokens that JSON has, however the bytes come', () => {
    fc.assert(
      fc.property(tree, layout, sizes, (value, [space], lengths) => {
        const json = Buffer.from(JSON.stringify(value, null, space)).toString('latin1');
        expect(tokens(json, lengths)).toEqual(json.match(/"(?:[^"\\]|\\.)*"|[{}[\]:,]/g) ?? []);
      }),
      { numRuns: 2_000 },
    );
  });

  it('skips a value up to its end, however the bytes come', () => {
    const nested = fc.oneof(fc.array(tree), fc.dictionary(text, tree));
    fc.assert(
      fc.property(nested, layout, sizes, (value, [space], lengths) => {
        const json = Buffer.from(JSON.stringify(value, null, space));
        const cursor = new ByteCursor(new Uint8Array());
        let levels = 1;
        let length = 1;
        for (const chunk of chunksOf(Buffer.concat([json.subarray(1), Buffer.from(']"}')]), lengths)) {
          cursor.continueIn(chunk);
          levels = cursor.skipLevels(levels);
          length += cursor.at;
          if (levels === 0) break;
        }
        expect([levels, length]).toEqual([0, json.length]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('reads each character that JSON.parse reads', () => {
    const escapes = [
      '\\"',
      '\\\\',
      '\\/',
      '\\b',
      '\\f',
      '\\n',
      '\\r',
      '\\t',
      '\\u0041',
      '\\u00e9',
      '\\uFFFD',
      'a',
      ' ',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...escapes)), parts => {
        const bytes = Buffer.from(parts.join(''));
        const cursor = new ByteCursor(bytes);
        let value = '';
        while (cursor.at < bytes.length) value += String.fromCharCode(cursor.readCharacter());
        expect(value).toBe(JSON.parse(`"${parts.join('')}"`));
      }),
    );
  });

  it.each<[title: string, text: string, message: RegExp, at: number]>([
    ['a control character', 'a\n', /must be written as/, 1],
    ['an escape that does not exist', String.raw`a\x`, /escape does not exist/, 1],
    ['a backslash at the end', 'a\\', /escape does not exist/, 1],
    ['a short unicode escape', String.raw`\u12`, /four hexadecimal digits/, 3],
  ])('rejects %s', (_title, content, message, at) => {
    const cursor = new ByteCursor(Buffer.from(content));
    const read = (): void => {
      for (;;) cursor.readCharacter();
    };
    expect(read).toThrow(expect.objectContaining({ message: expect.stringMatching(message), at }));
  });
});

describe('isName', () => {
  it('compares the name that JSON.parse reads', () => {
    const characters = fc.constantFrom('d', 'a', 't', '\\u0064', '\\u0061', '\\', 'é', '\\x');
    fc.assert(
      fc.property(fc.array(characters, { maxLength: 6 }), fc.constantFrom('data', 'd', 'ada'), (parts, name) => {
        const bytes = Buffer.from(`"${parts.join('')}"`);
        expect(isName(bytes, 1, bytes.length - 1, name)).toBe(valueOf(bytes.toString()) === name);
      }),
      { numRuns: 5_000 },
    );
  });
});

function valueOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
