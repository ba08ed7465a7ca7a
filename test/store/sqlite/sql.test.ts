// Statements that are put together from pieces: their text is kept by the pieces that they consist of.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeptTexts, Sql, allOf, join, raw, sql } from '../../../src/store/sqlite/sql.ts';
import type { SqlValue } from '../../../src/store/sqlite/sql.ts';

/** A piece, with what it must read as. */
interface Made {
  readonly piece: Sql | SqlValue;
  readonly text: string;
  readonly values: readonly SqlValue[];
}

const together = (parts: readonly Made[], between: readonly string[], piece: Sql): Made => ({
  piece,
  text: between.map((text, at) => text + (parts[at]?.text ?? '')).join(''),
  values: parts.flatMap(({ values }) => values),
});

/** Each of these places in the code takes values and pieces alike. */
const ofTwo = ([a, b]: readonly [Made, Made]): Made => together([a, b], ['', ' = ', ''], sql`${a.piece} = ${b.piece}`);
const ofOne = (a: Made): Made => together([a], ['(', ')'], sql`(${a.piece})`);
const ofMany = (parts: readonly Made[], separator: string): Made =>
  together(
    parts,
    ['', ...parts.slice(1).map(() => separator), ''].slice(0, parts.length + 1),
    join(
      parts.map(({ piece }) => piece),
      separator,
    ),
  );

const value = fc
  .oneof(fc.integer(), fc.string(), fc.constant(null))
  .map((one): Made => ({ piece: one, text: '?', values: [one] }));
const name = fc.constantFrom('a', 'b', 'c.ord', '').map((text): Made => ({ piece: raw(text), text, values: [] }));
const { made } = fc.letrec<{ made: Made }>(tie => ({
  made: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    value,
    name,
    fc.tuple(tie('made'), tie('made')).map(ofTwo),
    tie('made').map(ofOne),
    fc
      .tuple(fc.array(tie('made'), { maxLength: 4 }), fc.constantFrom(', ', ' AND '))
      .map(([parts, separator]) => ofMany(parts, separator)),
  ),
}));
const whole = made.filter((one): one is Made & { readonly piece: Sql } => one.piece instanceof Sql);

describe('a statement', () => {
  it('has the text of its pieces and the values in their order, however often it was made before', () => {
    fc.assert(
      fc.property(whole, ({ piece, text, values }) => {
        expect(piece.text).toBe(text);
        expect(piece.values).toEqual(values);
        expect(ofOne({ piece, text, values }).piece).toMatchObject({ text: `(${text})`, values });
      }),
      { numRuns: 2_000 },
    );
  });

  it('is not taken for one that has a value where it has a name', () => {
    const same = (left: Sql | SqlValue, right: Sql | SqlValue): Sql => sql`${left} = ${right}`;
    expect(same(raw('a'), 1).text).toBe('a = ?');
    expect(same(1, raw('a')).text).toBe('? = a');
    expect(same(raw('a'), raw('a')).text).toBe('a = a');
    expect(same(1, 2).text).toBe('? = ?');
  });

  it('joins any number of pieces', () => {
    for (const count of [0, 1, 2, 100, 101, 250, 10_001]) {
      const numbers = Array.from({ length: count }, (_, at) => at);
      const joined = join(numbers, ', ');
      expect(joined.text).toBe(numbers.map(() => '?').join(', '));
      expect(joined.values).toEqual(numbers);
    }
    expect(allOf([]).text).toBe('1');
    expect(allOf([raw('a')]).text).toBe('a');
    expect(allOf([raw('a'), sql`b = ${2}`])).toMatchObject({ text: 'a AND b = ?', values: [2] });
  });
});

describe('kept texts', () => {
  it('are found again by their steps, and forgotten together once they are many', () => {
    const texts = new KeptTexts(1_000);
    const [one, two] = [['a'], ['b']];
    const place = texts.step(texts.step(texts.first, one), two);
    expect(texts.keep(place, 'a b')).toBe('a b');
    expect(texts.step(texts.step(texts.first, one), two).text).toBe('a b');
    texts.keep(texts.step(texts.first, two), 'x'.repeat(1_000));
    expect(texts.step(texts.first, two).text).toBeUndefined();
    expect(texts.step(texts.step(texts.first, one), two).text).toBeUndefined();
  });
});
