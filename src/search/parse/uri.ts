import { split, unescape } from './escape.ts';
import { malformed, type ValueParser } from './value.ts';

/**
 * The whole URI, character by character; the URL of a definition also with its version, `url|version`.
 * https://hl7.org/fhir/R4/search.html#uri
 */
export const parseUri: ValueParser = value => {
  const [url, version] = split(value.text, '|');
  if (url === '' || version === '') throw malformed(value, 'write the whole URI, or `url|version`');
  return [{ kind: 'uri', uri: unescape(value.text) }];
};
