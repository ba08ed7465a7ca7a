import { StoreUnavailable } from '../port/errors.ts';

/** The result of a read, or its error: in a damaged file one statement fails, and others work. */
export type Attempt<T> =
  { readonly value: T; readonly failed?: undefined } | { readonly value?: undefined; readonly failed: string };

/** Any error counts: a damaged row may have invalid values, such as a number that is too large for JavaScript. */
export function attempt<T>(read: () => T): Attempt<T> {
  try {
    return { value: read() };
  } catch (error) {
    // SQLite's own message, if the port has wrapped it.
    const cause = error instanceof StoreUnavailable ? error.cause : error;
    return { failed: cause instanceof Error ? cause.message : String(cause) };
  }
}
