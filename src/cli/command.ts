import { ConfigError } from '../config/read.ts';
import type { Arguments } from '../config/read.ts';
import type { Flag } from '../config/flag.ts';

/** One command of the command line, with its own flags; its name and summary are in commands.ts. */
export interface Command<Own extends readonly Flag[] = readonly Flag[]> {
  /** The positional arguments, for the usage line; without them, none are accepted. */
  readonly positionals?: string;
  /** The paragraph of the help text after the usage line. */
  readonly details?: string;
  /** The settings that are accepted as flags. */
  readonly takes: readonly string[];
  readonly own?: Own;
  /** Printed if a signal stops it; omitted if there is nothing to say. `serve` and `interruptible` work print more. */
  readonly whenStopped?: string;
  /** Does the work, and returns the exit code if it is not `done`. */
  run(given: Arguments<Own>): Promise<ExitCode | void>;
}

/** The command itself, with the types of its flags. */
export const defineCommand = <const Own extends readonly Flag[] = readonly []>(command: Command<Own>): Command<Own> =>
  command;

/** The exit codes of all commands. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  found: 3,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Their meanings, for the help text and cli/README.md. */
export const exitCodeMeanings: readonly (readonly [ExitCode, string])[] = [
  [exitCodes.done, 'done'],
  [exitCodes.failed, 'failed; one sentence gives the reason'],
  [exitCodes.usage, 'wrong command, flag or setting; nothing was done'],
  [
    exitCodes.found,
    'done, but with findings: rejected records, index differences, pending indexes, damaged records, ' +
      'attachments or audit events, errors in definitions or validated files, stores that differ, no recent backup, ' +
      'failed checks of conformance',
  ],
  [exitCodes.interrupted, 'stopped by Ctrl-C or SIGTERM'],
];

/** The command cannot do its work: the message is printed without a stack. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  constructor(message: string, exitCode: ExitCode = exitCodes.failed, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}

/** The settings of commands on the files of a store, which need no definitions: `interface` for the default store. */
export const fileSettings = ['store', 'interface', 'host', 'port', 'public-url', 'debug'] as const;

/** The settings of commands that open the store. */
export const storeSettings = [
  'store',
  'interface',
  'definitions',
  'capability',
  'host',
  'port',
  'public-url',
  'debug',
] as const;

/** The one positional argument of a command, parsed; `name` as in the usage line. Throws ConfigError. */
export function onePositional<T>(positionals: readonly string[], name: string, read: (text: string) => T): T {
  const [first, ...more] = positionals;
  if (first === undefined) throw new ConfigError([`${name} is missing.`]);
  if (more.length > 0) throw new ConfigError([`One ${name} is expected, found ${positionals.join(' ')}.`]);
  try {
    return read(first);
  } catch (error) {
    throw new ConfigError([`${name} ${error instanceof Error ? error.message : String(error)}`]);
  }
}

/** For a command without positional arguments. Throws ConfigError. */
export function noPositionals(positionals: readonly string[]): void {
  if (positionals.length > 0) throw new ConfigError(positionals.map(text => `\`${text}\` is not expected here.`));
}
