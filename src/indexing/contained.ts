import { foldCode, foldString } from './normalize.ts';
import type { Entries } from './reading.ts';

/**
 * What the resources inside of a record say, for searches that look into them: the type of each, and the type with each
 * text in it, whole and by its words. Whatever definitions say of its elements, these entries are the same, so that a
 * change of definitions does not rebuild them. They find candidates, which are then read.
 * https://hl7.org/fhir/R4/references.html#contained
 */
export const containedEntries: Entries = (_type, emit) => value => {
  const { resourceType, text: _, ...content } = value as Readonly<Record<string, unknown>>; // stored JSON
  if (typeof resourceType !== 'string') return;
  const add = (uri: string): void => emit({ kind: 'uri', uri });
  add(resourceType);
  const terms = new Set<string>();
  if (addTerms(content, terms)) for (const term of terms) add(`${resourceType} ${term}`);
  else add(`${resourceType} ${anyText}`);
};

/** The term of a resource with more texts than are indexed: any text may be in it. */
export const anyText = '*';

/** Most terms of a resource: a contained value set may have thousands of codes. */
const MOST_TERMS = 1_000;

/** Characters of a text by which it is found. */
const MOST_CHARACTERS = 100;

/** The term of a whole text, without regard to case; of a reference without its version. */
export const wholeTerm = (text: string): string =>
  `=${foldCode(text.replace(/\/_history\/[^/]*$/, '')).slice(0, MOST_CHARACTERS)}`;

/** The term of a folded word, or of the beginning of one. */
export const insideWordTerm = (word: string): string => `~${word.slice(0, MOST_CHARACTERS)}`;

/** Adds the terms of all texts of a value; returns false if they are too many. */
function addTerms(value: unknown, terms: Set<string>): boolean {
  if (typeof value === 'string') {
    terms.add(wholeTerm(value));
    for (const word of foldString(value).split(' ')) {
      terms.add(insideWordTerm(word));
      if (terms.size > MOST_TERMS) return false;
    }
    return true;
  }
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(one => addTerms(one, terms));
}
