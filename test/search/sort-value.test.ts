// https://hl7.org/fhir/R4/search.html#sort
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IndexValue } from '../../src/indexing/entry.ts';
import { compareValues, sortValue } from '../../src/search/sort-value.ts';
import { sortText, sortTextValue } from '../../src/store/keys/order-key.ts';
import { canonical, date, entry, number, quantity, reference, text, token } from './thing.ts';

const coded = { kind: 'token', system: 'http://s', code: 'a', caseSensitive: false } as const;
const ucum = 'http://unitsofmeasure.org';

const both = (values: readonly IndexValue[]): readonly unknown[] =>
  [false, true].map(descending =>
    sortValue('x', [...values.map(value => entry('x', value)), entry('other', number(0))], descending),
  );

describe('the sort value', () => {
  it.each<[rule: string, values: readonly IndexValue[], ascending: unknown, descending: unknown]>([
    ['is missing without a value', [], null, null],
    ['of a date is its low end', [date('2020', 'UTC')], Date.UTC(2020, 0, 1), Date.UTC(2020, 0, 1)],
    ['of numbers is the lowest or the highest', [number(5), number(-2.5), number(3)], -2.5, 5],
    ['of a range of numbers is its low end', [number(5, 9)], 5, 5],
    ['of a quantity is its number', [quantity(7, 'http://u', 'mg'), quantity(6)], 6, 7],
    ['of a quantity in UCUM is that in base units', [quantity(1, ucum, 'kg'), quantity(500, ucum, 'g')], 500, 1000],
    ['of a string is folded', [text('Éloïse  O’Neill-Roy')], 'eloise oneill roy', 'eloise oneill roy'],
    [
      'of a double name is the whole name',
      [text('Roy Zed'), { kind: 'string', text: 'Roy Zed', folded: 'zed' }],
      'roy zed',
      'roy zed',
    ],
    ['of a token is its code, without case', [token('http://exact', 'B'), token('http://s', 'a')], 'a', 'b'],
    [
      'of codes with displays is by the display where the codes are the same',
      [
        { ...coded, display: 'Élan' },
        { ...coded, display: 'Zeal' },
      ],
      'a\u0002elan',
      'a\u0002zeal',
    ],
    ['of a code without a display is before those with one', [coded, { ...coded, display: '!' }], 'a', 'a\u0002!'],
    ['of a token without code is missing', [token('http://s', undefined)], null, null],
    ['of a reference is type and id', [reference('Patient', 'p1'), reference('Group', 'g1')], 'Group/g1', 'Patient/p1'],
    [
      'of other references is the URL, of a canonical with its version',
      [canonical('urn:a', '2')],
      'urn:a|2',
      'urn:a|2',
    ],
    ['of a uri is the uri', [{ kind: 'uri', uri: 'urn:A' }], 'urn:A', 'urn:A'],
    ['of a text has no control characters', [{ kind: 'uri', uri: 'a\u0001b\ud800' }], 'a b\ufffd', 'a b\ufffd'],
    ['of a text has 200 characters', [text('\u{1f600}'.repeat(201))], '\u{1f600}'.repeat(200), '\u{1f600}'.repeat(200)],
    ['of a composite is missing', [{ kind: 'composite', of: [[number(1)]] }], null, null],
  ])('%s', (_, values, ascending, descending) => expect(both(values)).toEqual([ascending, descending]));

  it('of a text is in the order of code points, as UTF-8 is', () => {
    const points = fc.string({ unit: 'binary', maxLength: 6 });
    fc.assert(
      fc.property(points, points, (a, b) => {
        expect(Math.sign(compareValues(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
      { examples: [['\u{1f600}', '\uffee']] },
    );
  });

  it('of a number has a text that is in its order, from which it is read again', () => {
    const any = fc.double({ noNaN: true }).map(value => value + 0);
    fc.assert(
      fc.property(any, any, (a, b) => {
        expect(sortTextValue(sortText(a), 'number')).toBe(a);
        expect(Math.sign(compareValues(sortText(a), sortText(b)))).toBe(Math.sign(compareValues(a, b)));
      }),
      {
        examples: [
          [-Number.MAX_VALUE, Number.MAX_VALUE],
          [0, -1e-300],
        ],
      },
    );
  });
});
