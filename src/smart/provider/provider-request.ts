import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { issuerPath } from '../../auth/offered.ts';

/**
 * A request for oidc-provider: under the public URL, whatever the proxies changed; `path` is the path below the issuer
 * with its query; without the headers that oidc-provider would act on; `body` replaces the body that was read.
 */
export function providerRequest(
  request: IncomingMessage,
  publicUrl: string,
  path: string,
  body?: string,
): IncomingMessage {
  const { host, protocol, pathname } = new URL(publicUrl);
  const { cookie } = request.headers;
  const headers: IncomingHttpHeaders = {
    host,
    'x-forwarded-proto': protocol.slice(0, -1),
    accept: 'application/json',
    ...(body === undefined
      ? cookie !== undefined && { cookie } // which matters for pages, and not for requests of a client
      : {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': String(Buffer.byteLength(body)),
        }),
  };
  const mount = `${pathname === '/' ? '' : pathname}${issuerPath}`;
  const fresh = Object.assign(Readable.from(body === undefined ? [] : [Buffer.from(body)]), {
    method: body === undefined ? 'GET' : 'POST',
    url: path,
    originalUrl: `${mount}${path}`,
    headers,
    httpVersion: request.httpVersion,
    httpVersionMajor: request.httpVersionMajor,
    httpVersionMinor: request.httpVersionMinor,
    socket: request.socket,
    complete: true,
  });
  const seen = fresh as unknown as IncomingMessage; // the properties that koa and oidc-provider read
  originals.set(seen, request);
  return seen;
}

/** The original request of one that oidc-provider handles. */
export const originalOf = (seen: IncomingMessage): IncomingMessage => originals.get(seen) ?? seen;

const originals = new WeakMap<IncomingMessage, IncomingMessage>();
