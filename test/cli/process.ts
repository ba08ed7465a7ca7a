import { spawn } from 'node:child_process';
import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const start = fileURLToPath(new URL('../../src/start.js', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
  /** For Node, before the program. */
  readonly execArgv?: readonly string[];
}

/** Runs a command of the command line in a process of its own, to its end. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const child = launch(args, options);
  child.process.stdin?.end(options.input ?? '');
  const code = await child.ended;
  return { code, stdout: child.stdout(), stderr: child.stderr() };
}

export interface Launched {
  readonly process: ChildProcess;
  /** The exit code; null where a signal ended it. */
  readonly ended: Promise<number | null>;
  stdout(): string;
  stderr(): string;
  /** What the pattern matches on stdout or stderr, as soon as it does. Rejects where the process ends before. */
  until(pattern: RegExp, on?: 'stdout' | 'stderr'): Promise<RegExpMatchArray>;
}

/** The environment of this process without settings of the service. */
export function environment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('CRS_') && !name.startsWith('VITEST'),
  );
  return Object.fromEntries(inherited);
}

/** Starts a command and continues. */
export function launch(args: readonly string[], { env, cwd, execArgv = [] }: RunOptions = {}): Launched {
  // Servers of several processes, if the tests are to run with them.
  const several = args[0] === 'serve' ? process.env['CRS_TEST_PROCESSES'] : undefined;
  const processes = several === undefined ? {} : { CRS_PROCESSES: several };
  const given = { cwd: cwd ?? root, env: { ...environment(), ...processes, ...env } };
  return launchedFrom(spawn(process.execPath, [...execArgv, start, ...args], given));
}

/** Reads the output of a process. */
export function launchedFrom(child: ChildProcessWithoutNullStreams): Launched {
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    process: child,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    until: (pattern, on = 'stdout') =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(on === 'stdout' ? stdout : stderr);
          if (match !== null) resolve(match);
        };
        child[on].on('data', look);
        look();
        void ended.then(code => reject(new Error(`Ended with ${code} before ${pattern}: ${stdout}${stderr}`)));
      }),
  };
}
