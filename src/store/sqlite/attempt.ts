import { StoreUnavailable } from '../errors.ts';

/** What a read gives, or why it gives nothing: where the file is damaged a statement fails, and others go on. */
export type Attempt<T> =
  { readonly value: T; readonly failed?: undefined } | { readonly value?: undefined; readonly failed: string };

/** Any error counts: a damaged row may hold what no row can, such as a number that is too large for JavaScript. */
export function attempt<T>(read: () => T): Attempt<T> {
  try {
    return { value: read() };
  } catch (error) {
    // As SQLite says it, where the port has wrapped that.
    const cause = error instanceof StoreUnavailable ? error.cause : error;
    return { failed: cause instanceof Error ? cause.message : String(cause) };
  }
}
