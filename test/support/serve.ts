import { request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { readConfig } from '../../src/config/read.ts';
import type { RunningEngine } from '../../src/engine/engine.ts';
import { splitForStamp } from '../../src/fhir/resource-text.ts';
import type { Log } from '../../src/observability/log.ts';
import type { Change } from '../../src/store/port/records.ts';
import type { Partition } from '../../src/store/port/partitions.ts';
import { launch } from '../cli/process.ts';
import { freePort } from './free-port.ts';
import { answerInJson, inXml, requestInXml } from './in-xml.ts';
import type { AskOptions } from './in-xml.ts';
import { requireModel } from './loaded-once.ts';
import { startServer } from './processes/start.ts';
import type { ServerParts } from './processes/start.ts';
import { newStorePlace, onMongodb } from './store-place.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** The body as JSON. */
  readonly json: any; // eslint-disable-line typescript/no-explicit-any -- what tests look into
}

export interface Served {
  readonly running: RunningEngine;
  readonly partition: Partition;
  /** The URL of the store. */
  readonly store: string;
  /** `{url}/r4/demo` */
  readonly base: string;
  /** Path below the base URL as it goes on the wire, `/Patient?name=a`; one that begins with `//` is below the root. */
  ask(method: string, path: string, options?: AskOptions): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** Opens a socket, sends the text and gives all that comes back until the server closes. */
  raw(text: string, then?: (socket: Socket) => void): Promise<string>;
  close(): Promise<void>;
}

/**
 * The real engine on a port of its own and a store of its own, with a partition `demo` that holds the resources. Open
 * to all, unless a verifier of tokens is given. On MongoDB a second process serves the same database, and they answer
 * in turn.
 */
export async function serve(
  resources: Iterable<object | string> = [],
  flags: readonly string[] = [],
  log?: Log,
  parts: ServerParts = {},
): Promise<Served> {
  const place = await newStorePlace();
  const access = parts.verify === undefined ? 'open' : 'token';
  const config = readConfig([
    '--port',
    '0',
    '--store',
    place.url,
    '--log',
    'off',
    '--access',
    access,
    '--authorization-server',
    'off',
    ...flags,
  ]);
  const running = await startServer(config, log, { load: requireModel, ...parts });
  const { partitions } = running.engine.store;
  await partitions.add('demo', { zone: 'America/Toronto' });
  const partition = await running.engine.store.partition('demo');
  if (partition === undefined) throw new Error('no partition');
  await put(partition, resources);
  const second =
    onMongodb && access === 'open' && log === undefined ? await serveToo(place.url, running, flags) : undefined;
  const ports = [running.port, second?.port ?? running.port];
  let turn = 0;

  const ask = (method: string, path: string, options: AskOptions = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const asked = inXml ? requestInXml(path, options) : { ...options, isAnswerChanged: false };
      const { headers = {}, body, isAnswerChanged } = asked;
      const target = path.startsWith('//') ? path.slice(1) : `/r4/demo${path}`;
      const request = httpRequest(
        { port: ports[turn++ % 2], host: '127.0.0.1', method, path: target, headers },
        response => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const received = { headers: response.headers, bytes: Buffer.concat(chunks) };
            const { headers, bytes } = isAnswerChanged ? answerInJson(received) : received;
            const text = bytes.toString();
            const { statusCode = 0 } = response;
            resolve({
              status: statusCode,
              headers,
              bytes,
              text,
              get json() {
                return JSON.parse(text);
              },
            });
          });
        },
      );
      request.on('error', reject);
      request.end(body);
    });

  const raw = (text: string, then?: (socket: Socket) => void): Promise<string> =>
    new Promise((resolve, reject) => {
      let received = '';
      const socket = connect({ port: running.port, host: '127.0.0.1', allowHalfOpen: true }, () => {
        socket.write(text);
        then?.(socket);
      });
      socket.on('data', chunk => (received += chunk.toString()));
      socket.on('end', () => socket.destroy());
      socket.on('close', () => resolve(received));
      socket.on('error', reject);
    });

  return {
    running,
    partition,
    store: place.url,
    base: `${running.url}/r4/demo`,
    ask,
    get: (path, headers) => ask('GET', path, headers === undefined ? {} : { headers }),
    raw,
    async close() {
      await Promise.all([running.close(), second?.close()]);
      await place.remove();
    },
  };
}

/** Serves the same store in a process of its own, with the same URLs. */
async function serveToo(
  store: string,
  { url }: RunningEngine,
  flags: readonly string[],
): Promise<{ readonly port: number; close(): Promise<unknown> }> {
  const port = await freePort();
  const args = ['--port', String(port), '--public-url', url, '--log', 'off', '--access', 'open', ...flags];
  const child = launch(['serve', ...args], { env: { CRS_STORE: store } });
  await child.until(/^Serves /m);
  const close = (): Promise<unknown> => {
    child.process.kill('SIGTERM');
    return child.ended;
  };
  return { port, close };
}

/** Writes resources, given as objects or as JSON texts, 200 in a commit. */
export async function put(partition: Partition, resources: Iterable<object | string>): Promise<void> {
  let changes: Change[] = [];
  for (const resource of resources) {
    const text = typeof resource === 'string' ? resource : JSON.stringify(resource);
    const { resourceType: type, id } = JSON.parse(text) as { resourceType: string; id: string };
    changes.push({ kind: 'put', type, id, text: splitForStamp(text, id) });
    if (changes.length < 200) continue;
    await partition.write(changes, { unit: 'each' });
    changes = [];
  }
  if (changes.length > 0) await partition.write(changes, { unit: 'each' });
}

/** Writes a Patient and deletes it again. */
export async function putDeleted(partition: Partition, id: string): Promise<void> {
  await put(partition, [{ resourceType: 'Patient', id }]);
  await partition.write([{ kind: 'remove', type: 'Patient', id }]);
}
