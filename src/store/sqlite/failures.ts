import {
  type Doing,
  type Failure,
  failureOf as failureOfFile,
  meanings,
  type NamedMeaning,
} from '../files/failures.ts';
import { StoreRefused, StoreUnavailable } from '../port/errors.ts';

const { absent, again, busy, damaged, denied, disk, fault, full, memory, readOnly } = meanings;

/** All primary result codes that end a call. https://sqlite.org/rescode.html#primary_result_code_list */
export const sqliteCodes: Readonly<Record<number, NamedMeaning>> = {
  1: { ...fault, name: 'SQLITE_ERROR' },
  2: { ...fault, name: 'SQLITE_INTERNAL' },
  3: { ...denied, name: 'SQLITE_PERM' },
  4: { ...again, name: 'SQLITE_ABORT' },
  5: { ...busy, name: 'SQLITE_BUSY' },
  6: { ...busy, name: 'SQLITE_LOCKED' },
  7: { ...memory, name: 'SQLITE_NOMEM' },
  8: { ...readOnly, name: 'SQLITE_READONLY' },
  9: { ...again, name: 'SQLITE_INTERRUPT' },
  10: { ...disk, name: 'SQLITE_IOERR' },
  11: { ...damaged, name: 'SQLITE_CORRUPT' },
  12: { ...fault, name: 'SQLITE_NOTFOUND' },
  13: { ...full, name: 'SQLITE_FULL' },
  14: { ...absent, name: 'SQLITE_CANTOPEN' },
  15: { ...busy, name: 'SQLITE_PROTOCOL' },
  16: { ...fault, name: 'SQLITE_EMPTY' },
  17: { ...again, name: 'SQLITE_SCHEMA' },
  18: { ...fault, name: 'SQLITE_TOOBIG' },
  19: { ...fault, name: 'SQLITE_CONSTRAINT' },
  20: { ...fault, name: 'SQLITE_MISMATCH' },
  21: { ...fault, name: 'SQLITE_MISUSE' },
  22: { ...full, what: 'The file exceeds the size that its disk allows', name: 'SQLITE_NOLFS' },
  23: { ...fault, name: 'SQLITE_AUTH' },
  24: { ...fault, name: 'SQLITE_FORMAT' },
  25: { ...fault, name: 'SQLITE_RANGE' },
  26: { ...damaged, name: 'SQLITE_NOTADB' },
  27: { ...fault, name: 'SQLITE_NOTICE' },
  28: { ...fault, name: 'SQLITE_WARNING' },
};

/** Works like `failureOf` of a file, also for an error of SQLite. */
export const failureOf = (error: unknown, doing: Doing, path: string): Failure | undefined =>
  failureOfFile(error, doing, path, isSqliteError(error) ? sqliteCodes[error.errcode & 0xff] : undefined);

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

/** Whether an error means that a disk, or a quota of it, is full. https://sqlite.org/rescode.html#full */
export function isDiskFull(error: unknown): boolean {
  if (isSqliteError(error)) return (error.errcode & 0xff) === 13;
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}
