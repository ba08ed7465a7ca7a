import { fhirError } from '../../fhir/error.ts';
import type { SearchParam, SearchParamType } from '../../model/model.ts';
import { compositeParser } from './composite.ts';
import { parseDate } from './date.ts';
import { parseNumber } from './number.ts';
import { parseQuantity } from './quantity.ts';
import { parseReferenceValue } from './reference.ts';
import { parseString } from './string.ts';
import { parseToken } from './token.ts';
import { parseUri } from './uri.ts';
import type { ValueParser } from './value.ts';
import { parseWords } from './words.ts';

const parseSpecial: ValueParser = ({ name }) => {
  throw fhirError(400, 'not-supported', `The search parameter \`${name}\` is not supported.`, `http.${name}`);
};

/** The parser of values of a parameter. */
export function parserOf({ type, reads }: SearchParam): ValueParser {
  return reads === 'words' ? parseWords : valueParsers[type];
}

/** The parser of values, by search type. https://hl7.org/fhir/R4/search.html#ptypes */
export const valueParsers: Readonly<Record<SearchParamType, ValueParser>> = {
  string: parseString,
  token: parseToken,
  reference: parseReferenceValue,
  date: parseDate,
  number: parseNumber,
  quantity: parseQuantity,
  uri: parseUri,
  composite: compositeParser(type => valueParsers[type]),
  special: parseSpecial,
};
