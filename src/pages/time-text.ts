import { html } from './html.ts';
import type { Html } from './html.ts';
import { locales } from './language.ts';
import type { Language } from './language.ts';

/**
 * A FHIR date, dateTime or instant in a language, with the precision and the offset of the record: `2024-03` → `March
 * 2024`, `2024-03-05T10:20:00-05:00` → `March 5, 2024, 10:20 (UTC−05:00)`; other text unchanged.
 * https://hl7.org/fhir/R4/datatypes.html#dateTime
 */
export function timeText(text: string, language: Language): string {
  const found = form.exec(text);
  if (found === null) return text;
  const [, year = '', month, day, hour, minute, offset] = found;
  if (month === undefined) return year;
  const moment = Date.parse(`${year}-${month}-${day ?? '01'}T${hour ?? '00'}:${minute ?? '00'}:00Z`);
  if (Number.isNaN(moment)) return text;
  if (day === undefined) return formatter(language, 'month').format(moment);
  if (hour === undefined) return formatter(language, 'day').format(moment);
  const zone = offset === undefined ? '' : ` (UTC${offset === 'Z' ? '' : offset.replace('-', '\u2212')})`;
  return `${formatter(language, 'minute').format(moment)}${zone}`;
}

const form = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/;

/**
 * A period on one day with the day once: `March 5, 2024, 10:20 – 10:40 (UTC−05:00)`; other periods with both ends.
 * https://hl7.org/fhir/R4/datatypes.html#Period
 */
export function periodText(start: string, end: string, language: Language): string {
  const [from, to] = [form.exec(start), form.exec(end)];
  const isOneDay = to?.[4] !== undefined && start.slice(0, 10) === end.slice(0, 10) && from?.[6] === to[6];
  if (!isOneDay || from?.[4] === undefined) return `${timeText(start, language)} – ${timeText(end, language)}`;
  const [, zone = ''] = /( \(UTC.*\))$/.exec(timeText(end, language)) ?? [];
  const hours = (text: string): string => formatter(language, 'hours').format(Date.parse(`${text.slice(0, 16)}:00Z`));
  return `${formatter(language, 'day').format(Date.parse(start.slice(0, 10)))}, ${hours(start)} – ${hours(end)}${zone}`;
}

/** A day and a time in few characters, without offset, for tables: `Mar 5, 2024, 10:20`. */
function shortTimeText(text: string, language: Language): string {
  const [, year, month, day, hour, minute] = form.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return timeText(text, language);
  const moment = Date.parse(`${year}-${month}-${day}T${hour ?? '00'}:${minute ?? '00'}:00Z`);
  return Number.isNaN(moment) ? text : formatter(language, hour === undefined ? 'shortDay' : 'short').format(moment);
}

/** A time as an element that machines read, with its full text as title if it is shortened. */
export const timeElement = (text: string, language: Language): Html =>
  html`<time datetime="${text}">${timeText(text, language)}</time>`;

export const shortTime = (text: string, language: Language): Html =>
  html`<time datetime="${text}" title="${timeText(text, language)}">${shortTimeText(text, language)}</time>`;

const parts = {
  month: { year: 'numeric', month: 'long', timeZone: 'UTC' },
  day: { year: 'numeric', month: 'long', day: 'numeric', timeZone: 'UTC' },
  minute: {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC',
  },
  hours: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' },
  shortDay: { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' },
  short: {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC',
  },
} as const;

// Making a formatter takes longer than a page of dates.
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(language: Language, precision: keyof typeof parts): Intl.DateTimeFormat {
  const key = `${language} ${precision}`;
  const known = formatters.get(key) ?? new Intl.DateTimeFormat(locales[language], parts[precision]);
  formatters.set(key, known);
  return known;
}
