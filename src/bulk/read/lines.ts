import type { Chunks } from './bytes.ts';
import { maxRecord } from '../../interaction/bundle/bundle-scanner.ts';

/** A part of an input that is read separately: a line, an entry of a Bundle, or a whole file. */
export interface Unit {
  /** Its place in the input: `line 12`, `entry 3`; empty for the whole. */
  readonly at: string;
  /** JSON text in UTF-8, if it is valid. */
  readonly bytes: Uint8Array;
  readonly is: 'line' | 'document' | 'entry';
  /** Why it cannot be read, if that is known already. */
  readonly problem?: string;
}

/** The non-blank lines of NDJSON, those of a chunk together; a line that is too long is reported and skipped. */
export async function* readLines(chunks: Chunks, longest = maxRecord): AsyncGenerator<readonly Unit[], void> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let number = 0;
  for await (const chunk of chunks) {
    const units: Unit[] = [];
    let start = 0;
    for (let end = indexOfNewline(chunk, 0); end !== -1; end = indexOfNewline(chunk, start)) {
      length += end - start;
      if (length <= longest) parts.push(chunk.subarray(start, end));
      addLine(units, parts, length, ++number, longest);
      parts = [];
      length = 0;
      start = end + 1;
    }
    if (start < chunk.length) {
      length += chunk.length - start;
      if (length <= longest) parts.push(chunk.subarray(start));
      else parts = [];
    }
    if (units.length > 0) yield units;
  }
  const last: Unit[] = [];
  addLine(last, parts, length, number + 1, longest);
  if (last.length > 0) yield last;
}

function addLine(units: Unit[], parts: readonly Uint8Array[], length: number, number: number, longest: number): void {
  const at = `line ${number}`;
  if (length > longest) {
    const problem = `The line has ${length} bytes and exceeds the limit of ${longest}.`;
    units.push({ at, bytes: new Uint8Array(), is: 'line', problem });
    return;
  }
  const bytes = parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts); // there is one
  if (bytes.some(byte => byte > 0x20)) units.push({ at, bytes, is: 'line' });
}

/** Buffer's search is native and fast. */
const indexOfNewline = (chunk: Uint8Array, from: number): number => chunk.indexOf(0x0a, from);
