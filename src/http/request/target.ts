import type { IncomingMessage } from 'node:http';
import { fhirError } from '../../fhir/error.ts';
import type { Step } from '../context.ts';
import { isRepeated } from './header-lines.ts';
import { percentDecode } from '../../search/parse/pairs.ts';
import { searchPath } from '../../interaction/routes.ts';
import { splitTarget } from './query.ts';

/**
 * Rejects a URL that is too long (414), invalid escapes in a path (400) and HTTP/1.1 without one valid Host (400); the
 * absolute form of a request target becomes the origin form, and its host replaces that of the header.
 * https://www.rfc-editor.org/rfc/rfc9112#section-3.2
 */
export function checkTarget(maxUrl: number): Step {
  return context => {
    const { req, state } = context;
    const url = req.url ?? '/';
    if (url.length > maxUrl) throw tooLong(url.length, maxUrl);
    if (url.includes('#'))
      throw fhirError(400, 'value', 'A request URL has no fragment: write `%23` for the character `#`.');
    checkHost(req);
    const [, authority] = url.startsWith('/') ? [] : (absolute.exec(url) ?? []);
    if (authority !== undefined) {
      if (/^(?::|$)/.test(authority) || !uriHost.test(authority))
        throw fhirError(400, 'value', 'The request URL has no host with an optional port.');
      req.headers.host = authority;
    }
    const { path, query } = splitTarget(url);
    percentDecode(path);
    if (!url.startsWith('/')) req.url = query === '' ? path : `${path}?${query}`;
    state.path = searchPath(path, query);
    state.query = query;
  };
}

/**
 * One field line, since a proxy could use another one than this server.
 * https://www.rfc-editor.org/rfc/rfc9112#section-3.2-6
 */
function checkHost({ headers: { host }, httpVersion, rawHeaders }: IncomingMessage): void {
  if (host === undefined) {
    if (httpVersion === '1.1')
      throw fhirError(400, 'required', 'HTTP/1.1 requests need the header `Host`.', 'http.Host');
    return;
  }
  if (isRepeated(rawHeaders, 'host')) {
    throw fhirError(400, 'invalid', 'The header `Host` is repeated: send it once.', 'http.Host');
  }
  if (!uriHost.test(host)) {
    throw fhirError(400, 'value', 'The header `Host` is not a host with an optional port.', 'http.Host');
  }
}

/** https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2; no empty host: rfc9110#section-4.2.1 */
const absolute = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i;

/** https://www.rfc-editor.org/rfc/rfc9110#section-7.2, https://www.rfc-editor.org/rfc/rfc3986#section-3.2.2 */
const uriHost = /^(?:\[[\w.~!$&'()*+,;=:%-]+\]|(?:[\w.~!$&'()*+,;=-]|%[\dA-Fa-f]{2})*)(?::\d*)?$/;

const tooLong = (length: number, most: number) =>
  fhirError(
    414,
    'too-long',
    `The URL has ${length} bytes and exceeds the limit of ${most}. Send a long search as \`POST {type}/_search\`.`,
  );
