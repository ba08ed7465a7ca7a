import { fhirError } from '../../fhir/error.ts';
import { JsonError, parseJson } from '../../fhir/json.ts';
import type { ParsedJson } from '../../fhir/json.ts';
import { decodeUtf8 } from '../../fhir/utf8.ts';
import { shorten } from '../../validation/report.ts';

/**
 * The text of a body and what it says, as strict JSON. Throws FhirError 400, with the place under `root` (a type name) where there
 * is one. https://hl7.org/fhir/R4/json.html
 */
export function parseBody(body: Buffer, root: string): { readonly text: string; readonly parsed: ParsedJson } {
  try {
    const text = decodeUtf8(body);
    return { text, parsed: parseJson(text) };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const place = error.path.replace(/^\$/, root);
    const expression = /^[\w.[\]]{1,200}$/.test(place) ? place : undefined;
    const text = `The body is not JSON as FHIR has it: ${error.message} This is at \`${shorten(error.path)}\`, line ${error.line}.`;
    throw fhirError(400, 'structure', text, expression);
  }
}
