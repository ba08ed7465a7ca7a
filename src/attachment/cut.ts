import { fhirError } from '../fhir/error.ts';
import { findStrings } from '../fhir/find-strings.ts';
import type { Span } from '../fhir/find-strings.ts';

/** A body without the base64 that it carries. */
export interface CutBody {
  /** The body with a short base64 in the place of each. */
  readonly rest: Buffer;
  /** Where they stood in the body, in order. */
  readonly spans: readonly Span[];
}

/** Stands in the rest for what was cut out: it is base64, so that checks of structure see it there. */
const placeholder = Buffer.from('AAAA');
const nothing = Buffer.alloc(0);

/** Most attachments of one resource. */
const most = 100;

/**
 * Cuts the strings at a path (element names behind the type) out of a JSON body, whose bytes it leaves alone. Throws FhirError
 * 413 for more than a hundred.
 */
export function cutBody(body: Buffer, path: readonly string[]): CutBody {
  const spans = findStrings(body, path, most + 1);
  if (spans.length === 0) return { rest: body, spans };
  if (spans.length > most) {
    throw fhirError(413, 'too-costly', `The resource has more than ${most} attachments; make several of it.`);
  }
  const parts: Buffer[] = [];
  let from = 0;
  for (const span of spans) {
    parts.push(body.subarray(from, span.from), span.from === span.to ? nothing : placeholder);
    from = span.to;
  }
  return { rest: Buffer.concat([...parts, body.subarray(from)]), spans };
}
