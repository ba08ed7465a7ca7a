import { prettyJson } from '../../fhir/json.ts';
import { printETag } from '../../fhir/etag.ts';
import type { XmlTypes } from '../../fhir/xml/layout.ts';
import type { FhirResponse } from '../../interaction/interaction.ts';
import { makeOnce } from '../../limits/make-once.ts';
import { compress, encodingFor } from './compress.ts';
import type { Context, Respond } from '../context.ts';
import { linger } from '../connection/linger.ts';
import { earlyContentType, isXml } from '../request/negotiate.ts';

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
  const all = [...always, 'X-Request-Id', state.requestId];
  if (state.correlationId !== undefined) all.push('X-Correlation-Id', state.correlationId);
  if (etag !== undefined) all.push('ETag', printETag(etag));
  if (lastModified !== undefined) all.push('Last-Modified', new Date(lastModified).toUTCString());
  if (headers !== undefined) all.push(...Object.entries(headers).flat());
  return all;
}
