import { cutBody } from '../../attachment/cut.ts';
import type { CutBody } from '../../attachment/cut.ts';
import { fhirError } from '../../fhir/error.ts';
import { JsonError, parseJson } from '../../fhir/json.ts';
import { decodeUtf8 } from '../../fhir/utf8.ts';
import type { Attachment, ResourceType } from '../../model/model.ts';
import { shorten } from '../../validation/report.ts';
import type { FhirRequest, ParsedText } from '../interaction.ts';

/**
 * The text of a body and its parsed value, as strict JSON. Throws FhirError 400, with the place under `root` (a type
 * name) if there is one. https://hl7.org/fhir/R4/json.html
 */
export const parseBody = (body: Buffer, root: string): ParsedText =>
  withBodyErrors(root, () => {
    const text = decodeUtf8(body);
    return { text, parsed: parseJson(text) };
  });

/** Parses a body. Throws FhirError 400 for JSON that is not strict, with the place under `root` if there is one. */
export function withBodyErrors<T>(root: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const place = error.path.replace(/^\$/, root);
    const expression = /^[\w.[\]]{1,200}$/.test(place) ? place : undefined;
    const text = `The body is not valid FHIR JSON: ${error.message} At \`${shorten(error.path)}\`, line ${error.line}.`;
    throw fhirError(400, 'structure', text, expression);
  }
}

/** The body of a create, update or patch. Throws the FhirError of an entry of a Bundle that has no valid one. */
export function requiredBody({ body = empty, bodyFailure }: Pick<FhirRequest, 'body' | 'bodyFailure'>): Buffer {
  if (bodyFailure !== undefined) throw bodyFailure;
  return body;
}

const empty = Buffer.alloc(0);

/** Throws FhirError 413 for a resource of more than `most` bytes without its attachment. */
export function requireLength(rest: Buffer, most: number, attachment: Attachment | undefined): void {
  if (rest.length <= most) return;
  const beside = attachment === undefined ? '' : ` beside \`${attachment.path}\``;
  throw fhirError(413, 'too-long', `The resource${beside} exceeds the size limit of ${most} bytes.`);
}

/** The elements that lead to an attachment, after the type. */
export const pathOf = (attachment: Attachment | undefined): readonly string[] =>
  attachment?.path.split('.').slice(1) ?? [];

/** A body without the attachments of its type. Throws FhirError 413 for too many. */
export const cutAttachments = (body: Buffer, { attachment }: ResourceType): CutBody =>
  attachment === undefined ? { rest: body, spans: [] } : cutBody(body, pathOf(attachment));
