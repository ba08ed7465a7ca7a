import { findStrings } from '../../fhir/find-strings.ts';
import type { Span } from '../../fhir/find-strings.ts';

/** A body without the base64 that it carries. */
export interface CutBody {
  /** The body with a short base64 in the place of each. */
  readonly rest: Buffer;
  /** Where they stood in the body, in order. */
  readonly spans: readonly Span[];
}

/** What stands in the rest for what was cut out: it is base64, so that checks of structure see it there. */
export const placeholder = 'AAAA';

/** Cuts the strings at a path (element names behind the type) out of a JSON body, whose bytes it leaves alone. */
export function cutBody(body: Buffer, path: readonly string[]): CutBody {
  const spans = findStrings(body, path);
  if (spans.length === 0) return { rest: body, spans };
  const parts: Buffer[] = [];
  let from = 0;
  for (const span of spans) {
    parts.push(body.subarray(from, span.from), Buffer.from(span.from === span.to ? '' : placeholder));
    from = span.to;
  }
  return { rest: Buffer.concat([...parts, body.subarray(from)]), spans };
}
