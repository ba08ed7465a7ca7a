import { soundsOf } from '../../indexing/phonetic.ts';
import { wordsOf } from '../../indexing/words.ts';
import type { Query } from '../ast.ts';
import { unescape } from './escape.ts';
import { malformed, type Value } from './value.ts';

/**
 * Names that sound like a value: for each of its words, one of the record has a code in common (indexing/phonetic.ts).
 * Throws FhirError 400 for a value without words.
 */
export function parsePhonetic(value: Value): Query {
  const words = wordsOf(unescape(value.text));
  if (words.length === 0) throw malformed(value, 'it has no letter or digit to search for');
  return { kind: 'and', of: words.map(word => soundsLike(word, value)) };
}

function soundsLike(word: string, { param }: Value): Query {
  const of = soundsOf(word).map((text): Query => ({
    kind: 'param',
    param,
    test: { kind: 'string', how: 'exact', text },
  }));
  return { kind: 'or', of };
}
