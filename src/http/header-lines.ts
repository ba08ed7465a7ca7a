/**
 * Whether a header is repeated. Node joins the lines of some headers and keeps the first of others, so that a proxy may
 * have used another line. `rawHeaders` are names and values in turn, `name` is in lower case.
 */
export function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] ?? '';
    if (given.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count > 1;
}
