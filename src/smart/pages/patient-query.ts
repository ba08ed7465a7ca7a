import { escape } from '../../search/parse/escape.ts';
import type { QueryPair } from '../../search/request.ts';
import { datesIn } from './typed-dates.ts';

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
