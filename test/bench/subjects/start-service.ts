import { readConfig } from '../../../src/config.ts';
import { startEngine } from '../../../src/engine.ts';
import type { RunningEngine } from '../../../src/engine.ts';
import { publicUrl } from '../public-url.ts';

/** Starts the service in this process, without access control. Arguments of the process: the file of the store, and settings. */
export function startService(): Promise<RunningEngine> {
  const [file = '', ...settings] = process.argv.slice(2);
  const flags = [
    '--port',
    '0',
    '--log',
    'off',
    '--access',
    'open',
    '--public-url',
    publicUrl,
    '--store',
    `sqlite:${file}`,
  ];
  return startEngine(readConfig([...flags, ...settings]));
}
