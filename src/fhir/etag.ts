/**
 * An HTTP date in milliseconds since 1970 UTC; undefined for any other text, which is ignored.
 * https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7
 */
export function parseHttpDate(text: string): number | undefined {
  if (text.length > 40 || !/^[A-Z][a-z]{2,8},? /.test(text)) return undefined;
  const time = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`); // the form of C's asctime has no zone
  return Number.isNaN(time) ? undefined : time;
}

/** Whether a time in milliseconds is after an HTTP date, which has whole seconds. */
export const isAfterDate = (time: number, date: number): boolean => Math.floor(time / 1000) * 1000 > date;

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
