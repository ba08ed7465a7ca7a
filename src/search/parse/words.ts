import { fhirError } from '../../fhir/error.ts';
import { isLongRun, wordsOf, type Phrase } from '../../indexing/words.ts';
import { unescape } from './escape.ts';
import { asPart, malformed, type Value, type ValueParser } from './value.ts';

/** Most words of one value: each is a look at an index. */
const MOST_WORDS = 100;

/**
 * Words, which must all occur: `"chest pain"` in sequence, `hyper*` as the beginning of a word. A word with a dash or
 * another separator is several words in sequence. Throws FhirError 400 for operators of other text searches, which
 * would otherwise be words. https://hl7.org/fhir/R4/search.html#content
 */
export const parseWords: ValueParser = value => {
  const phrases = partsOf(value).map(part => phraseOf(part, value));
  const words = phrases.reduce((sum, { text }) => sum + text.split(' ').length, 0);
  if (words > MOST_WORDS) {
    const text = `\`${value.name}\` has a value of ${words} words: give at most ${MOST_WORDS}.`;
    throw fhirError(400, 'too-costly', text, `http.${value.name}`);
  }
  return [{ kind: 'words', phrases: unique(phrases) }];
};

/** The parts of a value between white space, or in quotes. */
function partsOf(value: Value): readonly string[] {
  const text = unescape(value.text);
  const parts: readonly string[] = text.match(/"[^"]*"\*?|[^\s"]+|"/gu) ?? [];
  if (parts.includes('"')) {
    throw malformed(value, 'a `"` is not closed; a comma in a phrase is written as `\\,`');
  }
  const operator = parts.find(part => operators.has(part));
  if (operator === undefined) return parts;
  const advice = 'all words must occur, and commas separate alternatives';
  throw malformed(value, `\`${operator}\` is no operator here: ${advice}; as a word it is written in lower case`);
}

const operators: ReadonlySet<string> = new Set(['AND', 'OR', 'NOT']);

function phraseOf(part: string, value: Value): Phrase {
  const inner = part.replace(/^"(.*)"(\*?)$/su, '$1$2');
  const isPrefix = inner.endsWith('*');
  const text = isPrefix ? inner.slice(0, -1) : inner;
  if (text.includes('*')) throw malformed(value, 'a `*` may only end a word or a phrase');
  const long = text.split(/\s+/).find(isLongRun);
  if (long !== undefined) throw malformed(value, `\`${long}\` is longer than any word`);
  const words = wordsOf(text);
  if (words.length === 0) throw malformed(value, `\`${part}\` has no letter or digit to search for`);
  // The `*` belongs to the last word: `a-*` has none before it.
  if (isPrefix && !/[\p{L}\p{M}\p{N}]$/u.test(text)) throw malformed(value, 'a `*` must follow a letter or a digit');
  return { text: asPart(value, words.join(' ')), isPrefix };
}

const unique = (phrases: readonly Phrase[]): readonly Phrase[] => [
  ...new Map(phrases.map(phrase => [`${phrase.text}${phrase.isPrefix ? '*' : ''}`, phrase])).values(),
];
