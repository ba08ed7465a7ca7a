import { join } from 'node:path';
import { launch } from '../cli/process.ts';
import { freePort } from '../support/free-port.ts';

export const definitions = join(import.meta.dirname, '../fixtures/versioned');

/** A server of records with versions, in a process that tests kill. */
export interface Running {
  readonly process: { kill(signal: 'SIGKILL' | 'SIGTERM'): unknown };
  readonly ended: Promise<unknown>;
  readonly base: string;
}

/** Starts one on a store, with definitions of a folder; resolves when it answers. */
export async function start(store: string, folder = definitions): Promise<Running> {
  const port = await freePort();
  const flags = ['--access', 'open', '--log', 'off', '--definitions', folder];
  const server = launch(['serve', '--port', String(port), ...flags], { env: { CRS_STORE: store } });
  await server.until(/^Serves /m);
  return { process: server.process, ended: server.ended, base: `http://127.0.0.1:${port}/r4/demo` };
}
