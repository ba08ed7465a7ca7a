import { hideCredentials } from '../store/url.ts';
import { StoreUnavailable } from '../store/errors.ts';
import { CommandError, exitCodes } from './command.ts';

/** What long work asks while it runs. */
export interface Interruption {
  /** Aborts at the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** The values of a source, which is ended before its next one once a signal has come; then throws as `check`. */
  readonly steps: <T>(source: AsyncIterable<T>) => AsyncGenerator<T, void>;
  /** Throws CommandError, whose exit code says `interrupted`, once a signal has come. */
  readonly check: () => void;
}

/** How long work may take to come to its next step, in milliseconds; then the process ends where it is. */
const patience = 5_000;

/** What takes the signals now, in place of the end of the process. */
let taker: (() => void) | undefined;

/**
 * Has SIGINT and SIGTERM end the process with a sentence and the exit code for it, as long as no `interruptible` work takes them;
 * every store survives that. The function that it gives ends this.
 */
export function endOnSignals(sentence: string): () => void {
  const stop = (): void => (taker === undefined ? end(sentence) : taker());
  taker = undefined;
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return () => void process.off('SIGINT', stop).off('SIGTERM', stop);
}

/**
 * Does work that ends in order at the first signal, and at once at a second one. `said` tells how far it came, and what continues it;
 * it is told too where the store fails meanwhile.
 */
export async function interruptible<T>(said: () => string, work: (its: Interruption) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: NodeJS.Timeout | undefined;
  const check = (): void => {
    if (signal.aborted) throw new CommandError(said(), exitCodes.interrupted);
  };
  taker = () => {
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
    if (!signal.aborted) taker = undefined; // else the store is closed yet, and a second signal may come
  }
}

function end(sentence: string): void {
  console.error(hideCredentials(`${process.stderr.isTTY ? '\n' : ''}${sentence}`)); // behind a bar of progress
  process.exit(exitCodes.interrupted);
}
