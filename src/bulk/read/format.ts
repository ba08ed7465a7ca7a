import { withoutMark } from '../../fhir/utf8.ts';
import { maxRecord } from '../../interaction/bundle/bundle-scanner.ts';
import { XmlError } from '../../fhir/xml/error.ts';
import type { XmlTypes } from '../../fhir/xml/layout.ts';
import { BrokenInput } from '../../interaction/bundle/bundle-scanner.ts';
import { chunksAgain } from './bytes.ts';
import type { Chunks } from './bytes.ts';

/** The bytes of an input as JSON, and whether they were XML. */
interface JsonInput {
  readonly chunks: Chunks;
  readonly isXml: boolean;
}

/**
 * The bytes of an input, which become JSON while they are read if they are XML: if the first one that is no white space
 * is `<`. Reading throws BrokenInput with the line of what is wrong in XML.
 */
export async function asJson(chunks: Chunks, types: XmlTypes): Promise<JsonInput> {
  const iterator = chunks[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let first: number | undefined;
  while (first === undefined) {
    const next = await iterator.next();
    if (next.done === true) break;
    held.push(next.value);
    first = next.value.find(byte => byte > 0x20 && !isMark(byte));
  }
  const all = chunksAgain(held, iterator);
  return first === 0x3c ? { chunks: converted(all, types), isXml: true } : { chunks: all, isXml: false };
}

/** The bytes of a byte order mark. */
const isMark = (byte: number): boolean => byte === 0xef || byte === 0xbb || byte === 0xbf;

async function* converted(chunks: Chunks, types: XmlTypes): AsyncGenerator<Uint8Array, void> {
  const { jsonChunksOfXml } = await import('../../fhir/xml/convert.ts');
  try {
    yield* jsonChunksOfXml(chunks, types);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw new BrokenInput(`The XML is not valid FHIR: ${error.withPlace}`, error);
  }
}

/** The format of an input: a resource per line, or one JSON document. */
export type Format = 'lines' | 'document';

/**
 * Distinguishes NDJSON from one document by the first line and the first byte after it: NDJSON has a whole object on
 * the first line, followed by another. A single line is a document. `chunks` returns all bytes again.
 */
export async function detectFormat(chunks: Chunks): Promise<{ readonly format: Format; readonly chunks: Chunks }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let length = 0;
  let format: Format | undefined;
  while (format === undefined) {
    const next = await iterator.next();
    if (next.done === true) {
      format = decide(Buffer.concat(held)) ?? 'document';
      break;
    }
    held.push(next.value);
    length += next.value.length;
    // Checked again only when the length has doubled, so that a long first line costs no more than twice its length.
    if (held.length === 1 || Math.log2(held.length) % 1 === 0) format = decide(Buffer.concat(held));
    if (length > maxRecord) format ??= 'document';
  }
  return { format, chunks: chunksAgain(hasMark(held) ? [withoutMark(Buffer.concat(held))] : held, iterator) };
}

/** Whether a byte order mark is before the text. */
const hasMark = (held: readonly Uint8Array[]): boolean => held[0]?.[0] === 0xef;

/** Undefined if more must be read. */
function decide(given: Buffer): Format | undefined {
  const bytes = withoutMark(given);
  const start = firstInk(bytes, 0);
  if (start === -1) return undefined;
  const newline = bytes.indexOf(0x0a, start);
  const line = bytes.subarray(start, newline === -1 ? bytes.length : newline);
  if (newline === -1) return line[0] === 0x7b ? undefined : 'document';
  let end = line.length - 1;
  while (end > 0 && (line[end] as number) <= 0x20) end--; // within the line
  if (line[0] !== 0x7b || line[end] !== 0x7d) return 'document';
  const next = firstInk(bytes, newline);
  if (next === -1) return undefined;
  return bytes[next] === 0x7b ? 'lines' : 'document';
}

/** Index of the first byte that is not white space; -1 if there is none. */
function firstInk(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) if ((bytes[at] as number) > 0x20) return at; // within the bytes
  return -1;
}
