import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { newPassword, requirePassword } from '../smart/accounts/password.ts';
import { ConfigError } from '../config/read.ts';
import { toggle } from '../config/flag.ts';
import type { Flag, Given } from '../config/flag.ts';
import { CommandError, exitCodes } from './command.ts';

/** The source of a password; never a flag, which every user of the machine can read. */
export const passwordFlags = [
  toggle('password-stdin', 'Read the password from the first line of stdin; default: type it at a terminal'),
  toggle('generate', 'Generate a password and print it once'),
] as const satisfies readonly Flag[];

/** A password for a user, and whether it must be printed. */
export interface NewPassword {
  readonly password: string;
  readonly isNew: boolean;
}

/** A terminal, or its replacement in tests. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  readonly output: Writable;
}

/**
 * The password for a user: typed twice at the terminal without echo, read from stdin, or generated. Throws ConfigError
 * for an unacceptable one, and CommandError if typing was ended by Ctrl-C.
 */
export async function passwordFor(
  user: { readonly id: string; readonly name: string },
  own: Partial<Given<typeof passwordFlags>>,
  terminal: Terminal = { input: process.stdin, output: process.stderr },
): Promise<NewPassword> {
  const [fromStdin, made] = [own['password-stdin'] === true, own.generate === true];
  if (fromStdin && made) throw new ConfigError(['`--password-stdin` and `--generate` exclude each other.']);
  if (made) return { password: newPassword(), isNew: true };
  const password = fromStdin ? await firstLine(terminal.input) : await typedTwice(user.id, terminal);
  try {
    requirePassword(password, user);
  } catch (error) {
    throw new ConfigError([`The password ${error instanceof Error ? error.message : String(error)}`]);
  }
  return { password, isNew: false };
}

async function firstLine(input: Readable): Promise<string> {
  const lines = createInterface({ input, crlfDelay: Infinity });
  for await (const line of lines) return line;
  throw new ConfigError(['stdin has no password.']);
}

async function typedTwice(id: string, terminal: Terminal): Promise<string> {
  if (terminal.input.isTTY !== true)
    throw new ConfigError([
      'There is no terminal for typing a password: use `--password-stdin` with the password on stdin, or `--generate`.',
    ]);
  const password = await typed(`Password for ${id}: `, terminal);
  if ((await typed('Once more: ', terminal)) === password) return password;
  throw new ConfigError(['The passwords differ.']);
}

/** The typed text up to Enter, without echo. */
async function typed(prompt: string, { input, output }: Terminal): Promise<string> {
  output.write(prompt);
  input.setRawMode?.(true);
  input.setEncoding('utf8');
  const keys: string[] = [];
  const ended = Promise.withResolvers<string>();
  const read = (text: string): void => {
    const pressed = Array.from(text);
    for (const [at, key] of pressed.entries()) {
      if (key === '\u0003') return ended.reject(new CommandError('Nothing was done', exitCodes.interrupted));
      if (key === '\r' || key === '\n' || key === '\u0004') {
        const rest = pressed.slice(at + 1).join(''); // for the next prompt
        input.off('data', read).pause();
        if (rest !== '') input.unshift(rest);
        return ended.resolve(keys.join(''));
      }
      if (key === '\u007f' || key === '\b') keys.pop();
      else if (key === '\u0015') keys.length = 0;
      else keys.push(key);
    }
  };
  const end = (): void => ended.reject(new CommandError('Nothing was typed'));
  input.on('data', read).once('end', end).resume();
  try {
    return await ended.promise;
  } finally {
    input.off('data', read).off('end', end).pause();
    input.setRawMode?.(false);
    output.write('\n');
  }
}
