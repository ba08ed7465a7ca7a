import { locales } from '../../pages/language.ts';
import type { Language } from '../../pages/language.ts';
import type { TimeTick } from './scale.ts';

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
