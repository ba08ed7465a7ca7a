import type { IncomingMessage } from 'node:http';
import { fhirError } from '../../fhir/error.ts';
import type { Middleware } from '../context.ts';
import { requireOwnHost } from './own-host.ts';
import { percentDecode } from '../../search/parse/pairs.ts';
import { searchPath } from '../../interaction/routes.ts';

/**
 * Rejects a URL that is too long (414), invalid escapes in a path (400) and HTTP/1.1 without one valid Host (400); the
 * absolute form of a request target becomes the origin form, and its host replaces that of the header. `openUrl` is the
 * public URL of a server with open access, which answers this machine only.
 * https://www.rfc-editor.org/rfc/rfc9112#section-3.2
 */
export function checkTarget(maxUrl: number, openUrl: string | undefined): Middleware {
  const requireOwn = openUrl === undefined ? undefined : requireOwnHost(openUrl);
  return ({ req, state }, next) => {
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
    requireOwn?.(req);
    return next();
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

/** A parsed request target: the path as sent, the query without its `?`. */
interface Target {
  readonly path: string;
  readonly query: string;
}

/** Also accepts the absolute form that proxies send. https://www.rfc-editor.org/rfc/rfc9112#section-3.2 */
export function splitTarget(target: string): Target {
  const relative = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  const mark = relative.indexOf('?');
  return mark === -1
    ? { path: relative, query: '' }
    : { path: relative.slice(0, mark), query: relative.slice(mark + 1) };
}

/**
 * Whether a header is repeated. Node joins the lines of some headers and keeps the first of others, so that a proxy may
 * have used another line. `rawHeaders` are names and values in turn, `name` is in lower case.
 */
export function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] ?? '';
    if (given.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count > 1;
}

/**
 * The text of a header, which clients send in UTF-8, and Node reads in Latin-1. Throws FhirError 400 for other bytes;
 * `name` is that of the header. https://hl7.org/fhir/R4/http.html#ccreate
 */
export function utf8Of(value: string, name: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    const text = `The header ${name} is not UTF-8: send it in UTF-8, or with percent-escapes.`;
    throw fhirError(400, 'value', text, `http."${name}"`);
  }
}
