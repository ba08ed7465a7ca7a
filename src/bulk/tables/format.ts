import { accepts } from '../../fhir/accept.ts';
import { fhirError } from '../../fhir/error.ts';
import { shorten } from '../../validation/report.ts';
import { rowTypes } from '../../views/formats.ts';
import type { RowFormat } from '../../views/formats.ts';

/** The form of an answer: a format, perhaps in a Binary. */
export interface AnswerForm {
  readonly format: RowFormat;
  readonly isBinary: boolean;
}

/** Codes and media types of `_format`; in a URL, an unescaped plus is a space. */
const codes: ReadonlyMap<string, RowFormat> = new Map([
  ['ndjson', 'ndjson'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
  ['csv', 'csv'],
  ['text/csv', 'csv'],
  ['json', 'json'],
  ['application/json', 'json'],
  ['parquet', 'parquet'],
  ['application/vnd.apache.parquet', 'parquet'],
  ['fhir', 'fhir'],
  ['application/fhir+json', 'fhir'],
  ['application/fhir json', 'fhir'],
]);

const fhirJson = 'application/fhir+json';

/** The formats that Accept may choose, the preferred one first. */
const byAccept = [
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
  ['text/csv', 'csv'],
  ['application/json', 'json'],
  ['application/vnd.apache.parquet', 'parquet'],
  [fhirJson, 'fhir'],
] as const;

/** The format that `_format` names. Throws FhirError 400. */
export function formatNamed(text: string): RowFormat {
  const found = codes.get(text.toLowerCase());
  if (found !== undefined) return found;
  const known = 'use `ndjson`, `csv`, `json`, `parquet` or `fhir`';
  throw fhirError(400, 'not-supported', `The format \`${shorten(text)}\` is not supported: ${known}.`, '_format');
}

/**
 * The form of an answer by `_format`, else by Accept, else `ndjson`. An Accept that admits FHIR only has the rows of
 * another format in a Binary. Throws FhirError 400 for an unsupported `_format`, 406 for an Accept of none.
 * https://build.fhir.org/ig/HL7/sql-on-fhir/en/operations-common.html
 */
export function formOf(format: string | undefined, accept: string | undefined): AnswerForm {
  if (format === undefined) {
    const found = byAccept.find(([type]) => accepts(accept, type));
    if (found !== undefined) return { format: found[1], isBinary: false };
    const types = byAccept.map(([type]) => `\`${type}\``).join(', ');
    throw fhirError(406, 'not-supported', `No type of Accept is supported: use ${types}.`, 'http.Accept');
  }
  const named = formatNamed(format);
  const [type = ''] = rowTypes[named].split(';');
  if (accepts(accept, type)) return { format: named, isBinary: false };
  return { format: named, isBinary: accepts(accept, fhirJson) };
}

/** A part of a table: text, or bytes of a format that is none. */
export type TablePart = string | Uint8Array;

/** The rows as the base64 of a Binary, in parts. https://hl7.org/fhir/R4/binary.html */
export async function* inBinary(contentType: string, parts: AsyncIterable<TablePart>): AsyncIterable<string> {
  yield `{"resourceType":"Binary","contentType":${JSON.stringify(contentType)},"data":"`;
  let rest: Buffer = Buffer.alloc(0);
  for await (const part of parts) {
    const bytes = Buffer.concat([rest, Buffer.from(part)]);
    const whole = bytes.length - (bytes.length % 3);
    yield bytes.toString('base64', 0, whole);
    rest = bytes.subarray(whole);
  }
  yield `${rest.toString('base64')}"}`;
}
