import { fhirError } from '../../fhir/error.ts';
import type { SearchParamType } from '../../model/model.ts';
import { compositeParser } from './composite.ts';
import { parseDate } from './date.ts';
import { parseNumber } from './number.ts';
import { parseQuantity } from './quantity.ts';
import { parseReferenceValue } from './reference.ts';
import { parseString } from './string.ts';
import { parseToken } from './token.ts';
import { parseUri } from './uri.ts';
import type { ValueParser } from './value.ts';

const parseSpecial: ValueParser = ({ name }) => {
  throw fhirError(400, 'not-supported', `The search parameter \`${name}\` is not supported.`, `http.${name}`);
};

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
