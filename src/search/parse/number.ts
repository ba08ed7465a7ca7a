import { parseDecimal } from '../../fhir/decimal.ts';
import type { Bound } from '../ast.ts';
import { numberBounds, takePrefix } from './comparator.ts';
import { malformed, type Value, type ValueParser } from './value.ts';

/** `[prefix]5.4` or `[prefix]1e2`. https://hl7.org/fhir/R4/search.html#number */
export const parseNumber: ValueParser = value =>
  parseNumberBounds(value, value.text).map(bounds => ({ kind: 'range', bounds }));

/** The bounds of the number `text` of a value: one of the lists must match completely. */
export function parseNumberBounds(value: Value, text: string): readonly Bound[][] {
  const { prefix, rest } = takePrefix(text);
  const decimal = parseDecimal(rest);
  if (decimal === undefined) {
    throw malformed(
      value,
      'a number is written `100`, `5.40` or `1e2`, ' +
        'after one of the prefixes `eq`, `ne`, `gt`, `lt`, `ge`, `le`, `sa`, `eb`, `ap` or none',
    );
  }
  return numberBounds(prefix, decimal);
}
