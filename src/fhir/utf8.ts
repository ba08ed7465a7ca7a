import { isUtf8 } from 'node:buffer';
import { JsonError } from './json.ts';

/**
 * The text of UTF-8 bytes, without the byte order mark that they may begin with. Throws `JsonError` for bytes that are
 * not valid UTF-8, which other decoders replace silently. https://hl7.org/fhir/R4/json.html,
 * https://www.rfc-editor.org/rfc/rfc8259#section-8.1
 */
export function decodeUtf8(given: Uint8Array): string {
  const bytes = withoutMark(given);
  if (!isUtf8(bytes)) throw notUtf8(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** The bytes of a text without the byte order mark that they may begin with. */
export const withoutMark = <Bytes extends Uint8Array>(bytes: Bytes): Bytes =>
  // a part of a Buffer is a Buffer
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? (bytes.subarray(3) as Bytes) : bytes;

function notUtf8(bytes: Uint8Array): JsonError {
  const valid = validLength(bytes);
  const before = Buffer.from(bytes.buffer, bytes.byteOffset, valid).toString('utf8');
  const hex = (bytes[valid] ?? 0).toString(16).padStart(2, '0');
  const line = before.split('\n').length;
  const column = before.length - before.lastIndexOf('\n');
  return new JsonError(`The text is not valid UTF-8: byte ${valid + 1} (0x${hex}) is invalid.`, '$', line, column);
}

/** The number of valid bytes from the start, by bisection. */
function validLength(bytes: Uint8Array): number {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isUtf8(wholeCharacters(bytes, middle))) low = middle;
    else high = middle - 1;
  }
  return wholeCharacters(bytes, low).length;
}

/** The first `length` bytes without a split character. */
function wholeCharacters(bytes: Uint8Array, length: number): Uint8Array {
  let at = length - 1;
  while (at >= 0 && length - at < 4 && ((bytes[at] as number) & 0xc0) === 0x80) at--; // at is an index of bytes
  const lead = bytes[at] ?? 0;
  const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.subarray(0, size > 1 && at + size > length ? at : length);
}
