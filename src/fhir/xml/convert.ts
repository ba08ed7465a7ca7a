import { fhirError } from '../error.ts';
import { XmlError } from './error.ts';
import type { XmlTypes } from './layout.ts';
import { XmlReader } from './read.ts';
import type { ReadOptions } from './read.ts';

/** Bytes that are read at once, before others get their turn. */
const slice = 128 * 1024;

/** The JSON of a resource as XML in UTF-8, as text. Throws XmlError. */
export function jsonOfXml(bytes: Uint8Array, types: XmlTypes, options?: ReadOptions): string {
  const parts: string[] = [];
  const decoder = new XmlDecoder(types, options);
  for (let at = 0; at < bytes.length; at += slice) parts.push(decoder.push(bytes.subarray(at, at + slice)));
  parts.push(decoder.end());
  return parts.join('');
}

/** Converts bytes that come in chunks, and gives bytes in chunks. Throws XmlError. */
export async function* jsonChunksOfXml(
  chunks: AsyncIterable<Uint8Array>,
  types: XmlTypes,
): AsyncGenerator<Uint8Array, void> {
  const decoder = new XmlDecoder(types);
  for await (const chunk of chunks) {
    const text = decoder.push(chunk);
    if (text !== '') yield Buffer.from(text);
  }
  yield Buffer.from(decoder.end());
}

/** Makes JSON of XML whose bytes come in parts. Throws XmlError. */
export class XmlDecoder {
  readonly #reader: XmlReader;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });

  constructor(types: XmlTypes, options?: ReadOptions) {
    this.#reader = new XmlReader(types, options);
  }

  /** Reads a part; returns the JSON that is complete. */
  push(bytes: Uint8Array): string {
    return this.#reader.push(this.#decode(bytes, true));
  }

  end(): string {
    return this.#reader.push(this.#decode(undefined, false)) + this.#reader.end();
  }

  #decode(bytes: Uint8Array | undefined, stream: boolean): string {
    try {
      return this.#decoder.decode(bytes, { stream });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      const at = { line: this.#reader.line, column: 1 };
      throw new XmlError('The text is not valid UTF-8, which XML of FHIR must be.', '', at);
    }
  }
}

/**
 * The lines of a document by the paths of its elements, from the type, from a resource inside, or without the type
 * (empty for the whole);
 * what is missing has the line of the element around it. It reads the document at the first question, and then throws
 * XmlError.
 */
export function linesOf(bytes: Uint8Array, types: XmlTypes): (path: string) => number | undefined {
  const lines = new Map<string, number>();
  let root: string | undefined;
  const visit = (path: string, line: number): void => {
    root ??= path;
    if (!lines.has(path)) lines.set(path, line);
  };
  const lineOf = (path: string, around = ''): number | undefined => {
    for (let rest = path; rest !== around; rest = rest.replace(/(\.[^.[]*|\[\d*\]|[^.[]+)$/, '')) {
      const line = lines.get(rest) ?? lines.get(`${rest}[0]`);
      if (line !== undefined) return line;
    }
    return undefined;
  };
  return path => {
    if (root === undefined) jsonOfXml(bytes, types, { visit });
    return path === '' ? lines.get(root ?? '') : (lineOf(path) ?? lineOf(`${root}.${path}`, root));
  };
}

/** Runs work on XML. Throws FhirError 400 for XmlError. */
export function withFhirErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const { path, withPlace } = error;
    const expression = /^[\w.[\]]{1,200}$/.test(path) ? path : undefined;
    throw fhirError(400, 'structure', `The body is not valid FHIR XML: ${withPlace}`, expression);
  }
}
