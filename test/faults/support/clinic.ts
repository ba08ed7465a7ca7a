import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { splitForStamp } from '../../../src/fhir/resource-text.ts';
import { openClinic, shippedModel } from '../../store/support/shipped.ts';
import { type Launched, launch } from '../../cli/process.ts';
import { freePort } from '../../support/free-port.ts';
import { media } from '../../support/media.ts';
import { patient } from '../../support/resources.ts';

/** The folder of a store that holds patients `p0`, `p1`…, each on its part of some pages. */
export interface Clinic {
  readonly folder: string;
  /** The file of the store. */
  readonly path: string;
  remove(): Promise<void>;
}

export async function newClinic(patients: number): Promise<Clinic> {
  const folder = await mkdtemp(join(tmpdir(), 'faults-'));
  await fillClinic(folder, patients);
  return { folder, path: join(folder, 'records.sqlite'), remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Fills a store in a folder. */
export async function fillClinic(folder: string, patients: number): Promise<void> {
  const { store, clinic } = await openClinic(`sqlite:${join(folder, 'records.sqlite')}`, await shippedModel());
  const changes = Array.from({ length: patients }, (_, at) => {
    const id = `p${at}`;
    const text = JSON.stringify(patient(id, { text: { status: 'empty', div: 'x'.repeat(500) } }));
    return { kind: 'put', type: 'Patient', id, text: splitForStamp(text, id) } as const;
  });
  await clinic.write(changes, { unit: 'each' });
  await store.close();
}

export interface Response {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly requestId: string;
  readonly json: any; // eslint-disable-line typescript/no-explicit-any -- what tests look into
}

/** A server in a process of its own on the store of a clinic. */
export interface Server {
  readonly process: Launched;
  /** A path below the base URL of the partition, or from the root where it begins with `//`. */
  get(path: string): Promise<Response>;
  /** Creates a Media whose picture is made of this text; each has the text as identifier. */
  create(name: string): Promise<Response>;
  /** Status of `/readyz` (`ok`, `degraded`), or the HTTP status where it is not 200. */
  ready(): Promise<string>;
  /** Lines of the log so far that report a fault. */
  faults(): readonly { readonly requestId: string; readonly error: string }[];
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

/** The code of the first issue of an OperationOutcome. */
export const codeOf = ({ json }: Response): string => json.issue[0].code;

export async function start(
  { folder }: Pick<Clinic, 'folder'>,
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<Server> {
  const settings = ['--log', 'error', '--access', 'open', '--authorization-server', 'off', ...flags];
  // The same public URL as the store was filled with.
  const args = ['serve', ...settings, '--public-url', 'http://localhost:8080', '--host', '127.0.0.1'];
  const port = await freePort();
  const child = launch([...args, '--port', String(port)], {
    env: { ...env, CRS_STORE: `sqlite:${join(folder, 'records.sqlite')}` },
  });
  await child.until(/^Serves /m);
  const root = `http://127.0.0.1:${port}`;
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const url = path.startsWith('//') ? `${root}${path.slice(1)}` : `${root}/r4/clinic${path}`;
    const response = await fetch(url, init);
    const text = await response.text();
    return {
      status: response.status,
      retryAfter: response.headers.get('Retry-After'),
      requestId: response.headers.get('X-Request-Id') ?? '',
      json: text === '' ? undefined : JSON.parse(text),
    };
  };
  return {
    process: child,
    get: path => ask(path),
    create: name =>
      ask('/Media', {
        method: 'POST',
        headers: { 'Content-Type': 'application/fhir+json' },
        body: JSON.stringify(
          media({ identifier: [{ value: name }] }, { data: Buffer.from(png + name, 'latin1').toString('base64') }),
        ),
      }),
    async ready() {
      const { status, json } = await ask('//readyz');
      return status === 200 ? json.status : String(status);
    },
    faults: () =>
      child
        .stderr()
        .split('\n')
        .filter(line => line.startsWith('{'))
        .map(line => JSON.parse(line))
        .filter(({ level }) => level === 'error'),
    stop(signal = 'SIGTERM') {
      child.process.kill(signal);
      return child.ended;
    },
  };
}

/** What a PNG begins with. */
const png = '\x89PNG\r\n\x1a\n';

/** Asks again, up to 50 s, until it holds; gives the last value. */
export async function eventually<T>(ask: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  const end = Date.now() + 50_000;
  for (;;) {
    const value = await ask();
    if (holds(value) || Date.now() > end) return value;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}
