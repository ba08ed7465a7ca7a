import { doubleMetaphone } from 'double-metaphone';
import type { Entries } from './reading.ts';
import { textsOf } from './string.ts';
import { wordsOf } from './words.ts';

/**
 * The codes of a folded word by Double Metaphone: one, or two if it may be pronounced in two ways. A word without a
 * code (of digits, or in another script) is its own. A version of the library with other codes needs another name of
 * the algorithm in model/search-parameter.ts. https://en.wikipedia.org/wiki/Metaphone#Double_Metaphone
 */
export function soundsOf(word: string): readonly string[] {
  const codes = new Set(doubleMetaphone(word).filter(code => code !== ''));
  return codes.size === 0 ? [word] : [...codes].map(code => code.toLowerCase());
}

/** The codes of each word of texts: parameters whose SearchParameter has the `xpathUsage` phonetic. */
export const phoneticEntries: Entries = (type, emit) =>
  textsOf(type, text => {
    for (const code of wordsOf(text).flatMap(soundsOf)) emit({ kind: 'string', text: code, folded: code });
  });
