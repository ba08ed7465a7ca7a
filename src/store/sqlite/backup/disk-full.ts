import { isSqliteError } from '../sqlite-error.ts';

/** Whether an error means that a disk, or a quota of it, is full. https://sqlite.org/rescode.html#full */
export function isDiskFull(error: unknown): boolean {
  if (isSqliteError(error)) return (error.errcode & 0xff) === 13;
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}
