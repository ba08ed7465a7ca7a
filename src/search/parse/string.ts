import { foldString } from '../../indexing/normalize.ts';
import type { Test } from '../ast.ts';
import { unescape } from './escape.ts';
import { asPart, malformed, type Value, type ValueParser } from './value.ts';

/**
 * Text with which a value starts, ignoring case, accents, punctuation and runs of white space.
 * https://hl7.org/fhir/R4/search.html#string
 */
export const parseString: ValueParser = value => [{ kind: 'string', how: 'starts', text: folded(value) }];

/** `:contains`: the same, anywhere. */
export const parseStringContains: ValueParser = value => [
  { kind: 'string', how: 'contains', text: asPart(value, folded(value)) },
];

/** `:exact`: the whole value, as written. */
export const parseStringExact = (value: Value): readonly Test[] => [
  { kind: 'string', how: 'exact', text: unescape(value.text) },
];

function folded(value: Value): string {
  const text = foldString(unescape(value.text));
  // Every value starts with the empty text: that would match all.
  if (text === '') throw malformed(value, 'white space alone cannot be searched for');
  return text;
}
