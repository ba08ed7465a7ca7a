import { readConfig } from '../../../src/config/read.ts';
import { startEngine } from '../../../src/engine/engine.ts';
import { launch } from '../../cli/process.ts';
import type { Launched } from '../../cli/process.ts';
import { freePort } from '../../support/free-port.ts';
import { patient } from '../../support/resources.ts';
import { put } from '../../support/serve.ts';

/** A process of the service on a MongoDB store. */
export interface Server extends Launched {
  readonly url: string;
  /** `{url}/r4/demo` */
  readonly base: string;
  /** Stops it as operators do. */
  end(): Promise<void>;
}

/** Absolute URLs begin alike in all processes, so that their answers can be compared. */
const common = ['--access', 'open', '--public-url', 'http://records.example'];

/** Starts the service in a process of its own; the URL of the store comes by the environment. */
export async function startServer(store: string, ...flags: readonly string[]): Promise<Server> {
  const port = await freePort();
  const log = flags.includes('--log') ? [] : ['--log', 'error'];
  const args = ['serve', '--port', String(port), ...common, ...log, ...flags];
  const launched = launch(args, { env: { CRS_STORE: store } });
  await launched.until(/^Serves /m);
  const url = `http://127.0.0.1:${port}`;
  const end = async (): Promise<void> => {
    launched.process.kill('SIGTERM');
    await launched.ended;
  };
  return { ...launched, url, base: `${url}/r4/demo`, end };
}

/** Makes the partition `demo` with so many patients, `p1` the first. */
export async function fill(store: string, patients = 1): Promise<void> {
  const running = await startEngine(readConfig(['--port', '0', '--log', 'off', ...common, '--store', store]));
  await running.engine.store.partitions.add('demo', { zone: 'UTC' });
  const people = Array.from({ length: patients }, (_, at) => patient(`p${at + 1}`));
  await put((await running.engine.store.partition('demo'))!, people); // added above
  await running.close();
}
