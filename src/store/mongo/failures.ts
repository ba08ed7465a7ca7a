import * as driver from 'mongodb';
import { DeadlinePassed, StoreRefused, StoreUnavailable } from '../port/errors.ts';
import type { Core } from './core.ts';

/**
 * Runs a work of the port, with errors of the port; `StoreUnavailable` if it exceeds the timeout, after which it may
 * still continue. Throws Error if the store is closed.
 */
export function withPortErrors<T>(core: Core, work: () => Promise<T>): Promise<T> {
  return within(core, core.options.timeout, work);
}

/** Like `withPortErrors`, for work without a timeout: each operation within it has its own. */
export function atLength<T>(core: Core, work: () => Promise<T>): Promise<T> {
  return within(core, undefined, work);
}

async function within<T>(core: Core, longest: number | undefined, work: () => Promise<T>): Promise<T> {
  if (core.ending.aborted) throw new Error('The store is closed');
  const done = work();
  core.underWay.add(done);
  const settled = (): void => void core.underWay.delete(done);
  done.then(settled, settled);
  try {
    return await inTime(done, longest);
  } catch (error) {
    throw portError(error, core.options.deadline);
  }
}

async function inTime<T>(done: Promise<T>, longest: number | undefined): Promise<T> {
  if (longest === undefined) return done;
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => over.reject(late()), longest);
  try {
    return await Promise.race([done, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns a function that throws `StoreUnavailable` once `withPortErrors` has returned for a work that begins now.
 * Retries call it first: after an error was returned, a retry would overwrite later changes of others.
 */
export function answeredLate({ options }: Core): () => void {
  const until = performance.now() + (options.timeout ?? Infinity);
  return () => {
    if (performance.now() >= until) throw late();
  };
}

const late = (): StoreUnavailable => new StoreUnavailable('timeout', 'The store did not answer in time');

/** Like `withPortErrors`, for a sequence of values. */
export async function* withPortErrorsEach<T>(core: Core, values: () => AsyncIterable<T>): AsyncIterable<T> {
  if (core.ending.aborted) throw new Error('The store is closed');
  try {
    yield* values();
  } catch (error) {
    throw portError(error, core.options.deadline);
  }
}

/**
 * Converts an error of the driver to one of the port: `StoreUnavailable`, `DeadlinePassed`; any other stays unchanged.
 * `deadline` in milliseconds. https://www.mongodb.com/docs/manual/reference/error-codes/
 */
export function portError(error: unknown, deadline: number): unknown {
  // A bulk write: the error that stopped all of it is inside.
  const inner: unknown = error instanceof driver.MongoBulkWriteError ? error.errorResponse : undefined;
  if (inner instanceof Error) return portError(inner, deadline);
  if (hasLabel(error, 'TransientTransactionError', 'UnknownTransactionCommitResult'))
    return unavailable('timeout', error);
  if (isCode(error, maxTimeExpired)) return new DeadlinePassed(deadline);
  if (error instanceof driver.MongoOperationTimeoutError && isCode(error.cause, maxTimeExpired))
    return new DeadlinePassed(deadline);
  if (timeouts.some(one => error instanceof one) || isNamed(error, 'MongoWaitQueueTimeoutError'))
    return unavailable('timeout', error);
  if (unreachable.some(one => error instanceof one) || isNamed(error, 'MongoPoolClosedError') || isOfSocket(error))
    return unavailable('no-store', error);
  if (isCode(error, ...writesTooSlow)) return unavailable('timeout', error);
  if (isCode(error, ...notServing, ...notAllowed)) return unavailable('no-store', error);
  if (hasLabel(error, 'RetryableWriteError')) return unavailable('no-store', error);
  return error instanceof driver.MongoServerError ? withoutValues(error) : error;
}

/** The server's message may contain stored data, such as an id: its code and stack are enough for a log. */
function withoutValues({ code, codeName, stack = '' }: driver.MongoServerError): Error {
  const error = new Error(`MongoDB rejected the command: ${codeName ?? 'error'} (${code})`);
  const at = stack.search(/^ {4}at /m);
  if (at !== -1) error.stack = `${String(error)}\n${stack.slice(at)}`;
  return error;
}

function hasLabel(error: unknown, ...labels: readonly string[]): boolean {
  return error instanceof driver.MongoServerError && labels.some(label => error.hasErrorLabel(label));
}

/** Converts an error of the driver while the store opens, which is usually one of configuration. */
export function openingError(error: unknown): unknown {
  if (error instanceof StoreRefused) return error;
  if (isCode(error, ...notAllowed))
    return new StoreRefused(
      'MongoDB rejected the user or the password of the URL, or the user may not read and write the database',
    );
  if (
    error instanceof driver.MongoServerSelectionError ||
    error instanceof driver.MongoNetworkError ||
    isOfSocket(error)
  )
    return isCode(error.cause, ...notAllowed)
      ? openingError(error.cause)
      : new StoreUnavailable('no-store', `The MongoDB server is not available: ${error.message}`, error);
  return portError(error, 0);
}

/** Whether the server returned one of these codes. */
export function isCode(error: unknown, ...codes: readonly number[]): error is driver.MongoServerError {
  return error instanceof driver.MongoServerError && typeof error.code === 'number' && codes.includes(error.code);
}

/** Whether a unique index, or `_id`, has the key already. */
export function isTaken(error: unknown): boolean {
  return isCode(error, 11_000);
}

/** Whether all errors of a bulk write are duplicate keys. */
export function isOnlyTaken(error: unknown): error is driver.MongoBulkWriteError {
  if (!(error instanceof driver.MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) return false;
  return error.result.getWriteErrors().every(({ code }) => code === 11_000);
}

/** Whether the document exceeds the size limit of the server, also if the driver detects it. */
export function isTooLarge(error: unknown): boolean {
  if (error instanceof driver.MongoInvalidArgumentError || isCode(error, badValue))
    return /too large|larger than/.test(error.message);
  return isCode(error, 10_334, 17_280, 17_419, 17_420) || (error instanceof RangeError && 'code' in error);
}

/** Whether it is of a class that the driver does not export. */
function isNamed(error: unknown, name: string): boolean {
  return error instanceof driver.MongoDriverError && error.name === name;
}

/** Whether it is an error of a socket or of a name lookup of Node: the driver passes some of them on. */
function isOfSocket(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if ('syscall' in error && ofSockets.has(String(error.syscall))) return true;
  return 'code' in error && ended.has(String(error.code));
}

function unavailable(reason: 'no-store' | 'timeout', error: unknown): StoreUnavailable {
  const name = error instanceof Error ? error.name : 'unknown';
  const message = reason === 'timeout' ? 'The store did not answer in time' : 'The store is not available';
  return new StoreUnavailable(reason, `${message} (${name})`, error);
}

const maxTimeExpired = 50;
const badValue = 2;
const timeouts = [driver.MongoOperationTimeoutError, driver.MongoNetworkTimeoutError, driver.MongoWriteConcernError];
const unreachable = [
  driver.MongoNetworkError,
  driver.MongoServerSelectionError,
  driver.MongoNotConnectedError,
  driver.MongoServerClosedError,
  driver.MongoTopologyClosedError,
  driver.MongoClientClosedError,
  driver.MongoExpiredSessionError,
];
const ofSockets: ReadonlySet<string> = new Set(['connect', 'read', 'write', 'getaddrinfo', 'querySrv', 'queryTxt']);
/** Node's codes of a socket without a system call: the other side has closed it, or it does not exist. */
const ended: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET', 'ERR_SOCKET_CLOSED', 'ERR_STREAM_DESTROYED']);
/** WriteConcernFailed, LockTimeout, NetworkTimeout, ExceededTimeLimit. */
const writesTooSlow = [64, 24, 89, 262];
/** Host unreachable, not found; shutting down; no primary; disk full. */
const notServing = [6, 7, 91, 133, 189, 9_001, 10_107, 11_600, 11_602, 13_435, 13_436, 14_031];
/** Unauthorized, AuthenticationFailed; Atlas. */
const notAllowed = [13, 18, 8_000];
