import { describe, expect, it } from 'vitest';
import { dayOf, isWeekday, printDate, printDateTime } from '../../src/demo/calendar.ts';

describe('calendar', () => {
  it.each([
    ['2026-03-07', '2026-03-07T09:05:00-05:00'],
    ['2026-03-08', '2026-03-08T09:05:00-04:00'],
    ['2026-10-31', '2026-10-31T09:05:00-04:00'],
    ['2026-11-01', '2026-11-01T09:05:00-05:00'],
  ])('prints five past nine in Toronto on %s as %s', (date, text) => {
    expect(printDateTime(dayOf(date), 9 * 60 + 5)).toBe(text);
  });

  it('agrees with the time zone data on every day from 2008 to 2035', () => {
    const clock = new Intl.DateTimeFormat('en-CA', {
      timeZone: 'America/Toronto',
      dateStyle: 'short',
      timeStyle: 'medium',
      hourCycle: 'h23',
    });
    for (let day = dayOf('2008-01-01'); day < dayOf('2036-01-01'); day++) {
      expect(clock.format(Date.parse(printDateTime(day, 510)))).toBe(`${printDate(day)}, 08:30:00`);
    }
  });

  it('knows the days of the week', () => {
    expect(['2026-06-26', '2026-06-27', '2026-06-28', '2026-06-29'].map(date => isWeekday(dayOf(date)))).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });
});
