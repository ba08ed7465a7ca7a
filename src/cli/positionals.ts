import { ConfigError } from '../config/read.ts';

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
