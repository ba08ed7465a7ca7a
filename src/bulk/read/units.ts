import type { Readable } from 'node:stream';
import type { Input } from '../input.ts';
import type { XmlTypes } from '../../fhir/xml/layout.ts';
import { BrokenInput, BundleScanner } from '../../interaction/bundle/bundle-scanner.ts';
import type { Addressing, BundleHead } from '../../interaction/bundle/head.ts';
import { asJson, detectFormat } from './format.ts';
import type { Format } from './format.ts';
import { openBytes } from './bytes.ts';
import type { Chunks } from './bytes.ts';
import { surveyBundle } from './bundle-head.ts';
import { readLines } from './lines.ts';
import type { Unit } from './lines.ts';

/** Maximum length of a text in memory: a transaction, a single resource, a Bundle from stdin; in bytes. */
export const maxDocument = 256 * 1024 * 1024;

/** Units that were read together, and their Bundle; the first group of a Bundle is empty. */
export interface UnitGroup {
  readonly units: readonly Unit[];
  readonly bundle: BundleHead | undefined;
}

/** The dependencies of reading. */
export interface ReadOptions {
  readonly stdin: Readable;
  /** Receives the number of bytes read, before decompression. */
  readonly onRead: (bytes: number) => void;
  readonly addressing: Addressing;
  /** The types of R4, for XML. */
  readonly types: XmlTypes;
}

/**
 * The units of an input in order: lines of NDJSON, entries of a Bundle with independent entries, or one document. Such
 * a Bundle is read twice, first for its type and the addresses of its entries, so that one from stdin or a pipe is held
 * in memory. XML is read as the JSON of the same content. Throws BrokenInput if the input cannot be read further.
 */
export async function* readUnits(input: Input, options: ReadOptions): AsyncGenerator<UnitGroup, void> {
  try {
    const bytes = openBytes(input, options.stdin, options.onRead);
    const detected = input.lines ? { format: 'lines' as const, chunks: bytes } : await formatOf(bytes, options);
    if (detected.format === 'lines') {
      for await (const units of readLines(detected.chunks)) yield { units, bundle: undefined };
      return;
    }
    // An input without a size is a pipe, which can be read only once.
    const head =
      input.size === undefined
        ? undefined
        : await surveyBundle((await asJson(openBytes(input, options.stdin), options.types)).chunks, options.addressing);
    if (head?.independent === true) yield* readEntries(detected.chunks, head);
    else yield await readDocument(detected.chunks);
  } catch (error) {
    if (error instanceof BrokenInput || !isUnpackError(error)) throw error;
    throw new BrokenInput(`The gzip data is damaged: ${(error as Error).message}.`, error);
  }
}

/** The format of bytes; XML is one document. */
async function formatOf(
  bytes: Chunks,
  { types }: ReadOptions,
): Promise<{ readonly format: Format; readonly chunks: Chunks }> {
  const { chunks, isXml } = await asJson(bytes, types);
  return isXml ? { format: 'document', chunks } : detectFormat(chunks);
}

async function* readEntries(chunks: AsyncIterable<Uint8Array>, bundle: BundleHead): AsyncGenerator<UnitGroup, void> {
  yield { units: [], bundle };
  const scanner = new BundleScanner();
  let number = 0;
  for await (const chunk of chunks) {
    const units = scanner.push(chunk).map((bytes): Unit => ({ at: `entry ${++number}`, bytes, is: 'entry' }));
    if (units.length > 0) yield { units, bundle };
  }
}

async function readDocument(chunks: AsyncIterable<Uint8Array>): Promise<UnitGroup> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    length += chunk.length;
    if (length > maxDocument) throw new BrokenInput(tooLong);
  }
  const bytes = Buffer.concat(parts);
  const units: readonly Unit[] = bytes.every(byte => byte <= 0x20) ? [] : [{ at: '', bytes, is: 'document' }];
  return { units, bundle: undefined };
}

const tooLong =
  `The document has more than ${maxDocument} bytes, which must be held in memory at once: ` +
  'split the transaction, or load other Bundles from a file and not from stdin.';

/** zlib's errors have codes such as Z_DATA_ERROR. */
const isUnpackError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
