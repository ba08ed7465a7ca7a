/** The weak entity tag of a version: `W/"3"`. https://hl7.org/fhir/R4/http.html#versioning */
export function printETag(version: number | string): string {
  return `W/"${version}"`;
}

/**
 * The tags of an If-None-Match or If-Match header, without `W/` and quotes; `*` stays `*`. None of a header that is not
 * a list of tags as a whole. https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3
 */
export function parseETag(header: string): string[] {
  if (header.trim() === '*') return ['*'];
  const tags: string[] = [];
  const next = /[ \t,]*(?:W\/)?"([^"]*)"[ \t]*(?=,|$)/y;
  let end = 0;
  for (let match = next.exec(header); match !== null; match = next.exec(header)) {
    tags.push(match[1] ?? '');
    end = next.lastIndex;
  }
  return /^[ \t,]*$/.test(header.slice(end)) ? tags : [];
}
