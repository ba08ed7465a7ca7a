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

/**
 * `:below` and `:above` of canonicals. With a version, `:below` finds this version of the URL and those that continue
 * it: `url|2` finds `2` and `2.1`. https://hl7.org/fhir/R4/references.html#canonical
 */
export const canonicalTreeParser =
  (tree: 'below' | 'above'): ValueParser =>
  (value, context) => {
    const [url = '', version, ...more] = split(value.text, '|').map(unescape);
    if (version === undefined) return uriTreeParser(tree)(value, context);
    if (tree === 'above') throw malformed(value, 'write the URL without a version');
    if (url === '' || version === '' || more.length > 0) throw malformed(value, 'a canonical is written `url|version`');
    return [{ kind: 'reference', url, version, below: true }];
  };

const mostSegments = 100;
