import { ConfigError } from '../config.ts';

/** The one argument that a command takes, read; `name` as in the usage line. Throws ConfigError. */
export function onePositional<T>(positionals: readonly string[], name: string, read: (text: string) => T): T {
  const [first, ...more] = positionals;
  if (first === undefined) throw new ConfigError([`${name} is missing.`]);
  if (more.length > 0) throw new ConfigError([`One ${name} is expected, but ${positionals.join(' ')} is given.`]);
  try {
    return read(first);
  } catch (error) {
    throw new ConfigError([`${name} ${error instanceof Error ? error.message : String(error)}`]);
  }
}

/** For a command that takes no arguments but flags. Throws ConfigError. */
export function noPositionals(positionals: readonly string[]): void {
  if (positionals.length > 0) throw new ConfigError(positionals.map(text => `\`${text}\` is not expected here.`));
}
