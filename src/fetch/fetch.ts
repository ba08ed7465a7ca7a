import { lookup as resolveName } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { isAllowed, isLoopbackHost } from './addresses.ts';
import type { AllowedAddresses } from './addresses.ts';

const { request: httpRequest } = process.getBuiltinModule('node:http'); // an `import` also loads Node's `fetch`: 45 ms

type HeaderFields = ConstructorParameters<typeof Headers>[0];

export interface FetchOptions {
  /** The addresses that may be connected to. */
  readonly addresses: AllowedAddresses;
  /** Whether this machine may be requested over plain http. */
  readonly plain: boolean;
  /** Certificates (PEM) of the accepted authorities instead of the default ones. */
  readonly authorities: string | undefined;
  /** Most bytes of an answer. */
  readonly bytes: number;
  /** Milliseconds for the whole of it. */
  readonly time: number;
}

/** The part of the global `fetch` that openid-client and jose use. */
export type Fetch = (
  url: string,
  init: {
    readonly method?: string;
    readonly headers?: HeaderFields;
    readonly body?: string | URLSearchParams | object | null;
  },
) => Promise<Response>;

/** The host answered, but with a status other than 200. */
export class WrongStatus extends Error {
  readonly status: number;
  readonly bytes: Uint8Array;

  constructor(host: string, status: number, bytes: Uint8Array) {
    super(`${host} answered ${status}`);
    this.status = status;
    this.bytes = bytes;
  }
}

/**
 * Fetches a document of another server: https only, no redirects, status 200 only, within the limits of bytes and time,
 * and from an address that is checked after name resolution and then connected to. The promise rejects with a sentence
 * that names the host, never the request.
 */
export function createFetch(options: FetchOptions): Fetch {
  return async (text, { method = 'GET', headers, body }) => {
    const url = new URL(text);
    const { protocol, hostname, host } = url;
    const plain = protocol === 'http:' && options.plain && isLoopbackHost(hostname);
    if (protocol !== 'https:' && !plain) throw new Error(`${host} is requested over https only`);
    const literal = hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) !== 0 && !isAllowed(literal, options.addresses)) throw notAllowed(host);
    const { status, bytes, about } = await exchange(url, plain, method, headers, body, options);
    if (status !== 200) throw new WrongStatus(host, status, bytes);
    return new Response(bytes, { status, headers: about });
  };
}

const notAllowed = (host: string): Error => new Error(`${host} has an address that is not allowed`);

interface Answer {
  readonly status: number;
  /** The used headers: content type and caching. */
  readonly about: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

async function exchange(
  url: URL,
  plain: boolean,
  method: string,
  headers: HeaderFields | undefined,
  body: unknown,
  { addresses, authorities, bytes: most, time }: FetchOptions,
): Promise<Answer> {
  const signal = AbortSignal.timeout(time);
  const lookup: LookupFunction = (name, { all, ...rest }, done) => {
    resolveName(name, { ...rest, all: true }, (error, found: LookupAddress[]) => {
      if (error !== null) return done(error, '');
      const allowed = found.filter(({ address }) => isAllowed(address, addresses));
      const [first] = allowed;
      if (first === undefined) return done(notAllowed(url.host), '');
      return all === true ? done(null, allowed) : done(null, first.address, first.family);
    });
  };
  const options = {
    method,
    signal,
    lookup,
    agent: false,
    headers: { ...Object.fromEntries(new Headers(headers)), 'accept-encoding': 'identity' },
    ...(authorities === undefined ? {} : { ca: authorities }),
  };
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = plain ? httpRequest(url, options, resolve) : httpsRequest(url, options, resolve);
      request.on('error', reject);
      // Texts and forms are sent, and no other body.
      request.end(typeof body === 'string' || body instanceof URLSearchParams ? body.toString() : undefined);
    });
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      // leaving the loop closes the connection
      if (length > most) throw new Error(`${url.host} answered more than ${most} bytes`);
      chunks.push(chunk);
    }
    const { 'content-type': type = '', 'cache-control': keep } = response.headers;
    const about = { 'content-type': type, ...(keep === undefined ? {} : { 'cache-control': keep }) };
    return { status: response.statusCode ?? 0, about, bytes: new Uint8Array(Buffer.concat(chunks)) };
  } catch (error) {
    throw signal.aborted ? new Error(`${url.host} did not answer within ${time} ms`) : error;
  }
}
