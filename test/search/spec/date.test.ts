// https://hl7.org/fhir/R4/search.html#date
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { date, entry, explain, refusal, resource, search } from '../thing.ts';

const born = (id: string, written: string) => resource(id, [entry('born', date(written, 'UTC'))]);
const on = (written: string) => resource(written, [entry('date', date(written))]);
const finds = (query: string, ...written: string[]): string => explain(query, written.map(on)).finds;

describe('date search', () => {
  it.each([
    [
      'eq',
      'date=2020-02',
      '(param date (low >= 2020-02-01T05:00:00.000Z) (low < 2020-03-01T05:00:00.000Z) (high <= ' +
        '2020-03-01T05:00:00.000Z))',
    ],
    [
      'ne',
      'date=ne2020-02',
      '(or (param date (low < 2020-02-01T05:00:00.000Z)) (param date (high > 2020-03-01T05:00:00.000Z)))',
    ],
    ['gt', 'date=gt2020-02', '(param date (high > 2020-03-01T05:00:00.000Z))'],
    ['lt', 'date=lt2020-02', '(param date (low < 2020-02-01T05:00:00.000Z))'],
    ['ge', 'date=ge2020-02', '(param date (high > 2020-02-01T05:00:00.000Z))'],
    ['le', 'date=le2020-02', '(param date (low < 2020-03-01T05:00:00.000Z))'],
    ['sa', 'date=sa2020-02', '(param date (low >= 2020-03-01T05:00:00.000Z))'],
    ['eb', 'date=eb2020-02', '(param date (high <= 2020-02-01T05:00:00.000Z))'],
    [
      'ap, ten years from now',
      'date=ap2016-01-01T00:00Z',
      '(param date (low < 2016-12-31T07:12:54.000Z) (high > 2014-12-31T16:48:06.000Z))',
    ],
    ['days of UTC for an element that is a date', 'born=ge1980', '(param born (high > 1980-01-01))'],
    [
      'a range, in one test where there is one value at most',
      'born=ge1980&born=lt1990',
      '(param born (high > 1980-01-01) (low < 1990-01-01))',
    ],
    ['an offset', 'date=gt2020-02-01T10:00:00-05:00', '(param date (high > 2020-02-01T15:00:01.000Z))'],
    [
      'an offset whose + became a space',
      'date=gt2020-02-01T10:00:00+05:00',
      '(param date (high > 2020-02-01T05:00:01.000Z))',
    ],
    [
      'an offset whose + is encoded',
      'date=gt2020-02-01T10:00%2B05:00',
      '(param date (high > 2020-02-01T05:01:00.000Z))',
    ],
    ['_lastUpdated', '_lastUpdated=ge2020-02-01T00:00Z', '(lastUpdated (high > 2020-02-01))'],
  ])('reads %s: %s', (_, query, ast) => {
    expect(explain(query, []).ast).toBe(ast);
  });

  it.each([
    ['eq is the whole day', 'date=eq2013-01-14', '2013-01-14T00:00 2013-01-14T10:00 2013-01-14'],
    ['lt a time of the day: part of the day is before', 'date=lt2013-01-14T10:00', '2013-01-14T00:00 2013-01-14'],
    ['gt a time of the day: part of the day is after', 'date=gt2013-01-14T10:00', '2013-01-15T00:00 2013-01-14'],
  ])('%s: %s', (_, query, expected) => {
    expect(finds(query, '2013-01-14T00:00', '2013-01-14T10:00', '2013-01-15T00:00', '2013-01-14')).toBe(expected);
  });

  it.each([
    ['ge', 'date=ge2013-03-14', '2013-01-21.. 2013-03-14 2013-03-15..'],
    ['le', 'date=le2013-03-14', '2013-01-21.. ..2013-01-21 2013-03-14'],
    ['sa', 'date=sa2013-03-14', '2013-03-15..'],
    ['eb', 'date=eb2013-03-14', '..2013-01-21'],
    ['gt', 'date=gt2013-03-14', '2013-01-21.. 2013-03-15..'],
    ['lt', 'date=lt2013-03-14', '2013-01-21.. ..2013-01-21'],
    ['eq, which an open period never is within', 'date=2013', '2013-03-14'],
    ['ne, its complement', 'date=ne2013', '2013-01-21.. ..2013-01-21 2013-03-15..'],
  ])('finds periods with open ends by %s: %s', (_, query, expected) => {
    expect(finds(query, '2013-01-21..', '..2013-01-21', '2013-03-14', '2013-03-15..')).toBe(expected);
  });

  it('finds a birth date by its day whatever the zone', () => {
    const people = [born('a', '1980-01-01'), born('b', '1979-12-31'), born('c', '1980'), born('d', '1980-01-02')];
    expect(explain('born=1980-01-01', people).finds).toBe('a');
    expect(explain('born=1980', people).finds).toBe('a c d');
    expect(explain('born=lt1980-01-01', people).finds).toBe('b');
  });

  it.each([
    ['lt', '.5 .50'],
    ['le', '.5 .50 .5000001'],
    ['eq', '.5000001'],
    ['ne', '.5 .50 .500001 .501'],
    ['ge', '.5000001 .500001 .501'],
    ['gt', '.500001 .501'],
    ['sa', '.500001 .501'],
    ['eb', '.5 .50'],
  ])('counts digits finer than a millisecond: %s finds %s', (prefix, expected) => {
    const at = (fraction: string): string => `2020-02-29T10:00:15${fraction}Z`;
    const query = `date=${prefix}${at('.5000001')}`;
    const written = ['.5', '.50', '.5000001', '.500001', '.501'];
    expect(finds(query, ...written.map(at))).toBe(expected.split(' ').map(at).join(' '));
  });

  it('orders times by all digits that a double distinguishes', () => {
    const digits = fc.stringMatching(/^[0-9]{1,6}$/);
    const at = (fraction: string): string => `2020-02-29T10:00:15.${fraction}Z`;
    fc.assert(
      fc.property(digits, digits, (a, b) => {
        const [one, other] = [Number(`0.${a}`), Number(`0.${b}`)];
        for (const [prefix, found] of [
          ['lt', one < other],
          ['le', one <= other],
          ['eq', one === other],
          ['ge', one >= other],
          ['gt', one > other],
        ] as const)
          expect(finds(`date=${prefix}${at(b)}`, at(a)) !== '').toBe(found);
      }),
    );
  });

  it('reads a date beside other types in the zone of the partition', () => {
    expect(explain('when=2018-10-29', [resource('a', [entry('when', date('2018-10-29'))])]).finds).toBe('a');
  });

  it('takes an instant at the end of the interval as outside', () => {
    expect(finds('date=2020', '2020-12-31T23:59:59.999', '2021-01-01T00:00:00.000')).toBe('2020-12-31T23:59:59.999');
  });

  it.each([
    ['the newest seen is not found again', '_lastUpdated=gt1970-01-01T00:00:01.000Z', 'b'],
    ['it is with ge', '_lastUpdated=ge1970-01-01T00:00:01.000Z', 'a b'],
    ['a second is as wide as one', '_lastUpdated=1970-01-01T00:00:01Z', 'a b'],
    ['a millisecond too', '_lastUpdated=1970-01-01T00:00:01.001Z', 'b'],
    ['ne', '_lastUpdated=ne1970-01-01T00:00:01.001Z', 'a'],
    ['finer than it is, lt', '_lastUpdated=lt1970-01-01T00:00:01.0000001Z', 'a'],
    ['le', '_lastUpdated=le1970-01-01T00:00:01.0000001Z', 'a'],
    ['gt', '_lastUpdated=gt1970-01-01T00:00:01.0000001Z', 'b'],
    ['ge', '_lastUpdated=ge1970-01-01T00:00:01.0000001Z', 'b'],
    ['eq', '_lastUpdated=1970-01-01T00:00:01.0000001Z', ''],
    ['ne', '_lastUpdated=ne1970-01-01T00:00:01.0000001Z', 'a b'],
    [':missing', '_lastUpdated:missing=false', 'a b'],
    [':missing', '_lastUpdated:missing=true', ''],
  ])('finds by lastUpdated, %s: %s', (_, query, expected) => {
    expect(explain(query, [resource('a', [], 1000), resource('b', [], 1001)]).finds).toBe(expected);
  });

  it.each([
    '23 May 2009',
    'gte1980',
    'GE1980',
    'g1980',
    'eq',
    'eqeq1980',
    '1980-2',
    '1980-02-30',
    '1980-01-01T10',
    '1980-01-01T24:00',
    '2020-02-01 10:00',
    '2020-02-01T10:00 5:00',
    '-1980',
    '1980|1',
    'today',
  ])('refuses `%s`', value => {
    expect(refusal(`date=${encodeURIComponent(value)}`)).toMatch(
      /^400 value http\.date: `.*` is not a value for `date`: a date is written/,
    );
  });

  it('reckons ap from the time of the search', () => {
    expect(search('date=ap2020', { now: Date.UTC(2020, 5, 1) })).toEqual(
      search('date=ap2020', { now: Date.UTC(2020, 5, 1) }),
    );
    const { query } = search('born=ap2020', { now: Date.UTC(2020, 5, 1) });
    expect(query).toEqual(search('born=ap2020', { now: Date.UTC(2020, 7, 1) }).query);
    expect(query).not.toEqual(search('born=ap2020', { now: Date.UTC(2030, 7, 1) }).query);
  });
});
