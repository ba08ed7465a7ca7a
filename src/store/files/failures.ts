import { constants } from 'node:os';
import { StoreUnavailable, type UnavailableReason } from '../port/errors.ts';

/** The kind of operation that failed. */
export type Doing = 'read' | 'write';

/** A failure as values, for messages between threads. */
export interface Failure {
  readonly reason: UnavailableReason;
  /** For operators: what failed, the system's own message, and the remedy. */
  readonly message: string;
  /** What failed in a few words without paths, for everyone. */
  readonly summary: string;
}

interface Meaning {
  /** Why a write or a read was not done; `fault` for a bug of the engine. */
  readonly write: UnavailableReason | 'fault';
  readonly read: UnavailableReason | 'fault';
  readonly what: string;
  readonly wayOut: string;
}

/** With the name of the code. */
export type NamedMeaning = Meaning & { readonly name: string };

const resumes = 'Writing resumes automatically.';
const waits = { write: 'transient', read: 'transient' } as const;
const fails = { write: 'no-store', read: 'exception' } as const;
const damage = { write: 'exception', read: 'exception' } as const;

export const meanings = {
  fault: { write: 'fault', read: 'fault', what: '', wayOut: '' },
  full: { ...fails, what: 'The disk is full', wayOut: `Free disk space. ${resumes}` },
  denied: { ...fails, what: 'Access to the file was denied', wayOut: 'Check its owner and mode.' },
  readOnly: { ...fails, what: 'The file or its disk is read-only', wayOut: `Make it writable. ${resumes}` },
  disk: {
    ...fails,
    what: 'The disk reported an I/O error',
    wayOut: `Check the disk, then run \`verify\`. ${resumes}`,
  },
  absent: {
    ...fails,
    what: 'The file cannot be opened',
    wayOut: 'Check that its disk is mounted and its folder exists.',
  },
  damaged: {
    ...damage,
    what: 'The file is damaged',
    wayOut: 'Run `verify`, and restore a backup.',
  },
  busy: { ...waits, what: 'Another process holds a lock', wayOut: 'Stop other programs that open the file.' },
  memory: { ...waits, what: 'Memory is exhausted', wayOut: 'Give the server more memory.' },
  descriptors: {
    ...waits,
    what: 'Too many files are open',
    wayOut: 'Raise the limit of open files (`ulimit -n`).',
  },
  again: { ...waits, what: 'The operation was interrupted', wayOut: 'Retry it.' },
} as const satisfies Readonly<Record<string, Meaning>>;

const { absent, again, busy, denied, descriptors, disk, fault, full, memory, readOnly } = meanings;

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
 * The meaning of an error for requests; undefined for a bug of the engine. `path` is the file, for operators; `found`
 * is the meaning of its code, if it is not one of the file system.
 */
export function failureOf(
  error: unknown,
  doing: Doing,
  path: string,
  found: NamedMeaning | undefined = meaningOf(error),
): Failure | undefined {
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

function meaningOf(error: unknown): NamedMeaning | undefined {
  const name = error instanceof Error ? codeOf(error) : undefined;
  const meaning = name === undefined ? undefined : fileCodes[name];
  return name === undefined || meaning === undefined ? undefined : { ...meaning, name };
}

/** The name of an error of the operating system, also if libuv has only its number, as for EDQUOT. */
function codeOf({ code, errno }: NodeJS.ErrnoException): string | undefined {
  if (code === undefined || Object.hasOwn(fileCodes, code) || errno === undefined) return code;
  return Object.entries(constants.errno).find(([, number]) => number === -errno)?.[0] ?? code;
}
