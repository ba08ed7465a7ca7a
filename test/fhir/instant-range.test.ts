// https://hl7.org/fhir/R4/search.html#date and https://hl7.org/fhir/R4/datatypes.html#dateTime
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseInstantRange, pointAt } from '../../src/fhir/instant-range.ts';

const print = (text: string, zone: string): string | undefined => {
  const range = parseInstantRange(text, zone);
  return range && `${moment(range.low)} ${moment(range.high)}`;
};
const moment = (time: number): string => {
  const finer = Math.round((time - Math.floor(time)) * 4096);
  return new Date(time).toISOString() + (finer === 0 ? '' : `+${finer}`);
};

describe('parseInstantRange', () => {
  it.each([
    ['a year', '2020', '2020-01-01T00:00:00.000Z 2021-01-01T00:00:00.000Z'],
    ['a month', '2020-02', '2020-02-01T00:00:00.000Z 2020-03-01T00:00:00.000Z'],
    ['December', '2020-12', '2020-12-01T00:00:00.000Z 2021-01-01T00:00:00.000Z'],
    ['a leap day', '2020-02-29', '2020-02-29T00:00:00.000Z 2020-03-01T00:00:00.000Z'],
    ['the first year', '0001', '0001-01-01T00:00:00.000Z 0002-01-01T00:00:00.000Z'],
    ['the last year', '9999', '9999-01-01T00:00:00.000Z +010000-01-01T00:00:00.000Z'],
    ['a minute', '2020-02-01T10:15Z', '2020-02-01T10:15:00.000Z 2020-02-01T10:16:00.000Z'],
    ['a minute without a zone', '2020-02-01T10:15', '2020-02-01T10:15:00.000Z 2020-02-01T10:16:00.000Z'],
    ['a second', '2020-02-01T10:15:30Z', '2020-02-01T10:15:30.000Z 2020-02-01T10:15:31.000Z'],
    ['a fraction of one digit', '2020-02-01T10:15:30.5Z', '2020-02-01T10:15:30.500Z 2020-02-01T10:15:30.500Z+1'],
    ['zeros behind', '2020-02-01T10:15:30.5000000Z', '2020-02-01T10:15:30.500Z 2020-02-01T10:15:30.500Z+1'],
    [
      'a tenth of a microsecond',
      '2020-02-01T10:15:30.5000001Z',
      '2020-02-01T10:15:30.500Z+1 2020-02-01T10:15:30.500Z+2',
    ],
    ['microseconds', '2020-02-01T10:15:30.000001Z', '2020-02-01T10:15:30.000Z+5 2020-02-01T10:15:30.000Z+6'],
    [
      'what is nearest to the next millisecond',
      '2020-02-01T10:15:30.123999999999Z',
      '2020-02-01T10:15:30.123Z+4095 2020-02-01T10:15:30.124Z',
    ],
    [
      'what is finer than any number',
      `2020-02-01T10:15:30.${'0'.repeat(400)}1Z`,
      '2020-02-01T10:15:30.000Z+1 2020-02-01T10:15:30.000Z+2',
    ],
    ['coarser steps later', '2300-02-01T10:15:30.0000001Z', '2300-02-01T10:15:30.000Z+8 2300-02-01T10:15:30.000Z+16'],
    [
      'and in the last year',
      '9999-12-31T23:59:59.999999Z',
      '9999-12-31T23:59:59.999Z+3968 +010000-01-01T00:00:00.000Z',
    ],
    ['an offset to the west', '2020-02-01T10:15:30-05:00', '2020-02-01T15:15:30.000Z 2020-02-01T15:15:31.000Z'],
    ['an offset to the east', '2020-02-01T10:15:30+14:00', '2020-01-31T20:15:30.000Z 2020-01-31T20:15:31.000Z'],
    ['a leap second', '2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z 2017-01-01T00:00:01.000Z'],
  ])('reads %s: %s', (_, text, expected) => {
    expect(print(text, 'UTC')).toBe(expected);
  });

  it.each([
    ['a day in winter', '2024-01-15', '2024-01-15T05:00:00.000Z 2024-01-16T05:00:00.000Z'],
    ['a day of 23 hours', '2024-03-10', '2024-03-10T05:00:00.000Z 2024-03-11T04:00:00.000Z'],
    ['a day of 25 hours', '2024-11-03', '2024-11-03T04:00:00.000Z 2024-11-04T05:00:00.000Z'],
    ['a time that is skipped', '2024-03-10T02:59', '2024-03-10T07:59:00.000Z 2024-03-10T08:00:00.000Z'],
    ['the first time after', '2024-03-10T03:00', '2024-03-10T07:00:00.000Z 2024-03-10T07:01:00.000Z'],
    ['a time that comes twice', '2024-11-03T01:30', '2024-11-03T05:30:00.000Z 2024-11-03T05:31:00.000Z'],
    ['the first time after', '2024-11-03T02:00', '2024-11-03T07:00:00.000Z 2024-11-03T07:01:00.000Z'],
    ['what has an offset', '2024-07-01T10:00:00Z', '2024-07-01T10:00:00.000Z 2024-07-01T10:00:01.000Z'],
  ])('reads %s in Toronto: %s', (_, text, expected) => {
    expect(print(text, 'America/Toronto')).toBe(expected);
  });

  it('begins a day whose midnight is skipped with its first hour', () => {
    expect(print('2018-11-04', 'America/Sao_Paulo')).toBe('2018-11-04T03:00:00.000Z 2018-11-05T02:00:00.000Z');
  });

  it.each([
    '',
    '0000',
    '20',
    '20200',
    '2020-',
    '2020-1',
    '2020-13',
    '2020-00',
    '2020-02-30',
    '2021-02-29',
    '1900-02-29',
    '2020-04-31',
    '2020-02-00',
    '2020-02-01T',
    '2020-02-01T10',
    '2020-02-01T24:00',
    '2020-02-01T24:00:00Z',
    '2020-02-01T10:60Z',
    '2020-02-01T10:15:61Z',
    '2020-02-01T10:15:30.Z',
    '2020-02-01T10:15:30,5Z',
    '2020-02-01 10:15:30Z',
    '2020-02-01T10:15:30z',
    '2020-02-01T10:15:30+15:00',
    '2020-02-01T10:15:30+14:01',
    '2020-02-01T10:15:30+05',
    '2020-02-01T10:15:30+0500',
    '2020-02-01T10:15:30ZZ',
    '2020Z',
    '2020-02-01Z',
    '23 May 2009',
    '٢٠٢٠',
    'gte1980',
  ])('does not read `%s`', text => {
    expect(parseInstantRange(text, 'UTC')).toBeUndefined();
  });

  it('agrees with Date on every instant', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }), date => {
        const low = date.getTime();
        expect(parseInstantRange(date.toISOString(), 'America/Toronto')).toEqual(pointAt(low));
      }),
    );
  });

  it('agrees with Intl on every local time', () => {
    const zones = ['America/Toronto', 'America/St_Johns', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Asia/Kathmandu'];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: -5e9, max: 3e9 }).map(second => second * 1000),
        (zone, moment) => {
          const local = new Date(moment).toLocaleString('sv-SE', { timeZone: zone }).replace(' ', 'T');
          const low = parseInstantRange(local, zone)?.low ?? NaN;
          // Either the same moment or, where the local time comes twice, the earlier one.
          expect(new Date(low).toLocaleString('sv-SE', { timeZone: zone }).replace(' ', 'T')).toBe(local);
          expect(low).toBeLessThanOrEqual(moment);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
