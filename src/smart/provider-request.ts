import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { issuerPath } from './offered.ts';

/**
 * A request as oidc-provider is to see it: under the public URL, whatever proxies made of it, `path` being that below the issuer with
 * its query, without the headers that it would act on itself, and with this body in place of the one that was read.
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
      ? cookie !== undefined && { cookie } // which count where people are asked, and for no request of a client
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
  const seen = fresh as unknown as IncomingMessage; // as far as koa and oidc-provider look at it
  originals.set(seen, request);
  return seen;
}

/** The request as it came, of one that oidc-provider sees. */
export const originalOf = (seen: IncomingMessage): IncomingMessage => originals.get(seen) ?? seen;

const originals = new WeakMap<IncomingMessage, IncomingMessage>();
