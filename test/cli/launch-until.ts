import { fileURLToPath } from 'node:url';
import { launch } from './process.ts';
import type { Launched } from './process.ts';

const program = fileURLToPath(new URL('signal-at.ts', import.meta.url));

/** Starts a command that is sent a signal when it shows that so many records are copied. */
export function launchUntil(signal: NodeJS.Signals, copied: number, args: readonly string[]): Launched {
  return launch(args, { execArgv: ['--import', program], env: { SIGNAL_AT: `${signal} ${copied}` } });
}
