import { StoreRefused, StoreUnavailable } from '../port/errors.ts';

/** Whether an error means that another connection holds a lock. https://sqlite.org/rescode.html#busy */
export function isBusy(error: unknown): boolean {
  return isSqliteError(error) && (error.errcode & 0xff) === 5;
}

/**
 * Whether an error means that the file, or one beside it, cannot be opened. https://sqlite.org/rescode.html#cantopen
 */
export function isCannotOpen(error: unknown): boolean {
  return isSqliteError(error) && (error.errcode & 0xff) === 14;
}

/** Whether it is an error of SQLite itself. https://sqlite.org/rescode.html */
export function isSqliteError(error: unknown): error is Error & { readonly errcode: number } {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
}

/** The error of a store that cannot be opened; `hint`: what is wrong with its folder if a file cannot be opened. */
export function openingError(error: unknown, path: string, hint: () => string = () => ''): unknown {
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  if (!isSqliteError(cause)) return error;
  return new StoreRefused(
    `The store \`${path}\` cannot be opened: ${cause.message}${isCannotOpen(cause) ? hint() : ''}`,
  );
}
