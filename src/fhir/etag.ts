/** The weak entity tag of a version: `W/"3"`. https://hl7.org/fhir/R4/http.html#versioning */
export function printETag(version: number | string): string {
  return `W/"${version}"`;
}

/**
 * The tags of an If-None-Match or If-Match header, without `W/` and quotes; `*` stays `*`. Invalid tags are skipped.
 * https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3
 */
export function parseETag(header: string): string[] {
  if (header.trim() === '*') return ['*'];
  return [...header.matchAll(/(?:^|,)[ \t]*(?:W\/)?"([^"]*)"/g)].map(match => match[1] ?? '');
}
