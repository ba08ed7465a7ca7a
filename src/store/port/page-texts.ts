/**
 * Most characters of the records on one page: a page ends before its limit where their texts are long, since answers
 * are bounded in bytes too. Twice the largest record of a load fits.
 */
export const mostPageText = 16 * 1024 * 1024;

/** A found record, or a document of one. */
interface WithText {
  readonly text?: string | undefined;
}

/** The number of records that a page of at most `limit` has, of those found in its order: at least one. */
export function fitting(found: readonly WithText[], limit: number): number {
  const most = Math.min(found.length, limit);
  let characters = 0;
  for (let at = 0; at < most; at++) {
    characters += found[at]?.text?.length ?? 0;
    if (characters > mostPageText) return Math.max(at, 1);
  }
  return most;
}

/** Whether these are a whole page of at most `limit`, and perhaps more. */
export const isFull = (found: readonly WithText[], limit: number): boolean =>
  found.length >= limit || fitting(found, limit) < found.length;
