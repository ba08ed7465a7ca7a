import { StoreUnavailable } from '../store/port/errors.ts';
import type { UnavailableReason } from '../store/port/errors.ts';

/** An error as values, for another process. */
export interface SentError {
  readonly message: string;
  readonly stack: string | undefined;
  /** The reason of a `StoreUnavailable`. */
  readonly reason: UnavailableReason | undefined;
}

export function sent(error: unknown): SentError {
  if (!(error instanceof Error)) return { message: String(error), stack: undefined, reason: undefined };
  const reason = error instanceof StoreUnavailable ? error.reason : undefined;
  return { message: error.message, stack: error.stack, reason };
}

export function received({ message, stack, reason }: SentError): Error {
  const error = reason === undefined ? new Error(message) : new StoreUnavailable(reason, message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
