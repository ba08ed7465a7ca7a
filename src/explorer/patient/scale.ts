import { locales } from '../../pages/language.ts';
import type { Language } from '../../pages/language.ts';

/** A linear scale from values to places of a drawing. */
export interface Scale {
  readonly at: (value: number) => number;
  readonly low: number;
  readonly high: number;
}

/** A scale that puts `low` and `high` at two places; equal values are put in the middle. */
export function scaleOf(low: number, high: number, from: number, to: number): Scale {
  const width = high - low;
  return { low, high, at: value => (width === 0 ? (from + to) / 2 : from + ((value - low) / width) * (to - from)) };
}

/** A place with one digit after the point, so that drawings are small. */
export const placeText = (place: number): string => String(Math.round(place * 10) / 10);

/** Round numbers that divide an interval into at most `most` parts: 0, 20, 40 for 3 to 44. */
export function numberTicks(low: number, high: number, most: number): readonly number[] {
  const width = high - low || Math.abs(high) / 5 || 1;
  const power = 10 ** Math.floor(Math.log10(width / most));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(one => width / one <= most) ?? 10 * power;
  const ticks: number[] = [];
  for (let at = Math.floor(low / step); at * step < high + step; at += 1)
    ticks.push(Number((at * step).toPrecision(12)));
  return ticks;
}

/** A time with its label: a year or a month. */
export interface TimeTick {
  readonly time: number;
  readonly year: number;
  /** 0 to 11; undefined if the ticks are years. */
  readonly month: number | undefined;
}

/** The beginnings of years or months that divide an interval into at most `most` parts; UTC. */
export function timeTicks(low: number, high: number, most: number): readonly TimeTick[] {
  const months = (high - low) / (30.4375 * 86_400_000);
  const step = steps.find(one => months / one <= most) ?? Math.ceil(months / most / 12) * 12;
  const first = new Date(low);
  const ticks: TimeTick[] = [];
  for (let count = Math.floor((first.getUTCFullYear() * 12 + first.getUTCMonth()) / step) * step; ; count += step) {
    const [year, month] = [Math.floor(count / 12), count % 12];
    const time = Date.UTC(year, month);
    if (time > high) return ticks;
    if (time >= low) ticks.push({ time, year, month: step >= 12 ? undefined : month });
  }
}

/** Months between two ticks. */
const steps = [1, 2, 3, 6, 12, 24, 60, 120, 240];

// Making a formatter takes longer than a drawing.
const months = new Map<Language, readonly string[]>();
const numbers = new Map<Language, Intl.NumberFormat>();

/** `2026` for a year and for January, the short name of the month otherwise. */
export function tickText({ year, month }: TimeTick, language: Language): string {
  if (month === undefined || month === 0) return String(year);
  const known = months.get(language) ?? monthsIn(language);
  months.set(language, known);
  return known[month] ?? '';
}

function monthsIn(language: Language): readonly string[] {
  const format = new Intl.DateTimeFormat(locales[language], { month: 'short', timeZone: 'UTC' });
  return Array.from({ length: 12 }, (_, month) => format.format(Date.UTC(2000, month)));
}

/** A number with the digits that it needs, in a language. */
export function numberText(value: number, language: Language): string {
  const known = numbers.get(language) ?? new Intl.NumberFormat(locales[language], { maximumFractionDigits: 6 });
  numbers.set(language, known);
  return known.format(value);
}
