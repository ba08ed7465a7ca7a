import { readConfig } from '../../../src/config/read.ts';
import { startEngine } from '../../../src/engine/engine.ts';
import type { RunningEngine } from '../../../src/engine/engine.ts';
import { publicUrl } from '../public-url.ts';

/**
 * Starts the service in this process, without access control and audit, which `--guard` and `--audit` measure.
 * Arguments of the process: the file of the store, or its URL, and settings.
 */
export function startService(): Promise<RunningEngine> {
  const [place = '', ...settings] = process.argv.slice(2);
  const store = place.includes('://') ? place : `sqlite:${place}`;
  const flags = ['--port', '0', '--log', 'off', '--access', 'open', '--public-url', publicUrl, '--store', store];
  return startEngine(readConfig([...flags, ...settings]), undefined, { audit: false });
}
