import { Agent, request } from 'node:http';
import { readFileSync } from 'node:fs';
import { percentile } from '../statistics.ts';
import { changed, seeds } from './seeds.ts';
import type { Created, Seed } from './seeds.ts';

// A child process: users that each send one request after the other, as those of the field's benchmark do.

export interface UsersQuestion {
  readonly workload: Workload;
  readonly base: string;
  /** Headers of every request, as of a token. */
  readonly headers: Readonly<Record<string, string>>;
  readonly users: number;
  /** Milliseconds, after which no user sends another request. */
  readonly duration: number;
  /** A file with one transaction Bundle a line, for imports. */
  readonly bundles?: string;
}

export type Workload = 'crud' | 'import' | 'search';

export interface UsersResult {
  /** Answers with the status that the request was to have. */
  readonly succeeded: number;
  /** Other answers and broken connections, by status, with the first of each. */
  readonly failed: Readonly<Record<string, { readonly count: number; readonly first: string }>>;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

const mediaType = 'application/fhir+json';

async function work({ workload, base, headers, users, duration, bundles }: UsersQuestion): Promise<UsersResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: users });
  const latencies: number[] = [];
  const failed: Record<string, { count: number; first: string }> = {};
  const started = performance.now();
  const end = started + duration;
  const isOver = (): boolean => performance.now() >= end;

  /** Sends a request; the text of its answer, or undefined where it was not what was wanted or no time is left. */
  async function ask(method: string, path: string, body: string | undefined, ...wanted: readonly number[]) {
    if (isOver()) return undefined;
    const sent = performance.now();
    const { status, text } = await send(agent, method, `${base}${path}`, headers, body);
    latencies.push(performance.now() - sent);
    if (wanted.includes(status)) return text;
    const known = (failed[String(status)] ??= { count: 0, first: `${method} ${path}: ${text.slice(0, 500)}` });
    known.count += 1;
    return undefined;
  }

  async function crud(): Promise<void> {
    const records: Seed[] = [];
    const created: Record<string, string> = {};
    for (const seed of seeds) {
      const record = seed(created satisfies Created);
      const text = await ask('POST', `/${record.resourceType}`, JSON.stringify(record), 201);
      if (text === undefined) break;
      const stored = JSON.parse(text) as Seed;
      created[stored.resourceType] = `${stored.resourceType}/${String(stored.id)}`;
      records.push(stored);
    }
    const paths = records.map(({ resourceType, id }) => `/${resourceType}/${String(id)}`);
    for (const path of paths) await ask('GET', path, undefined, 200);
    for (const [at, path] of paths.entries())
      await ask('PUT', path, JSON.stringify(changed(records[at]!, Date.now())), 200);
    for (const path of paths.toReversed()) await ask('DELETE', path, undefined, 200, 204);
  }

  const texts = bundles === undefined ? [] : readFileSync(bundles, 'utf8').split('\n').filter(Boolean);
  let next = 0;
  const workloads: Readonly<Record<Workload, () => Promise<void>>> = {
    crud,
    import: async () => void (await ask('POST', '', texts[next++ % texts.length], 200)),
    search: async () => void (await ask('GET', '/Patient?name=John&_count=100', undefined, 200)),
  };
  const user = async (): Promise<void> => {
    while (!isOver()) await workloads[workload]();
  };
  await Promise.all(Array.from({ length: users }, user));
  agent.destroy();
  const sorted = Float64Array.from(latencies).sort();
  const failures = Object.values(failed).reduce((sum, { count }) => sum + count, 0);
  return {
    succeeded: latencies.length - failures,
    failed,
    seconds: (performance.now() - started) / 1_000,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
  };
}

/** A broken connection has the status 0. */
function send(
  agent: Agent,
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise(resolve => {
    const content = body === undefined ? {} : { 'Content-Type': mediaType, 'Content-Length': Buffer.byteLength(body) };
    const sent = request(url, { agent, method, headers: { Accept: mediaType, ...content, ...headers } }, answer => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      answer.on('error', error => resolve({ status: 0, text: error.message }));
    });
    sent.on('error', error => resolve({ status: 0, text: error.message }));
    sent.end(body);
  });
}

process.on('message', (question: UsersQuestion) => {
  void work(question).then(result => process.send?.(result));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
