import { exitCodes } from './command.ts';
import type { Log } from '../observability/log.ts';

/** What ends a server that nothing has caught an error in. */
export interface Uncaught {
  /** Resolves with the exit code when there was one: the server is to shut down in order then. */
  readonly occurred: Promise<typeof exitCodes.failed>;
  /** The server runs, and shuts down itself. Until then the process ends at once. */
  started(): void;
}

/**
 * Logs the first error that nothing has caught, with its causes, and asks for the end of the server: its state is not known any
 * more. Further ones are most likely to follow from it and are left out. What does not end within `longest` milliseconds is ended.
 */
export function catchUncaught(log: Log, longest: number): Uncaught {
  const occurred = Promise.withResolvers<typeof exitCodes.failed>();
  let isStarted = false;
  let isFirst = true;
  const end = (error: unknown): void => {
    if (!isFirst) return;
    isFirst = false;
    log.fatal('The server shuts down: nothing has caught this error.', error);
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
