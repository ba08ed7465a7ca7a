import { XmlError } from '../../fhir/xml/error.ts';
import type { XmlTypes } from '../../fhir/xml/layout.ts';
import { BrokenInput } from '../../interaction/bundle/broken-input.ts';
import type { Chunks } from './bytes.ts';

/** The bytes of an input as JSON, and whether they were XML. */
export interface JsonInput {
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
  const all = again(held, iterator);
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

async function* again(held: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  yield* held;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}
