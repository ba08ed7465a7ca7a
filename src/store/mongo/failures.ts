import * as driver from 'mongodb';
import { DeadlinePassed, StoreRefused, StoreUnavailable } from '../errors.ts';
import type { Core } from './core.ts';

/**
 * Does a work of the port, with errors of the port; `StoreUnavailable` where it takes longer than the time that is set, and then it
 * may go on. Throws Error where the store is closed.
 */
export function told<T>(core: Core, work: () => Promise<T>): Promise<T> {
  return within(core, core.options.timeout, work);
}

/** As `told`, for what takes as long as it takes: each operation within it has its own time. */
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
 * Gives what throws `StoreUnavailable` once `told` has answered for a work that begins now. Whatever is tried again asks it first:
 * after a refusal it would put an old change over what others wrote since.
 */
export function answeredLate({ options }: Core): () => void {
  const until = performance.now() + (options.timeout ?? Infinity);
  return () => {
    if (performance.now() >= until) throw late();
  };
}

const late = (): StoreUnavailable => new StoreUnavailable('timeout', 'The store did not answer in time');

/** As `told`, for what gives one value after the other. */
export async function* toldEach<T>(core: Core, values: () => AsyncIterable<T>): AsyncIterable<T> {
  if (core.ending.aborted) throw new Error('The store is closed');
  try {
    yield* values();
  } catch (error) {
    throw portError(error, core.options.deadline);
  }
}

/**
 * What an error of the driver is to the port: `StoreUnavailable`, `DeadlinePassed`; anything else stays what it is. `deadline` in
 * milliseconds. https://www.mongodb.com/docs/manual/reference/error-codes/
 */
export function portError(error: unknown, deadline: number): unknown {
  // Many writes in one: what stopped them all stands within.
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

/** Whether nobody knows, after an error, if what was asked for was done. */
export function isUndecided(error: unknown): boolean {
  return error instanceof driver.MongoError || isOfSocket(error);
}

/** What the server says in words may hold what is kept, such as an id: its code and where it arose are enough for a log. */
function withoutValues({ code, codeName, stack = '' }: driver.MongoServerError): Error {
  const error = new Error(`MongoDB rejected the command: ${codeName ?? 'error'} (${code})`);
  const at = stack.search(/^ {4}at /m);
  if (at !== -1) error.stack = `${String(error)}\n${stack.slice(at)}`;
  return error;
}

function hasLabel(error: unknown, ...labels: readonly string[]): boolean {
  return error instanceof driver.MongoServerError && labels.some(label => error.hasErrorLabel(label));
}

/** What an error of the driver is while the store opens: mostly something to set right. */
export function openingError(error: unknown): unknown {
  if (error instanceof StoreRefused) return error;
  if (isCode(error, ...notAllowed))
    return new StoreRefused(
      'The server of the store refuses the user or the password that the URL names, or the user may not read and write there',
    );
  if (
    error instanceof driver.MongoServerSelectionError ||
    error instanceof driver.MongoNetworkError ||
    isOfSocket(error)
  )
    return isCode(error.cause, ...notAllowed)
      ? openingError(error.cause)
      : new StoreUnavailable('no-store', `The server of the store cannot be reached: ${error.message}`, error);
  return portError(error, 0);
}

/** Whether the server says one of these codes. */
export function isCode(error: unknown, ...codes: readonly number[]): error is driver.MongoServerError {
  return error instanceof driver.MongoServerError && typeof error.code === 'number' && codes.includes(error.code);
}

/** Whether a unique index, or `_id`, has the key already. */
export function isTaken(error: unknown): boolean {
  return isCode(error, 11_000);
}

/** Whether all that a bulk write could not do was taken already. */
export function isOnlyTaken(error: unknown): error is driver.MongoBulkWriteError {
  if (!(error instanceof driver.MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) return false;
  return error.result.getWriteErrors().every(({ code }) => code === 11_000);
}

/** Whether the document would be larger than the server takes, also where the driver says so itself. */
export function isTooLarge(error: unknown): boolean {
  if (error instanceof driver.MongoInvalidArgumentError || isCode(error, badValue))
    return /too large|larger than/.test(error.message);
  return isCode(error, 10_334, 17_280, 17_419, 17_420) || (error instanceof RangeError && 'code' in error);
}

/** Whether it is of a class of the driver that it does not export. */
function isNamed(error: unknown, name: string): boolean {
  return error instanceof driver.MongoDriverError && error.name === name;
}

/** Whether it is an error of a socket or of a name as Node tells it: the driver passes some of them on. */
function isOfSocket(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if ('syscall' in error && ofSockets.has(String(error.syscall))) return true;
  return 'code' in error && ended.has(String(error.code));
}

function unavailable(reason: 'no-store' | 'timeout', error: unknown): StoreUnavailable {
  const name = error instanceof Error ? error.name : 'unknown';
  const message = reason === 'timeout' ? 'The store did not answer in time' : 'The store cannot be reached';
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
/** What Node says of a socket without a call to the system: the other side has ended it, or it is gone. */
const ended: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET', 'ERR_SOCKET_CLOSED', 'ERR_STREAM_DESTROYED']);
/** WriteConcernFailed, LockTimeout, NetworkTimeout, ExceededTimeLimit. */
const writesTooSlow = [64, 24, 89, 262];
/** Host unreachable, not found; shutting down; no primary; disk full. */
const notServing = [6, 7, 91, 133, 189, 9_001, 10_107, 11_600, 11_602, 13_435, 13_436, 14_031];
/** Unauthorized, AuthenticationFailed; Atlas. */
const notAllowed = [13, 18, 8_000];
