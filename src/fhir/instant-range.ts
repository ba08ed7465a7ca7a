import { zonedTime } from './zone.ts';

/** The beginning and end of time, for periods with an open end: the first and last millisecond that a Date can hold. */
export const MIN_TIME = -8.64e15;
export const MAX_TIME = 8.64e15;

/** [low, high) in milliseconds since 1970 UTC. */
export interface InstantRange {
  readonly low: number;
  readonly high: number;
}

const DAY = 86_400_000;

/**
 * The interval of a FHIR date, partial date, dateTime or instant: `2020-02` from 2020-02-01 up to but not including
 * 2020-03-01. A minute and a second have their width; a time with a fraction is a point (`pointAt`), with the digits
 * that a double holds. Seconds are optional. A value without offset is in `zone` (IANA name): a time that the zone
 * skips is moved by the width of the gap, a time that occurs twice means the first. Returns undefined for all others,
 * also for days that do not exist and for 24:00. https://hl7.org/fhir/R4/search.html#date
 */
export function parseInstantRange(text: string, zone: string): InstantRange | undefined {
  const length = text.length;
  const year = digits(text, 0, 4);
  if (year < 1) return undefined;
  if (length === 4) return between(daysFrom(year, 1), daysFrom(year + 1, 1), zone);

  const month = text[4] === '-' ? digits(text, 5, 2) : -1;
  if (month < 1 || month > 12) return undefined;
  const first = daysFrom(year, month);
  const days = month === 12 ? 31 : daysFrom(year, month + 1) - first;
  if (length === 7) return between(first, first + days, zone);

  const day = text[7] === '-' ? digits(text, 8, 2) : -1;
  if (day < 1 || day > days) return undefined;
  const date = first + day - 1;
  if (length === 10) return between(date, date + 1, zone);
  return text[10] === 'T' ? timeOfDay(text, date * DAY, zone) : undefined;
}

/**
 * A point in time, as wide as the finest step: a quarter of a microsecond until the year 2039, and the resolution of a
 * double after it. `time`: milliseconds since 1970 UTC. https://hl7.org/fhir/R4/search.html#date (instant)
 */
export function pointAt(time: number): InstantRange {
  return { low: time, high: time + stepAt(time) };
}

function stepAt(time: number): number {
  let step = 2 ** -12;
  while (Math.abs(time) + 1 >= step * 2 ** 53) step *= 2;
  return step;
}

/**
 * The digits after the milliseconds as a part of a millisecond, [0, 1), in whole steps: rounded up, so that `.5000001`
 * is after `.5`, but never to the next millisecond.
 */
function finer(digits: string, time: number): number {
  if (!/[1-9]/.test(digits)) return 0;
  const step = stepAt(time);
  return Math.min(Math.max(Math.ceil(Number(`0.${digits}`) / step) * step, step), 1 - step);
}

/** Reads `hh:mm[:ss[.fraction]][Z|±hh:mm]` from position 11 on, on the day that begins at `midnight`. */
function timeOfDay(text: string, midnight: number, zone: string): InstantRange | undefined {
  const hour = digits(text, 11, 2);
  const minute = text[13] === ':' ? digits(text, 14, 2) : -1;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59) return undefined;
  let time = midnight + (hour * 60 + minute) * 60_000;
  let width: number | undefined = 60_000;
  let rest = '';
  let at = 16;
  if (text[at] === ':') {
    const second = digits(text, at + 1, 2);
    // 60 is a leap second, which counts as the next second.
    if (second < 0 || second > 60) return undefined;
    time += second * 1000;
    width = 1000;
    at += 3;
    if (text[at] === '.') {
      const end = endOfDigits(text, at + 1);
      if (end === at + 1) return undefined;
      time += Number(text.slice(at + 1, Math.min(end, at + 4)).padEnd(3, '0'));
      rest = text.slice(at + 4, end);
      width = undefined;
      at = end;
    }
  }
  const offset = at === text.length ? 0 : offsetAt(text, at);
  if (offset === undefined) return undefined;
  const low = at === text.length ? zonedTime(time, zone) : time - offset;
  return width === undefined ? pointAt(low + finer(rest, low)) : { low, high: low + width };
}

/** The offset that ends the text, in milliseconds: `Z` or `±hh:mm` up to 14:00. */
function offsetAt(text: string, at: number): number | undefined {
  const sign = text[at];
  if (sign === 'Z') return text.length === at + 1 ? 0 : undefined;
  if ((sign !== '+' && sign !== '-') || text.length !== at + 6 || text[at + 3] !== ':') return undefined;
  const hours = digits(text, at + 1, 2);
  const minutes = digits(text, at + 4, 2);
  if (hours < 0 || minutes < 0 || minutes > 59 || hours * 60 + minutes > 840) return undefined;
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** Whole days in the zone; a day on which clocks change has 23 or 25 hours. */
function between(from: number, to: number, zone: string): InstantRange {
  return { low: zonedTime(from * DAY, zone), high: zonedTime(to * DAY, zone) };
}

/** The number of `count` digits from `at`; -1 if they are not all digits. */
function digits(text: string, at: number, count: number): number {
  let value = 0;
  for (let index = at; index < at + count; index += 1) {
    const digit = text.charCodeAt(index) - 48;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}

function endOfDigits(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) at += 1;
  return at;
}

/** Days from 1970-01-01 to the first of a month; years count from March, so that the leap day is the last. */
function daysFrom(year: number, month: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5);
  return (
    era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
  );
}
