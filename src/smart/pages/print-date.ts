import { locales } from '../../pages/language.ts';
import type { Language } from '../../pages/language.ts';

/**
 * A FHIR date in the user's language: `1980-02-29` → `29 février 1980`, `1980-02` → `février 1980`; other text
 * unchanged.
 */
export function printDate(date: string, language: Language): string {
  const [, year, month, day] = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(date) ?? [];
  if (year === undefined || month === undefined) return date;
  const time = Date.parse(`${year}-${month}-${day ?? '01'}T00:00:00Z`);
  if (Number.isNaN(time)) return date;
  const parts = { year: 'numeric', month: 'long', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(locales[language], day === undefined ? parts : { ...parts, day: 'numeric' }).format(
    time,
  );
}
