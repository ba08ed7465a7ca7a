import { hideCredentials } from '../store/url.ts';
import { StoreUnavailable } from '../store/port/errors.ts';
import { CommandError, exitCodes } from './command.ts';

/** The interruption of long work by a signal. */
export interface Interruption {
  /** Aborts at the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** The values of a source, which is closed before its next one after a signal; then throws like `check`. */
  readonly steps: <T>(source: AsyncIterable<T>) => AsyncGenerator<T, void>;
  /** Throws CommandError with the exit code `interrupted` after a signal. */
  readonly check: () => void;
}

/** How long work may take to reach its next step, in milliseconds; then the process ends at once. */
const patience = 5_000;

/** Handles the signals, instead of the end of the process. */
let signalHandler: (() => void) | undefined;

/**
 * Makes SIGINT and SIGTERM end the process with a sentence and its exit code, unless `interruptible` work handles them;
 * every store survives that. The returned function undoes this.
 */
export function endOnSignals(sentence: string): () => void {
  const stop = (): void => (signalHandler === undefined ? end(sentence) : signalHandler());
  signalHandler = undefined;
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return () => void process.off('SIGINT', stop).off('SIGTERM', stop);
}

/**
 * Runs work that ends in order at the first signal, and at once at a second one. `said` returns the progress and how to
 * continue; it is also printed if the store fails meanwhile.
 */
export async function interruptible<T>(said: () => string, work: (its: Interruption) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: NodeJS.Timeout | undefined;
  const check = (): void => {
    if (signal.aborted) throw new CommandError(said(), exitCodes.interrupted);
  };
  signalHandler = () => {
    if (signal.aborted) return end(said());
    controller.abort();
    timer = setTimeout(() => end(said()), patience).unref();
  };
  const steps: Interruption['steps'] = async function* (source) {
    for await (const value of source) {
      yield value;
      check();
    }
  };
  try {
    return await work({ signal, check, steps });
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw new CommandError(`${error.message} ${said()}`, exitCodes.failed, { cause: error });
  } finally {
    clearTimeout(timer);
    if (!signal.aborted) signalHandler = undefined; // otherwise the store is still open, and a second signal may come
  }
}

function end(sentence: string): void {
  console.error(hideCredentials(`${process.stderr.isTTY ? '\n' : ''}${sentence}`)); // after a progress bar
  process.exit(exitCodes.interrupted);
}
