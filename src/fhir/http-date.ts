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
