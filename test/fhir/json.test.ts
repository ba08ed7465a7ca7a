import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonError, compactJson, decimalText, parseJson, prettyJson } from '../../src/fhir/json.ts';

// Strict JSON: https://hl7.org/fhir/R4/json.html and RFC 8259.

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** JSON texts of any layout: printed with white space, escapes and number forms that JSON.stringify does not use. */
const jsonText = fc.letrec<{ value: string }>(tie => {
  const space = fc.constantFrom('', '', '', ' ', '\n', '\t', '\r\n  ');
  const string = fc
    .array(
      fc.oneof(
        fc
          .string({ unit: 'grapheme', maxLength: 4 })
          .map(text => JSON.stringify(text.replaceAll('\0', '')).slice(1, -1)),
        fc.constantFrom(
          '\\u0041',
          '\\u00e9',
          '\\ud83d\\ude00',
          '\\/',
          '\\"',
          '\\\\',
          '\\n',
          'é',
          '😀',
          '\u2028',
          '\u007f',
        ),
      ),
      { maxLength: 4 },
    )
    .map(parts => `"${parts.join('')}"`);
  const number = fc.oneof(
    fc.integer().map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => String(value)),
    fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?$/),
    fc.tuple(fc.integer({ min: -99999, max: 99999 }), fc.stringMatching(/^[0-9]{1,8}$/)).map(([a, b]) => `${a}.${b}`),
  );
  const list = (open: string, close: string, items: fc.Arbitrary<string[]>): fc.Arbitrary<string> =>
    fc.tuple(items, space, space).map(([of, a, b]) => `${open}${a}${of.join(`${b},${a}`)}${b}${close}`);
  const names = fc.oneof(
    // No backslash: once JSON.parse of V8 14.6 has met the name `\`, it takes the name `"` for it in a like object.
    fc.string({ maxLength: 6 }).map(name => name.replaceAll(/[\0\\]/g, '')),
    fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'id', 'resourceType', '', '0', '17'),
  );
  return {
    value: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      fc.oneof(string, number, fc.constantFrom('true', 'false', 'null')),
      list('[', ']', fc.array(tie('value'), { maxLength: 5 })),
      list(
        '{',
        '}',
        fc
          .uniqueArray(fc.tuple(names, tie('value')), { selector: ([name]) => name, maxLength: 6 })
          .map(pairs => pairs.map(([name, value]) => `${JSON.stringify(name)}: ${value}`)),
      ),
    ),
  };
}).value;

describe('parseJson', () => {
  it('makes the value that JSON.parse makes', () => {
    fc.assert(
      fc.property(jsonText, text => {
        const { value } = parseJson(text);
        expect(value).toEqual(JSON.parse(text));
        expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 2000 },
    );
  });

  it('accepts what JSON.parse accepts and refuses what it refuses, when a text is damaged', () => {
    fc.assert(
      fc.property(
        jsonText,
        fc.nat(),
        fc.constantFrom('', '"', '{', ']', ',', ':', '\\', '0', '-', '.', 'e', ' ', '\n', 'x', 'true', "'", '\u0001'),
        fc.nat(2),
        (text, where, insert, drop) => {
          const at = where % (text.length + 1);
          const damaged = text.slice(0, at) + insert + text.slice(at + drop);
          const ours = outcome(() => parseJson(damaged).value);
          const theirs = outcome(() => JSON.parse(damaged) as unknown);
          // Our own rules refuse more than JSON does.
          const byOwnRule = theirs.ok && /repeated|surrogate|U\+0000/.test(ours.message);
          expect(ours.ok).toBe(theirs.ok && !byOwnRule);
        },
      ),
      { numRuns: 5000 },
    );
  });

  it('reports white space outside of strings', () => {
    fc.assert(
      fc.property(jsonText, text => {
        expect(parseJson(text).compact).toBe(compactJson(text) === text);
      }),
    );
  });

  it.each<[title: string, text: string, message: RegExp, path: string, line: number, column: number]>([
    ['an empty text', '', /ends where a value/, '$', 1, 1],
    ['a text that ends early', '{"a":[1,', /ends where a value/, '$.a[1]', 1, 9],
    ['a string without end', '{"a":"x', /ends within a string/, '$.a', 1, 8],
    ['text after the value', '{} {}', /continues after the end/, '$', 1, 4],
    ['a comma too many in an object', '{"a":1,}', /`}` was found where a property name/, '$', 1, 8],
    ['a comma too many in an array', '[1,]', /`\]` was found where a value/, '$[1]', 1, 4],
    ['single quotes', "{'a':1}", /`'` was found where a property name/, '$', 1, 2],
    ['a comment', '{"a":1 // one\n}', /`\/` was found where a comma or `}`/, '$.a', 1, 8],
    ['NaN', '[NaN]', /`N` was found where a value/, '$[0]', 1, 2],
    ['a leading zero', '{"a":012}', /must not begin with a zero/, '$.a', 1, 6],
    ['a leading plus', '[+1]', /`\+` was found where a value/, '$[0]', 1, 2],
    ['a number that ends in a point', '[1.]', /followed by a digit/, '$[0]', 1, 4],
    ['a number that begins with a point', '[.5]', /`\.` was found where a value/, '$[0]', 1, 2],
    ['an exponent without digits', '[1e+]', /exponent/, '$[0]', 1, 5],
    ['a minus alone', '[-]', /minus/, '$[0]', 1, 3],
    ['a misspelt word', '[nul]', /without quotes/, '$[0]', 1, 2],
    ['a raw line break in a string', '{"a":"x\ny"}', /U\+000A must be written as `\\u000a`/, '$.a', 1, 8],
    ['a raw tab in a string', '["\t"]', /U\+0009/, '$[0]', 1, 3],
    ['an escape that does not exist', String.raw`["\x41"]`, /escape does not exist/, '$[0]', 1, 3],
    ['a short unicode escape', String.raw`["\u12"]`, /four hexadecimal/, '$[0]', 1, 3],
    [
      'a duplicate property name',
      '{"name":[{"a":1},{"a":1,"b":{},"a":2}]}',
      /The property `a` is repeated/,
      '$.name[1].a',
      1,
      32,
    ],
    [
      'a duplicate name written with an escape',
      String.raw`{"id":1,"\u0069d":2}`,
      /The property `id` is repeated/,
      '$.id',
      1,
      9,
    ],
    [
      'a duplicate __proto__',
      '{"__proto__":1,"__proto__":2}',
      /The property `__proto__` is repeated/,
      '$.__proto__',
      1,
      16,
    ],
    [
      'a duplicate name of Object.prototype',
      '{"toString":1,"toString":1}',
      /The property `toString` is repeated/,
      '$.toString',
      1,
      15,
    ],
    ['a byte order mark', '\ufeff{}', /byte order mark/, '$', 1, 1],
    ['a raw NUL in a string', '["a\0"]', /U\+0000/, '$[0]', 1, 4],
    ['a raw NUL elsewhere', '[\0]', /U\+0000/, '$[0]', 1, 2],
    ['an escaped NUL', String.raw`{"a":"x\u0000"}`, /U\+0000/, '$.a', 1, 8],
    ['a raw high surrogate', '["\ud83d"]', /Lone surrogate/, '$[0]', 1, 3],
    ['a raw low surrogate', '["\ude00"]', /Lone surrogate/, '$[0]', 1, 3],
    ['an escaped high surrogate', String.raw`["\ud83d"]`, /Lone surrogate/, '$[0]', 1, 3],
    ['an escaped low surrogate', String.raw`["a\ude00"]`, /Lone surrogate/, '$[0]', 1, 4],
    ['two escaped high surrogates', String.raw`["\ud83d\ud83d\ude00"]`, /Lone surrogate/, '$[0]', 1, 3],
    ['a surrogate in a name', String.raw`{"\ud83d":1}`, /Lone surrogate/, '$', 1, 3],
    ['65 levels', nested(65), /more than 64 levels/, `$${'[0]'.repeat(64)}`, 1, 65],
    ['an error on a later line', '{\n  "a": 1,\n  "b": x\n}', /`x` was found where a value/, '$.b', 3, 8],
  ])('refuses %s', (_title, text, message, path, line, column) => {
    const error = thrown(() => parseJson(text));
    expect(error.message).toMatch(message);
    expect({ path: error.path, line: error.line, column: error.column }).toEqual({ path, line, column });
  });

  it('reads 64 levels', () => {
    expect(parseJson(nested(64)).value).toEqual(JSON.parse(nested(64)));
  });

  it('makes `__proto__` an own property and leaves prototypes alone', () => {
    const value = parseJson('{"__proto__":{"polluted":true}}').value as object;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect((value as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('reads a second text after a failure as if it were the first', () => {
    expect(() => parseJson('{"a":{"b":[1.10,')).toThrow(JsonError);
    expect(parseJson('{"a":1}')).toEqual({ value: { a: 1 }, decimals: new Map(), compact: true });
  });
});

describe('decimals', () => {
  it.each([
    '1.10',
    '1.0',
    '100.00',
    '1e2',
    '1E+2',
    '-0',
    '-0.0',
    '0.0',
    '0.0000001',
    '12345678901234567890',
    '9007199254740993',
    '0.1234567890123456789',
    '1e999',
    '0e0',
    '1.5e3',
    '0.00',
  ])('keeps the text %s', text => {
    const { value, decimals } = parseJson(`{"a":{"value":${text}},"b":[0,${text}]}`);
    const { a, b } = value as { a: { value: number }; b: number[] };
    expect(decimalText(decimals, a, 'value', a.value)).toBe(text);
    expect(decimalText(decimals, b, 1, b[1] as number)).toBe(text);
    expect(decimals.get(b)).toEqual({ 1: text });
  });

  it('keeps nothing where String(number) prints the text', () => {
    fc.assert(
      fc.property(jsonText, text => {
        const { value, decimals } = parseJson(text);
        const texts = new Set<string>();
        for (const held of decimals.values()) for (const kept of Object.values(held)) texts.add(kept);
        for (const kept of texts) expect(String(Number(kept))).not.toBe(kept);
        // Printed with the texts put back, every number of the source is there as it was written.
        const source = (compactJson(text).match(/"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*/g) ?? []).filter(
          part => part[0] !== '"',
        );
        fc.pre(typeof value === 'object' && value !== null);
        expect(numbersOf(value, decimals)).toEqual(new Set(source));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('compactJson and prettyJson', () => {
  it('change white space only', () => {
    fc.assert(
      fc.property(jsonText, text => {
        const compact = compactJson(text);
        expect(compact.replaceAll(/"(?:[^"\\]|\\.)*"/g, '')).not.toMatch(/\s/);
        expect(JSON.parse(compact)).toEqual(JSON.parse(text));
        expect(compactJson(prettyJson(text))).toBe(compact);
      }),
      { numRuns: 1000 },
    );
  });

  it('prettyJson lays out as JSON.stringify with two spaces, with the numbers as written', () => {
    const text = '{"a":[1.10,{"b":{}},[],"x: \\", {"],"c":true}';
    expect(prettyJson(text)).toBe(JSON.stringify(JSON.parse(text), null, 2).replace('1.1,', '1.10,'));
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const plain = JSON.stringify(value);
        expect(prettyJson(plain)).toBe(JSON.stringify(JSON.parse(plain), null, 2));
      }),
    );
  });
});

function outcome(run: () => unknown): { ok: boolean; message: string } {
  try {
    run();
    return { ok: true, message: '' };
  } catch (error) {
    return { ok: false, message: (error as Error).message };
  }
}

function thrown(run: () => unknown): JsonError {
  try {
    run();
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

function numbersOf(value: object, decimals: ReturnType<typeof parseJson>['decimals']): Set<string> {
  const found = new Set<string>();
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === 'number') found.add(decimalText(decimals, value, key, item));
    else if (typeof item === 'object' && item !== null)
      for (const text of numbersOf(item as object, decimals)) found.add(text);
  }
  return found;
}
