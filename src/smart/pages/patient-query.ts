import { escape } from '../../search/parse/escape.ts';
import type { QueryPair } from '../../search/request.ts';
import { datesIn } from './typed-dates.ts';

/**
 * What was typed to find a patient, as searches of which the first that finds somebody counts: dates of birth in any usual form,
 * identifiers (what has digits; with and without its spaces and hyphens), and beginnings of names. All that was typed must hold.
 * Eight digits are a date where they can be one, else (and where nobody is found) an identifier; names that follow each other may
 * be one with a hyphen. Nothing where too little was typed to search for. https://hl7.org/fhir/R4/search.html
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

/** `Marc André Roy` → `Marc-André Roy`, `Marc André-Roy`: a name with a hyphen is one, and found by its beginning alone. */
const hyphenated = (words: readonly string[]): readonly (readonly string[])[] =>
  words.length > 3
    ? []
    : words.slice(1).map((word, at) => [...words.slice(0, at), `${words[at]}-${word}`, ...words.slice(at + 2)]);

/** More than any name, date and number together have. */
const longest = 200;

/** Most parts that are looked for. */
const mostParts = 8;

function splitRest(rest: string): { readonly identifiers: readonly string[]; readonly words: readonly string[] } {
  // Groups of digits belong together: `1234 567 890`, and the letters of a version after them: `1234-567-890-AB`.
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

/** As it was typed, or without what people put in between to read it. */
function identifierPair(typed: string): QueryPair {
  const plain = typed.replace(/[-. ]/g, '');
  return ['identifier', [...new Set([typed, plain])].map(escape).join(',')];
}
