import { fhirError } from '../fhir/error.ts';
import { findStrings } from '../fhir/find-strings.ts';
import type { Span } from '../fhir/find-strings.ts';

/** A body without its base64. */
export interface CutBody {
  /** The body with a short base64 in the place of each. */
  readonly rest: Buffer;
  /** Their positions in the body, in order. */
  readonly spans: readonly Span[];
}

/** The placeholder of removed content: base64, so that structure checks accept it. */
const placeholder = Buffer.from('AAAA');
const nothing = Buffer.alloc(0);

/** Maximum number of attachments of one resource. */
const most = 100;

/**
 * Removes the strings at a path (element names after the type) from a JSON body, which it does not modify. Throws
 * FhirError 413 for more than a hundred.
 */
export function cutBody(body: Buffer, path: readonly string[]): CutBody {
  const spans = findStrings(body, path, most + 1);
  if (spans.length === 0) return { rest: body, spans };
  if (spans.length > most) {
    throw fhirError(413, 'too-costly', `The resource has more than ${most} attachments; split it into several.`);
  }
  const parts: Buffer[] = [];
  let from = 0;
  for (const span of spans) {
    parts.push(body.subarray(from, span.from), span.from === span.to ? nothing : placeholder);
    from = span.to;
  }
  return { rest: Buffer.concat([...parts, body.subarray(from)]), spans };
}
