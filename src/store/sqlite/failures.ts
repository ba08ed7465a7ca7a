import { constants } from 'node:os';
import { StoreUnavailable } from '../errors.ts';
import type { UnavailableReason } from '../errors.ts';
import { isSqliteError } from './sqlite-error.ts';

/** The kind of operation that failed. */
export type Doing = 'read' | 'write';

/** A failure as values, for messages between threads. */
export interface Failure {
  readonly reason: UnavailableReason;
  /** For operators: what failed, the system's own message, and the remedy. */
  readonly message: string;
  /** The same in a few words without paths, for everyone. */
  readonly summary: string;
}

interface Meaning {
  /** Why a write or a read was not done; `fault` for a bug of the engine. */
  readonly write: UnavailableReason | 'fault';
  readonly read: UnavailableReason | 'fault';
  readonly what: string;
  readonly wayOut: string;
}

const resumes = 'Writing resumes automatically.';
const fault = { write: 'fault', read: 'fault', what: '', wayOut: '' } as const;
const waits = { write: 'transient', read: 'transient' } as const;
const full = {
  write: 'no-store',
  read: 'exception',
  what: 'The disk is full',
  wayOut: `Free disk space. ${resumes}`,
} as const;
const denied = {
  write: 'no-store',
  read: 'exception',
  what: 'Access to the file was denied',
  wayOut: 'Check its owner and mode.',
} as const;
const readOnly = {
  write: 'no-store',
  read: 'exception',
  what: 'The file or its disk is read-only',
  wayOut: `Make it writable. ${resumes}`,
} as const;
const disk = {
  write: 'no-store',
  read: 'exception',
  what: 'The disk reported an I/O error',
  wayOut: `Check the disk, then run \`verify\`. ${resumes}`,
} as const;
const absent = {
  write: 'no-store',
  read: 'exception',
  what: 'The file cannot be opened',
  wayOut: 'Check that its disk is mounted and its folder exists.',
} as const;
const damaged = {
  write: 'exception',
  read: 'exception',
  what: 'The file is damaged',
  wayOut: 'Run `verify`, which lists the damaged records, and restore a backup.',
} as const;
const busy = {
  ...waits,
  what: 'Another process holds a lock',
  wayOut: 'Stop other programs that open the file.',
} as const;
const memory = { ...waits, what: 'Memory is exhausted', wayOut: 'Give the server more memory.' } as const;
const descriptors = {
  ...waits,
  what: 'Too many files are open',
  wayOut: 'Raise the limit of open files (`ulimit -n`).',
} as const;
const again = { ...waits, what: 'The operation was interrupted', wayOut: 'Retry it.' } as const;

/** All primary result codes that end a call. https://sqlite.org/rescode.html#primary_result_code_list */
export const sqliteCodes: Readonly<Record<number, Meaning & { readonly name: string }>> = {
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

/** Codes of Node for file system calls, without those of networks and processes. */
export const fileCodes: Readonly<Record<string, Meaning>> = {
  EACCES: denied,
  EAGAIN: again,
  EBADF: fault,
  EBUSY: busy,
  ECANCELED: again,
  EDQUOT: { ...full, what: 'The disk quota is exhausted' },
  EEXIST: fault,
  EFAULT: fault,
  EFBIG: { ...full, what: 'The file exceeds the size that its disk allows' },
  EFTYPE: fault,
  EILSEQ: fault,
  EINTR: again,
  EINVAL: fault,
  EIO: disk,
  EISDIR: absent,
  ELOOP: absent,
  EMFILE: descriptors,
  EMLINK: full,
  ENAMETOOLONG: absent,
  ENFILE: descriptors,
  ENODATA: disk,
  ENODEV: absent,
  ENOENT: absent,
  ENOMEM: memory,
  ENOSPC: full,
  ENOSYS: fault,
  ENOTDIR: absent,
  ENOTEMPTY: fault,
  ENOTSUP: fault,
  ENXIO: absent,
  EOVERFLOW: fault,
  EPERM: denied,
  ERANGE: fault,
  EREMOTEIO: disk,
  EROFS: readOnly,
  ESPIPE: fault,
  ESTALE: absent,
  ETIMEDOUT: { ...again, what: 'The file system did not answer in time', wayOut: 'Check the disk or its network.' },
  ETXTBSY: busy,
  EXDEV: fault,
  UNKNOWN: disk,
};

/**
 * The meaning of an error of SQLite or of the file system for requests; undefined for a bug of the engine. `path` is
 * the file, for operators.
 */
export function failureOf(error: unknown, doing: Doing, path: string): Failure | undefined {
  const found = meaningOf(error);
  const reason = found?.[doing];
  if (found === undefined || reason === undefined || reason === 'fault') return undefined;
  const { what, wayOut, name } = found;
  const doneTo = doing === 'write' ? 'written' : 'read';
  const cause = error instanceof Error ? error.message : String(error);
  return {
    reason,
    message: `\`${path}\` could not be ${doneTo}. ${what} (${name}: ${cause}). ${wayOut}`,
    summary: `${doing === 'write' ? 'Writing' : 'Reading'} fails: ${what} (${name}).`,
  };
}

/** The error of the port for a failure. */
export const unavailable = ({ reason, message }: Failure, cause?: unknown): StoreUnavailable =>
  new StoreUnavailable(reason, message, cause);

function meaningOf(error: unknown): (Meaning & { readonly name: string }) | undefined {
  if (isSqliteError(error)) return sqliteCodes[error.errcode & 0xff];
  const name = error instanceof Error ? codeOf(error) : undefined;
  const meaning = name === undefined ? undefined : fileCodes[name];
  return name === undefined || meaning === undefined ? undefined : { ...meaning, name };
}

/** The name of an error of the operating system, also if libuv has only its number, as for EDQUOT. */
function codeOf({ code, errno }: NodeJS.ErrnoException): string | undefined {
  if (code === undefined || Object.hasOwn(fileCodes, code) || errno === undefined) return code;
  return Object.entries(constants.errno).find(([, number]) => number === -errno)?.[0] ?? code;
}
