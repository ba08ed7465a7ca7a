import { prettyJson } from '../fhir/json.ts';
import { printETag } from '../fhir/etag.ts';
import type { FhirResponse } from '../interaction/interaction.ts';
import { compress, encodingFor } from './compress.ts';
import type { Context, Respond } from './context.ts';
import { linger } from './linger.ts';
import { defaultContentType } from './negotiate.ts';

export interface RespondOptions {
  /** On every answer. */
  readonly headers: Readonly<Record<string, string>>;
  readonly compression: boolean;
  /** Smallest body that is compressed, in bytes. */
  readonly threshold: number;
  /** True once the server shuts down: connections are then not kept. */
  readonly closing: () => boolean;
}

/**
 * Makes the function that turns a response value into status, headers and body. It writes them in one go, past koa's own
 * response, which would cost as much as the read itself. https://hl7.org/fhir/R4/http.html#versioning
 */
export function createRespond(options: RespondOptions): Respond {
  const vary = options.compression ? 'Accept, Accept-Encoding, Prefer' : 'Accept, Prefer';
  return async (context, response) => {
    const { req, res, state } = context;
    context.respond = false;
    if (res.headersSent || res.destroyed) return;
    const headers = headersOf(context, response, options.headers, vary);
    if (options.closing()) headers['Connection'] = 'close';
    let body: string | Buffer | undefined;
    if (response.body !== undefined) {
      body = state.pretty ? `${prettyJson(response.body)}\n` : response.body;
      const encoding = options.compression ? encodingFor(req.headers['accept-encoding']) : undefined;
      if (encoding !== undefined && body.length >= options.threshold) {
        body = await compress(body, encoding);
        headers['Content-Encoding'] = encoding;
        if (res.headersSent || res.destroyed) return;
      }
      headers['Content-Type'] ??= state.contentType ?? defaultContentType;
      headers['Content-Length'] = Buffer.byteLength(body);
    } else if (response.status !== 304) headers['Content-Length'] = 0;
    res.writeHead(response.status, headers);
    if (context.method === 'HEAD') body = undefined;
    if (response.status === 413 && !req.complete) {
      if (body !== undefined) res.write(body);
      await linger(req);
      res.end();
    } else res.end(body);
  };
}

function headersOf(
  { state }: Context,
  { etag, lastModified, headers }: FhirResponse,
  fixed: Readonly<Record<string, string>>,
  vary: string,
): Record<string, string | number> {
  const all: Record<string, string | number> = { ...fixed, Vary: vary, 'X-Request-Id': state.requestId };
  if (state.correlationId !== undefined) all['X-Correlation-Id'] = state.correlationId;
  if (etag !== undefined) all['ETag'] = printETag(etag);
  if (lastModified !== undefined) all['Last-Modified'] = new Date(lastModified).toUTCString();
  return headers === undefined ? all : Object.assign(all, headers);
}
