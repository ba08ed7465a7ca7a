import { escape } from '../../search/parse/escape.ts';
import type { QueryPair } from '../../search/request.ts';

/**
 * The searches for a typed text; the first one with a result counts: dates of birth in any usual form, identifiers
 * (text with digits, with and without its spaces and hyphens), and beginnings of names; all must match. Eight digits
 * are a date if they can be one, else (and if that finds nothing) an identifier; consecutive names may be one with a
 * hyphen. Empty if the text is too short to search for. https://hl7.org/fhir/R4/search.html
 */
export function patientQueries(typed: string): readonly (readonly QueryPair[])[] {
  const text = typed.normalize('NFC').replace(/\s+/g, ' ').trim().slice(0, longest);
  const { dates, rest } = datesIn(text);
  const { identifiers, words } = splitRest(rest);
  const pairs = (names: readonly string[], isDated: boolean): readonly QueryPair[] => [
    ...names.map((word): QueryPair => ['name', escape(word)]),
    ...(isDated ? dates : []).map(({ values }): QueryPair => ['birthdate', values.join(',')]),
    ...[...identifiers, ...(isDated ? [] : dates.flatMap(({ digits }) => digits ?? []))].map(identifierPair),
  ];
  const isAmbiguous = dates.some(({ digits }) => digits !== undefined);
  return [
    pairs(words, true),
    ...(isAmbiguous ? [pairs(words, false)] : []),
    ...hyphenated(words).map(names => pairs(names, true)),
  ].filter(one => one.length > 0);
}

/**
 * `Marc André Roy` → `Marc-André Roy`, `Marc André-Roy`: a hyphenated name is one name, which only its beginning finds.
 */
const hyphenated = (words: readonly string[]): readonly (readonly string[])[] =>
  words.length > 3
    ? []
    : words.slice(1).map((word, at) => [...words.slice(0, at), `${words[at]}-${word}`, ...words.slice(at + 2)]);

/** Longer than any name, date and number together. */
const longest = 200;

/** Most parts that are searched for. */
const mostParts = 8;

function splitRest(rest: string): { readonly identifiers: readonly string[]; readonly words: readonly string[] } {
  // Groups of digits belong together (`1234 567 890`), and so do the letters of a version after them
  // (`1234-567-890-AB`).
  const joined = rest.replace(/(?<![\p{L}\p{N}-])\d+(?: \d+)+(?![\p{L}\p{N}-])/gu, digits =>
    digits.replaceAll(' ', '-'),
  );
  const parts = joined
    .split(/[ ,;]+/)
    .filter(part => /[\p{L}\p{N}]/u.test(part))
    .slice(0, mostParts);
  return {
    identifiers: parts.filter(part => /\p{N}/u.test(part)),
    words: parts.filter(part => !/\p{N}/u.test(part)),
  };
}

/** The identifier as typed, or without separators. */
function identifierPair(typed: string): QueryPair {
  const plain = typed.replace(/[-. ]/g, '');
  return ['identifier', [...new Set([typed, plain])].map(escape).join(',')];
}

/** A date that the user typed. */
interface TypedDate {
  /** Its possible meanings as FHIR dates; two for `03/04/1980`. */
  readonly values: readonly string[];
  /** The digits, if it may also be a number: `19800229`. */
  readonly digits: string | undefined;
}

/**
 * The dates in a text, and the rest of the text. Forms: `1980-02-29`, `1980/2/29`, `29.02.1980`, `02/29/1980`,
 * `19800229`, `29 Feb 1980`, `Feb 29, 1980`, `29 février 1980`, `1980-02`, `1980`. Only days that exist count.
 */
export function datesIn(text: string): { readonly dates: readonly TypedDate[]; readonly rest: string } {
  const dates: TypedDate[] = [];
  let rest = text;
  for (const { form, read } of forms) {
    rest = rest.replace(form, (all: string, ...groups: unknown[]) => {
      const values = [...new Set(read(groups.slice(0, 3).map(String)))].filter(isDay);
      if (values.length === 0) return all;
      dates.push({ values, digits: /^\d{8}$/.test(all) ? all : undefined });
      return ' ';
    });
  }
  return { dates, rest: rest.trim() };
}

/** The boundaries of a form: not within a longer number or word. */
const start = String.raw`(?<![\p{L}\p{N}-])`;
const end = String.raw`(?![\p{L}\p{N}-])`;
const form = (inner: string): RegExp => new RegExp(`${start}${inner}${end}`, 'giu');

const year = '((?:18|19|20|21)\\d{2})';
const two = (text: string): string => text.padStart(2, '0');
const day = (y = '', m = '', d = ''): string => `${y}-${two(m)}-${two(d)}`;

/** In the order of matching: longer forms before their parts. */
const forms: readonly { readonly form: RegExp; readonly read: (groups: readonly string[]) => readonly string[] }[] = [
  { form: form(`${year}[-/. ](\\d{1,2})[-/. ](\\d{1,2})`), read: ([y, m, d]) => [day(y, m, d)] },
  { form: form(`(\\d{1,2})[-/. ](\\d{1,2})[-/. ]${year}`), read: ([a, b, y]) => [day(y, b, a), day(y, a, b)] },
  { form: form(`${year}(\\d{2})(\\d{2})`), read: ([y, m, d]) => [day(y, m, d)] },
  {
    form: form(`(\\d{1,2})(?:er|st|nd|rd|th)? (\\p{L}{3,9})\\.?,? ${year}`),
    read: ([d, m, y]) => [day(y, month(m), d)],
  },
  { form: form(`(\\p{L}{3,9})\\.? (\\d{1,2})(?:st|nd|rd|th)?,? ${year}`), read: ([m, d, y]) => [day(y, month(m), d)] },
  { form: form(`${year}[-/](\\d{2})`), read: ([y, m]) => [`${y}-${m}`] },
  { form: form(year), read: ([y]) => [y ?? ''] },
];

const months: readonly (readonly string[])[] = [
  ['january', 'janvier'],
  ['february', 'fevrier'],
  ['march', 'mars'],
  ['april', 'avril'],
  ['may', 'mai'],
  ['june', 'juin'],
  ['july', 'juillet'],
  ['august', 'aout'],
  ['september', 'septembre'],
  ['october', 'octobre'],
  ['november', 'novembre'],
  ['december', 'decembre'],
];

/** `févr` → `2`; empty if it begins no month, or several. */
function month(name = ''): string {
  const plain = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const found = months.flatMap((names, at) => (names.some(one => one.startsWith(plain)) ? [at + 1] : []));
  return found.length === 1 ? String(found[0]) : '';
}

/** True for a day, a month or a year that exists. */
function isDay(text: string): boolean {
  const [y = 0, m = 1, d = 1] = text.split('-').map(Number);
  const time = new Date(Date.UTC(y, m - 1, d));
  return time.getUTCFullYear() === y && time.getUTCMonth() === m - 1 && time.getUTCDate() === d;
}
