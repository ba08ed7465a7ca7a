import type { Arguments } from '../config.ts';
import type { Flag } from '../config/settings.ts';

/** One command of the command line, with the flags of its own; its name and summary are in commands.ts. */
export interface Command<Own extends readonly Flag[] = readonly Flag[]> {
  /** The positional arguments, for the usage line. */
  readonly positionals?: string;
  /** The paragraph of the help text after the usage line. */
  readonly details?: string;
  /** The settings that may be given as flags. */
  readonly takes: readonly string[];
  readonly own?: Own;
  /** What is said where a signal stops it; left out where there is nothing to say. `serve` and `interruptible` work say more. */
  readonly whenStopped?: string;
  /** Does the work and answers the exit code. */
  run(given: Arguments<Own>): Promise<ExitCode>;
}

/** The command as it is, with the types of what its flags give. */
export const defineCommand = <const Own extends readonly Flag[] = readonly []>(command: Command<Own>): Command<Own> =>
  command;

/** What the exit code of every command means. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  found: 3,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The same in words, for the help text and cli/README.md. */
export const exitCodeMeanings: readonly (readonly [ExitCode, string])[] = [
  [exitCodes.done, 'done'],
  [exitCodes.failed, 'failed; one sentence says why'],
  [exitCodes.usage, 'wrong command, flag or setting; nothing was done'],
  [
    exitCodes.found,
    'done, but with findings: rejected records, index differences, pending indexes, damaged records, attachments or audit events, errors in definitions or validated files, stores that differ',
  ],
  [exitCodes.interrupted, 'stopped by Ctrl-C or SIGTERM'],
];

/** The command cannot do its work: told to the user as it is, without a stack. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  constructor(message: string, exitCode: ExitCode = exitCodes.failed, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}

/** The settings of commands that work on the files of a store, which takes no definitions. */
export const fileSettings = ['store', 'host', 'port', 'public-url', 'debug'] as const;

/** The settings that every command takes which opens the store. */
export const storeSettings = ['store', 'definitions', 'capability', 'host', 'port', 'public-url', 'debug'] as const;
