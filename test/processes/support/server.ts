import { execFileSync } from 'node:child_process';
import { Agent, request as httpRequest } from 'node:http';
import { readConfig } from '../../../src/config/read.ts';
import { createLog } from '../../../src/observability/log.ts';
import { startProcesses } from '../../../src/processes/parent.ts';
import type { ProcessParts, RunningProcesses } from '../../../src/processes/parent.ts';
import { requireModel } from '../../support/loaded-once.ts';
import { put } from '../../support/serve.ts';
import { newStorePlace } from '../../support/store-place.ts';
import type { Place } from '../../support/store-place.ts';

export interface SeveralProcesses {
  readonly running: RunningProcesses;
  readonly store: string;
  /** What the parent has logged. */
  readonly notices: readonly string[];
  /** A client with a connection of its own, which the child with the fewest connections has. */
  client(): Client;
  close(): Promise<void>;
}

export interface Client {
  /** Path below `/r4/demo`, or below the root if it begins with `//`. */
  ask(method: string, path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  close(): void;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly location: string | undefined;
}

/** A server of two processes with open access, whose partition `demo` has the resources. */
export async function serveSeveral(
  resources: readonly object[],
  flags: readonly string[] = [],
  parts: ProcessParts = {},
  newPlace: () => Promise<Place> = newStorePlace,
): Promise<SeveralProcesses> {
  const place = await newPlace();
  const own = ['--port', '0', '--store', place.url, '--access', 'open', '--processes', '2'];
  const config = readConfig([...own, '--authorization-server', 'off', ...flags]);
  const notices: string[] = [];
  const log = { ...createLog('off'), notice: (text: string) => void notices.push(text) };
  const running = await startProcesses({ ...config, log: 'off' }, log, { load: requireModel, ...parts });
  const { store } = running.engine;
  await store.partitions.add('demo', { zone: 'UTC' });
  const demo = await store.partition('demo');
  if (demo === undefined) throw new Error('no partition');
  await put(demo, resources);
  const clients: Client[] = [];
  return {
    running,
    store: place.url,
    notices,
    client() {
      const client = clientOf(running.port);
      clients.push(client);
      return client;
    },
    async close() {
      for (const client of clients) client.close();
      await running.close();
      await place.remove();
    },
  };
}

/** A client of a port with one connection at a time. */
export function clientOf(port: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    ask: (method, path, body, more) =>
      new Promise((resolve, reject) => {
        const target = path.startsWith('//') ? path.slice(1) : `/r4/demo${path}`;
        const headers = { ...more, ...(body === undefined ? {} : { 'Content-Type': 'application/fhir+json' }) };
        const request = httpRequest({ agent, port, host: '127.0.0.1', method, path: target, headers }, response => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('error', reject);
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, text, location: response.headers.location }),
          );
        });
        request.on('error', reject);
        request.end(body && JSON.stringify(body));
      }),
    close: () => agent.destroy(),
  };
}

/** Whether a process runs. */
export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The ids of the processes that a process has started. */
export function childrenOf(pid: number): readonly number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return lines.flatMap(line => {
    const [child = 0, parent = 0] = line.trim().split(/\s+/).map(Number);
    return parent === pid ? [child] : [];
  });
}
