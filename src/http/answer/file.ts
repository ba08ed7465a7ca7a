import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createBrotliCompress, createGzip, constants } from 'node:zlib';
import { Readable } from 'node:stream';
import type { Transform } from 'node:stream';
import type { ServerResponse } from 'node:http';
import { fhirError } from '../../fhir/error.ts';
import type { FileAnswer, StreamAnswer } from '../../interaction/interaction.ts';
import { ifThere } from '../../store/files/durable.ts';
import type { Context } from '../context.ts';

/** An encoding of a file, in which it is compressed while it is sent. */
export type FileEncoding = 'gzip' | 'br';

type Connection = Pick<Context, 'req' | 'res' | 'method'>;

/**
 * Sends a file, or the range of it that is asked for. Ranges are of the plain file: with one, it is not compressed, and
 * each encoding has an ETag of its own, so that no download is continued in another one. Throws FhirError 404 if the
 * file is gone, 416 for a range behind its end. https://www.rfc-editor.org/rfc/rfc9110#section-14
 */
export async function sendFile(
  { req, res, method }: Connection,
  { path, contentType, tag }: FileAnswer,
  status: number,
  headers: readonly string[],
  encoding: FileEncoding | undefined,
): Promise<void> {
  const found = await ifThere(() => stat(path));
  if (found === undefined) throw fhirError(404, 'not-found', 'The file does not exist any more.');
  const { size } = found;
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch, 'accept-encoding': accepted = '' } = req.headers;
  const plain = `"${tag}"`;
  const isPlainRefused = /(?:^|,)\s*identity\s*;\s*q=0(?:\.0*)?\s*(?:,|$)/i.test(accepted);
  const asked =
    range !== undefined && !isPlainRefused && (ifRange === undefined || ifRange === plain) ? range : undefined;
  const part = asked === undefined || method === 'HEAD' ? undefined : parseRange(asked, size);
  if (part === 'none') {
    const text = `The file has ${size} bytes, so that nothing is in the range \`${String(range)}\`.`;
    throw fhirError(416, 'value', text, 'http.Range', { 'Content-Range': `bytes */${size}` });
  }
  const own = ['Content-Type', contentType, 'Accept-Ranges', 'bytes'];
  const used = part === undefined ? encoding : undefined;
  const etag = used === undefined ? plain : `"${tag}-${used}"`;
  own.push('ETag', etag);
  if (ifNoneMatch?.split(',').some(one => one.trim() === etag) === true) {
    res.writeHead(304, [...headers, ...own]);
    res.end();
    return;
  }
  if (used !== undefined) own.push('Content-Encoding', used);
  else own.push('Content-Length', String(part === undefined ? size : part.end - part.start + 1));
  if (part !== undefined) own.push('Content-Range', `bytes ${part.start}-${part.end}/${size}`);
  res.writeHead(part === undefined ? status : 206, [...headers, ...own]);
  if (method === 'HEAD' || size === 0) {
    res.end();
    return;
  }
  await send(createReadStream(path, part ?? {}), res, used);
}

/** Sends an answer in parts, as fast as its client takes them. Throws the error of a part. */
export async function sendStream(
  { res, method }: Connection,
  { contentType, parts }: StreamAnswer,
  status: number,
  headers: readonly string[],
  encoding: FileEncoding | undefined,
): Promise<void> {
  const own = ['Content-Type', contentType, ...(encoding === undefined ? [] : ['Content-Encoding', encoding])];
  res.writeHead(status, [...headers, ...own]);
  if (method === 'HEAD') res.end();
  else await send(Readable.from(parts, { objectMode: false }), res, encoding);
}

async function send(source: Readable, res: ServerResponse, encoding: FileEncoding | undefined): Promise<void> {
  try {
    await (encoding === undefined ? pipeline(source, res) : pipeline(source, compressor(encoding), res));
  } catch (error) {
    // The head is sent: a connection that is cut says that the content is not complete. Else the client has gone.
    res.destroy();
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE')) throw error;
  }
}

const compressor = (encoding: FileEncoding): Transform =>
  encoding === 'gzip'
    ? createGzip({ level: 1 })
    : createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });

/**
 * The bytes of a range, both ends included; `none` if there are none; undefined for several ranges and for what is no
 * range, which are ignored.
 */
function parseRange(
  range: string,
  size: number,
): { readonly start: number; readonly end: number } | 'none' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range.trim()) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '')
    return Number(last) === 0 || size === 0 ? 'none' : { start: Math.max(0, size - Number(last)), end: size - 1 };
  if (last !== '' && Number(last) < Number(first)) return undefined;
  if (Number(first) >= size) return 'none';
  return { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}
