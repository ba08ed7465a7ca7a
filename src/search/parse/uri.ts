import { split, unescape } from './escape.ts';
import { hasPath } from '../../fhir/uri-tree.ts';
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

/** `:below` and `:above`: a URL with those below or above it. A URN has no path. */
export const uriTreeParser =
  (tree: 'below' | 'above'): ValueParser =>
  value => {
    const uri = unescape(value.text);
    if (!hasPath(uri)) throw malformed(value, 'write a URL such as `http://example.org/fhir`; a URN has no path');
    if (uri.split('/').length > mostSegments) throw malformed(value, `the path has more than ${mostSegments} segments`);
    return [{ kind: 'uri', uri, tree }];
  };

const mostSegments = 100;
