import { unescape } from './escape.ts';
import type { ValueParser } from './value.ts';

/** The whole URI, character by character; that of a definition also with its version, `url|version`. https://hl7.org/fhir/R4/search.html#uri */
export const parseUri: ValueParser = value => [{ kind: 'uri', uri: unescape(value.text) }];
