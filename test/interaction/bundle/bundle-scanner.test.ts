import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BundleScanner } from '../../../src/interaction/bundle/bundle-scanner.ts';

/** Members and envelope of a text that comes in chunks of these sizes, over and over. */
function scan(text: string, sizes: readonly number[]): { members: readonly string[]; envelope: string } {
  const scanner = new BundleScanner();
  const bytes = Buffer.from(text);
  const members: string[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? bytes.length);
    for (const member of scanner.push(bytes.subarray(at, at + size))) members.push(Buffer.from(member).toString());
    at += size;
  }
  return { members, envelope: Buffer.from(scanner.envelope()).toString() };
}

const space = fc.constantFrom('', ' ', '\n', '\r\n\t');
const tricky = fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', '"entry":[', 'é', '😀', '\\"', 'a');
const member = fc
  .record({ a: fc.array(tricky, { maxLength: 6 }).map(parts => parts.join('')), b: fc.jsonValue({ maxDepth: 3 }) })
  .map(value => JSON.stringify(value));

describe('BundleScanner', () => {
  it('gives each entry as it was written, and the rest, however the bytes come', () => {
    fc.assert(
      fc.property(
        fc.array(member, { maxLength: 6 }),
        fc.array(space, { minLength: 4, maxLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        (members, [a = '', b = '', c = '', d = ''], sizes, entriesFirst) => {
          const entries = `"entry"${a}:${b}[${c}${members.join(`${d},${a}`)}${b}]`;
          const head = `"resourceType":"Bundle","link":[{"entry":[{"url":"x"}]}],"entry2":[{}],"type":"batch"`;
          const text = `{${a}${entriesFirst ? `${entries},${head}` : `${head},${c}${entries}`}${d}}${a}`;
          const result = scan(text, sizes);
          expect(result.members).toEqual(members);
          const { entry, ...rest } = JSON.parse(result.envelope) as { entry: unknown };
          expect(entry).toEqual([]);
          expect(rest).toEqual(JSON.parse(`{${head}}`));
        },
      ),
    );
  });

  it('finds the entries under a name with escapes', () => {
    const text = String.raw`{"type":"batch","\u0065ntry":[{"a":1},{}]}`;
    for (const size of [1, 3, 100]) {
      const { members, envelope } = scan(text, [size]);
      expect(members).toEqual(['{"a":1}', '{}']);
      expect(JSON.parse(envelope)).toEqual({ type: 'batch', entry: [] });
    }
  });

  it('leaves other documents to the envelope', () => {
    for (const text of ['[{"entry":[{}]}]', '{"a":{"entry":[{}]}}', '"entry"', '{"entry":{"entry":[{}]}}', '']) {
      expect(scan(text, [3])).toEqual({ members: [], envelope: text });
    }
  });

  it.each([
    ['a comma too many', '{"entry":[{},,{}]}', 'A comma was found where an entry is expected.'],
    ['a comma at the end', '{"entry":[{},]}', 'A comma precedes the end of the entries.'],
    ['a comma at the start', '{"entry":[,{}]}', 'A comma was found where an entry is expected.'],
    ['no comma', '{"entry":[{}{}]}', 'A comma is missing between two entries.'],
    ['what is no object', '{"entry":[{},null]}', 'Entries must be objects.'],
  ])('refuses %s between entries', (_title, text, message) => {
    expect(() => scan(text, [4])).toThrow(message);
  });
});
