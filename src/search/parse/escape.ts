/**
 * The escapes of search values: `\,` `\|` `\$` `\\` stand for the character itself. They are a level above the
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

/** The text without its escapes. */
export function unescape(text: string): string {
  return text.includes('\\') ? text.replace(/\\([\\,|$])/g, '$1') : text;
}

/** The text with everything escaped that means something in a search value. */
export function escape(text: string): string {
  return text.replace(/[\\,|$]/g, '\\$&');
}

/** The first escape that the standard does not have, such as `\x` or a `\` at the end; undefined where all is well. */
export function wrongEscape(text: string): string | undefined {
  return text.includes('\\') ? /\\(?![\\,|$])[^]?/.exec(text.replace(/\\[\\,|$]/g, ''))?.[0] : undefined;
}
