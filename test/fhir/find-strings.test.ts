import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findStrings } from '../../src/fhir/find-strings.ts';
import { parseJson } from '../../src/fhir/json.ts';

const path = ['content', 'data'];

/** The strings that are found, as they were written. */
const found = (text: string): readonly string[] => {
  const bytes = Buffer.from(text);
  return findStrings(bytes, path).map(({ from, to }) => bytes.toString('utf8', from, to));
};

describe('findStrings', () => {
  it.each([
    ['the value at the path', '{"content":{"data":"QUJD"}}', ['QUJD']],
    ['white space everywhere', ' {\n"content" :\t{ "x":1 , "data" : "QUJD" } } ', ['QUJD']],
    ['names with escapes', String.raw`{"\u0063ontent":{"d\u0061ta":"QUJD"}}`, ['QUJD']],
    ['escapes within the value', String.raw`{"content":{"data":"Q\/\"\\"}}`, [String.raw`Q\/\"\\`]],
    ['each of a repeating element', '{"content":[{"data":"A"},{"x":"B"},{"data":"C"}]}', ['A', 'C']],
    ['both of a property that is given twice', '{"content":{"data":"A","data":"B"}}', ['A', 'B']],
    ['an empty string', '{"content":{"data":""}}', ['']],
    ['nothing at the root', '{"data":"A","content":{"x":"B"}}', []],
    ['nothing deeper', '{"content":{"x":{"data":"A"}},"y":{"content":{"data":"B"}}}', []],
    ['nothing in an extension before it', '{"extension":[{"content":{"data":"A"}}],"content":{"data":"B"}}', ['B']],
    [
      'nothing in a text that looks like it',
      String.raw`{"x":"\"content\":{\"data\":\"A\"}","content":{"data":"B"}}`,
      ['B'],
    ],
    ['nothing in another case', '{"content":{"Data":"A","_data":"B","data ":"C"}}', []],
    ['no number, object, null', '{"content":{"data":5}}', []],
    ['nothing behind the end', '{"content":{}} {"content":{"data":"A"}}', []],
    ['nothing that is not closed', '{"content":{"data":"A', []],
  ])('finds %s', (_, text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it('stops at the depth where every parser stops', () => {
    expect(found('['.repeat(100_000))).toEqual([]);
  });

  // Names of the path come often, so that there is something to find.
  const name = fc.oneof(fc.constantFrom('content', 'data', 'd\u0061ta', '_data', '__proto__'), fc.string());
  const { tree } = fc.letrec<{ tree: unknown }>(tie => ({
    tree: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.oneof(fc.string(), fc.integer(), fc.constantFrom(true, null, '\\', '"', '{"content":{"data":"x"}}')),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(name, tie('tree'), { maxKeys: 5, noNullPrototype: true }),
    ),
  }));
  /** The same JSON with escapes for some characters, and white space. */
  const written = (value: unknown, mask: number): string =>
    JSON.stringify(value, null, mask & 1)
      .replaceAll('a', character => (mask & 2 ? String.raw`\u0061` : character))
      .replaceAll('/', character => (mask & 4 ? String.raw`\/` : character));

  it('finds what a parser finds, in the same order', () => {
    fc.assert(
      fc.property(fc.record({ content: tree, x: tree }), fc.nat(7), (value, mask) => {
        const texts = found(written(value, mask)).map(text => JSON.parse(`"${text}"`) as string);
        expect(texts).toEqual(stringsAt(value, path));
      }),
      { numRuns: 2_000 },
    );
  });

  it('leaves nothing at the path, whatever the bytes: what parses with the rest is what was cut', () => {
    fc.assert(
      fc.property(fc.record({ content: tree, x: tree }), fc.nat(7), fc.nat(), fc.string(), (value, mask, at, noise) => {
        const text = written(value, mask);
        const place = at % (text.length + 1);
        const bytes = Buffer.from(text.slice(0, place) + noise + text.slice(place + (at % 3)));
        const spans = findStrings(bytes, path);
        let rest = '';
        let from = 0;
        for (const span of spans) {
          rest += `${bytes.toString('utf8', from, span.from)}AAAA`;
          from = span.to;
        }
        rest += bytes.toString('utf8', from);
        const parsed = tryParse(rest);
        if (parsed === undefined) return;
        expect(stringsAt(parsed.value, path)).toEqual(spans.map(() => 'AAAA'));
        const contents = spans.map(span => tryParse(`"${bytes.toString('utf8', span.from, span.to)}"`));
        // Valid as a whole just where the rest is and what was cut out are strings.
        expect(tryParse(bytes.toString()) !== undefined).toBe(contents.every(content => content !== undefined));
      }),
      { numRuns: 3_000 },
    );
  });
});

function tryParse(text: string): { value: unknown } | undefined {
  try {
    return { value: parseJson(text).value };
  } catch {
    return undefined;
  }
}

/** Strings at a path of own properties, arrays looked through. */
function stringsAt(value: unknown, names: readonly string[]): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(item => stringsAt(item, names));
  const [name, ...rest] = names;
  if (name === undefined) return typeof value === 'string' ? [value] : [];
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return [];
  return stringsAt((value as Record<string, unknown>)[name], rest);
}
