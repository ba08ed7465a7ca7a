/**
 * The escapes of search values: `\,` `\|` `\$` `\\` mean the character itself. They are a level above the
 * percent-encoding of the URL. https://hl7.org/fhir/R4/search.html#escaping
 */

/** The parts between separators that are not escaped; escapes stay in them. */
export function split(text: string, separator: ',' | '|' | '$'): string[] {
  if (!text.includes(separator)) return [text];
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === separator) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

/** The text with its escapes resolved. */
export function unescape(text: string): string {
  return text.includes('\\') ? text.replace(/\\([\\,|$])/g, '$1') : text;
}

/** The text with all separators and backslashes escaped. */
export function escape(text: string): string {
  return text.replace(/[\\,|$]/g, '\\$&');
}

/** The first invalid escape, such as `\x` or a `\` at the end; undefined if all are valid. */
export function wrongEscape(text: string): string | undefined {
  return text.includes('\\') ? /\\(?![\\,|$])[^]?/.exec(text.replace(/\\[\\,|$]/g, ''))?.[0] : undefined;
}
