import { fhirError } from '../../fhir/error.ts';

/**
 * Whether a header is repeated. Node joins the lines of some headers and keeps the first of others, so that a proxy may
 * have used another line. `rawHeaders` are names and values in turn, `name` is in lower case.
 */
export function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] ?? '';
    if (given.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count > 1;
}

/**
 * The text of a header, which clients send in UTF-8, and Node reads in Latin-1. Throws FhirError 400 for other bytes;
 * `name` is that of the header. https://hl7.org/fhir/R4/http.html#ccreate
 */
export function utf8Of(value: string, name: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    const text = `The header ${name} is not UTF-8: send it in UTF-8, or with percent-escapes.`;
    throw fhirError(400, 'value', text, `http."${name}"`);
  }
}
