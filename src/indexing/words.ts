import { foldString } from './normalize.ts';

/**
 * The words of a text, folded as in a string search: runs of letters, marks and digits. `Jean-Pierre` has two words,
 * `O'Brien` one. Runs of more than `LONGEST` characters without white space, such as Base64, are no words.
 * https://hl7.org/fhir/R4/search.html#string
 */
export function wordsOf(text: string): readonly string[] {
  return foldString(withoutLongRuns(text)).match(word) ?? [];
}

const LONGEST = 200;
const word = /[\p{L}\p{M}\p{N}]+/gu;

/** A pattern for long runs would need a stack of their length. */
function withoutLongRuns(text: string): string {
  if (text.length <= LONGEST) return text;
  const runs = text.split(/\s+/);
  return runs.some(isLongRun) ? runs.filter(run => !isLongRun(run)).join(' ') : text;
}

/** Whether a run without white space is too long to have words. */
export const isLongRun = (run: string): boolean => run.length > LONGEST;

/** Separates two texts, so that no phrase continues from one to the next. No word contains it. */
export const boundary = '.';

/** The words of one text in the form of an entry: each between two spaces; empty if there is none. */
export function printWords(text: string): string {
  const words = wordsOf(text);
  return words.length === 0 ? '' : ` ${words.join(' ')} `;
}

/** The words of two texts. */
export function joinWords(before: string, after: string): string {
  return `${before}${boundary}${after}`;
}

/** The different words of an entry. */
export function uniqueWords(text: string): readonly string[] {
  const words = new Set(text.split(' '));
  words.delete('');
  words.delete(boundary);
  return [...words];
}

/** Words in sequence: folded, with single spaces between them. */
export interface Phrase {
  readonly text: string;
  /** Its last word may be the beginning of a word. */
  readonly isPrefix: boolean;
}

/** Whether an entry has a phrase. */
export function hasPhrase(words: string, phrase: Phrase): boolean {
  return words.includes(writtenPhrase(phrase));
}

/** A phrase as it is written in an entry. */
export function writtenPhrase({ text, isPrefix }: Phrase): string {
  return isPrefix ? ` ${text}` : ` ${text} `;
}
