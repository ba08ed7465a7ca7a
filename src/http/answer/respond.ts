import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { prettyJson } from '../../fhir/json.ts';
import { printETag } from '../../fhir/etag.ts';
import type { XmlTypes } from '../../fhir/xml/layout.ts';
import type { FhirResponse } from '../../interaction/interaction.ts';
import { makeOnce } from '../../limits/cache.ts';
import type { Context, Middleware, Respond } from '../context.ts';
import { linger } from '../connection/client-error.ts';
import { earlyContentType, isXml } from '../request/negotiate.ts';
import { operationOutcome } from '../../fhir/outcome.ts';
import { answerOf } from '../../interaction/answer-of.ts';
import type { Log } from '../../observability/log.ts';
import { StoreUnavailable } from '../../store/port/errors.ts';

/** An unreachable or read-only store is reported once in this time, in milliseconds. */
const noticeInterval = 10_000;

/**
 * Answers errors of the following steps: a FhirError with its status and OperationOutcome, a failure of the store as
 * defined there; any other is a fault, logged with the request id and answered 500 with that id and no inner text.
 * https://hl7.org/fhir/R4/http.html#Status-Codes
 */
export function answerErrors(respond: Respond, log: Log, now: () => number): Middleware {
  let lastReported = -Infinity;
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      const { failure, isFault } = answerOf(error, context.state.requestId);
      const unavailable = [error, failure.cause].find(one => one instanceof StoreUnavailable);
      if (isFault) log.fault(error, context.state.requestId);
      // A failed read concerns this request only; the others would be reported with each request.
      const isOwn = unavailable?.reason === 'exception';
      if (unavailable !== undefined && (isOwn || now() - lastReported >= noticeInterval)) {
        if (!isOwn) lastReported = now();
        log.fault(unavailable, context.state.requestId);
      }
      const body = JSON.stringify(operationOutcome(failure.issues));
      await respond(context, { status: failure.status, body, headers: failure.headers });
    }
  };
}

type Encoding = 'gzip' | 'br';

/**
 * The encoding that an Accept-Encoding header prefers; undefined for none. gzip if both have the same quality: it costs
 * the server less than half of brotli. https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
 */
export function encodingFor(accept: string | string[] | undefined): Encoding | undefined {
  if (typeof accept !== 'string') return undefined;
  const quality = new Map<string, number>();
  for (const item of accept.split(',')) {
    const [name = '', ...parameters] = item.split(';').map(part => part.trim().toLowerCase());
    const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2);
    quality.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  const any = quality.get('*') ?? 0;
  const gzipQuality = quality.get('gzip') ?? quality.get('x-gzip') ?? any;
  const brotliQuality = quality.get('br') ?? any;
  const identity = quality.get('identity') ?? 0;
  if (Math.max(gzipQuality, brotliQuality) === 0 || identity > Math.max(gzipQuality, brotliQuality)) return undefined;
  return brotliQuality > gzipQuality ? 'br' : 'gzip';
}

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

/** Compresses on the thread pool, without blocking the event loop. */
export function compress(content: string | Buffer, encoding: Encoding): Promise<Buffer> {
  const bytes = Buffer.from(content);
  if (encoding === 'gzip') return gzipAsync(bytes, { level: 1 });
  return brotliAsync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });
}

export interface RespondOptions {
  /** On every answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** The types of R4, for answers as XML. */
  readonly types: XmlTypes;
  readonly compression: boolean;
  /** Minimum size of a compressed body, in bytes. */
  readonly threshold: number;
}

/**
 * Creates the function that turns a response value into status, headers and body. It writes them in one call, past
 * koa's own response, which would cost as much as the read itself. https://hl7.org/fhir/R4/http.html#versioning
 */
export function createRespond(options: RespondOptions): Respond {
  const vary = options.compression ? 'Accept, Accept-Encoding, Origin, Prefer' : 'Accept, Origin, Prefer';
  const always = Object.entries({ ...options.headers, Vary: vary }).flat();
  return async (context, made) => {
    const { req, res, state } = context;
    context.respond = false;
    state.response = made;
    if (res.headersSent || res.destroyed) return;
    const type = state.contentType ?? earlyContentType(req.headers.accept, state.query);
    const inXml = isXml(type) && made.body !== undefined && made.headers?.['Content-Type'] === undefined;
    const response = inXml ? await asXml(context, made, options) : made;
    state.response = response;
    if (inXml && (res.headersSent || res.destroyed)) return;
    const own = response.headers ?? {};
    const headers = headersOf(context, response, always);
    if (response.file !== undefined) {
      const { sendFile } = await loadFile();
      const encoding = options.compression ? encodingFor(req.headers['accept-encoding']) : undefined;
      return sendFile(context, response.file, response.status, headers, encoding);
    }
    if (response.stream !== undefined) {
      const { sendStream } = await loadFile();
      const encoding = options.compression ? encodingFor(req.headers['accept-encoding']) : undefined;
      return sendStream(context, response.stream, response.status, headers, encoding);
    }
    let body: string | Buffer | undefined;
    let ascii = false;
    const content = response.bytes ?? response.body;
    if (content !== undefined) {
      const isIndented = !inXml && state.pretty === true && content.length <= longestIndented;
      body = isIndented && typeof content === 'string' ? `${prettyJson(content)}\n` : content;
      if (inXml) body = Buffer.from(body); // a text of many parts is encoded faster so than by the socket
      const encoding = options.compression ? encodingFor(req.headers['accept-encoding']) : undefined;
      if (encoding !== undefined && body.length >= options.threshold) {
        body = await compress(body, encoding);
        headers.push('Content-Encoding', encoding);
        if (res.headersSent || res.destroyed) return;
      }
      const bytes = Buffer.byteLength(body);
      ascii = bytes === body.length;
      if (own['Content-Type'] === undefined) headers.push('Content-Type', type);
      headers.push('Content-Length', String(bytes));
    } else if (response.status !== 304 && response.status !== 204) headers.push('Content-Length', '0');
    res.writeHead(response.status, headers);
    if (context.method === 'HEAD') body = undefined;
    if (response.status === 413 && !req.complete) {
      if (body !== undefined) res.write(body);
      await linger(req);
      res.end();
    } else res.end(body, ascii ? 'latin1' : 'utf8'); // the same bytes, written with less work
  };
}

const loadXml = makeOnce(() => import('./xml-answer.ts'));
const loadFile = makeOnce(() => import('./file.ts'));

/** The response with its body as XML, by modules that are loaded with the first. */
async function asXml(context: Context, response: FhirResponse, { types }: RespondOptions): Promise<FhirResponse> {
  const { xmlAnswer } = await loadXml();
  const { state, method } = context;
  const pretty = state.pretty === true && (response.body?.length ?? 0) <= longestIndented;
  const interaction = state.partialRequest?.route?.interaction;
  const mayWrite = method !== 'GET' && method !== 'HEAD' && interaction?.startsWith('search') !== true;
  return xmlAnswer(response, { types, pretty, room: state.room, mayWrite });
}

/** Most characters that are indented: of longer answers the event loop would be held for too long. */
const longestIndented = 1024 * 1024;

/** Names and values in turn, which Node writes unchanged. */
function headersOf({ state }: Context, response: FhirResponse, always: readonly string[]): string[] {
  const { etag, lastModified, headers } = response;
  const all = [
    ...(headers?.['Cache-Control'] === undefined ? always : withoutCaching(always)),
    'X-Request-Id',
    state.requestId,
  ];
  if (state.correlationId !== undefined) all.push('X-Correlation-Id', state.correlationId);
  if (etag !== undefined) all.push('ETag', printETag(etag));
  if (lastModified !== undefined) all.push('Last-Modified', new Date(lastModified).toUTCString());
  if (headers !== undefined) all.push(...Object.entries(headers).flat());
  return all;
}

/** These without Cache-Control: the answer has its own. */
const withoutCaching = (headers: readonly string[]): string[] =>
  headers.filter((_, at) => headers[at - (at % 2)] !== 'Cache-Control');

/**
 * The headers of every answer: no cache stores records, on a shared computer neither the browser's, and a browser
 * neither guesses types, nor executes, frames or refers to anything. https://hl7.org/fhir/R4/security.html#http,
 * https://www.rfc-editor.org/rfc/rfc9111#section-5.2.2.5
 */
export function fixedHeaders(tls: boolean): Readonly<Record<string, string>> {
  return {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'X-Frame-Options': 'DENY',
    ...(tls ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  };
}
