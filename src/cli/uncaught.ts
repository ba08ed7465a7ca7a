import { exitCodes } from './command.ts';
import type { Log } from '../observability/log.ts';

/** Ends the server after an uncaught error. */
export interface Uncaught {
  /** Resolves with the exit code after an error: the server should shut down in order then. */
  readonly occurred: Promise<typeof exitCodes.failed>;
  /** The server runs, and shuts itself down. Before that the process ends at once. */
  started(): void;
}

/**
 * Logs the first uncaught error with its causes, and requests the end of the server: its state is unknown. Further
 * errors most likely follow from it and are not logged. The process ends after `longest` milliseconds at the latest.
 */
export function catchUncaught(log: Log, longest: number): Uncaught {
  const occurred = Promise.withResolvers<typeof exitCodes.failed>();
  let isStarted = false;
  let isFirst = true;
  const end = (error: unknown): void => {
    if (!isFirst) return;
    isFirst = false;
    log.fatal('The server shuts down after an uncaught error.', error);
    if (!isStarted) process.exit(exitCodes.failed);
    setTimeout(() => process.exit(exitCodes.failed), longest).unref();
    occurred.resolve(exitCodes.failed);
  };
  process.on('uncaughtException', end).on('unhandledRejection', end);
  return {
    occurred: occurred.promise,
    started: () => void (isStarted = true),
  };
}
