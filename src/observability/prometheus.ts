import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { IndexBacklog, Meters, Queue } from './meters.ts';

/** The metrics of a process as values. */
export type MetricsOfProcess = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Metrics in the text format of Prometheus. */
export interface Metrics extends Meters {
  readonly contentType: string;
  /** The current values, one line each; summed up with those of other processes. Rejects if a source fails. */
  scrape(others?: () => Promise<readonly MetricsOfProcess[]>): Promise<string>;
  /** The current values, for `scrape` of another process. */
  read(): Promise<MetricsOfProcess>;
  /** All metrics, those of Node and the process too. */
  readonly all: readonly { readonly name: string; readonly labels: readonly string[] }[];
}

/** Upper bounds in seconds: a read takes a millisecond, a search has five seconds. */
const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const storeBuckets = [0.0002, 0.0005, ...requestBuckets];

/**
 * Creates metrics with a registry of their own. Labels have few values: interactions and types are declared ones,
 * never text of a request. https://prometheus.io/docs/practices/naming/
 */
export function createMetrics(version: string): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'crs_requests_total',
    help: 'Requests by interaction, resource type and HTTP status; `aborted` if the client disconnected',
    labelNames: ['interaction', 'type', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'crs_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer, by interaction',
    labelNames: ['interaction'],
    buckets: requestBuckets,
    registers,
  });
  const storeCalls = new Histogram({
    name: 'crs_store_call_duration_seconds',
    help: 'Time of the calls of the store, by method and outcome (`ok`, `failed`)',
    labelNames: ['operation', 'outcome'],
    buckets: storeBuckets,
    registers,
  });
  const writes = new Histogram({
    name: 'crs_store_write_duration_seconds',
    help: 'Time of commits and checkpoints (`step`) of SQLite; a commit may hold many writes',
    labelNames: ['step'],
    buckets: storeBuckets,
    registers,
  });
  const tokens = new Counter({
    name: 'crs_tokens_total',
    help: 'Token requests by result (`issued`, `refused`, `revoked`) and grant type',
    labelNames: ['result', 'grant_type'],
    registers,
  });
  const queues = new Map<Queue, () => number>();
  const indexBacklogs: (() => Promise<readonly IndexBacklog[]>)[] = [];
  registry.registerMetric(
    new Gauge({
      name: 'crs_queue_length',
      help: 'Running requests, and what waits: `uploads`, `writes`, `searches`, and `audit` events',
      labelNames: ['queue'],
      registers: [],
      collect() {
        for (const [queue, length] of queues) this.set({ queue }, length());
      },
    }),
  );
  const entries = new Gauge({
    name: 'crs_index_entries',
    help: 'Entries of indexes that are being built, by type: `done` and `needed`',
    labelNames: ['type', 'state'],
    registers,
  });
  const pending = new Gauge({
    name: 'crs_index_pending_parameters',
    help: 'Search parameters that cannot be searched until their index is built, by type',
    labelNames: ['type'],
    registers,
  });
  const readBacklogs = async (): Promise<void> => {
    const backlogs = (await Promise.all(indexBacklogs.map(read => read()))).flat();
    pending.reset();
    entries.reset();
    for (const { type, parameters, done, of } of backlogs) {
      pending.inc({ type }, parameters);
      entries.inc({ type, state: 'done' }, done);
      entries.inc({ type, state: 'needed' }, of);
    }
  };
  new Gauge({
    name: 'crs_build_info',
    help: 'The running version; always 1',
    labelNames: ['version'],
    aggregator: 'first',
    registers,
  }).set({ version }, 1);
  collectDefaultMetrics({ register: registry });
  return {
    contentType: registry.contentType,
    async scrape(others) {
      await readBacklogs();
      if (others === undefined) return registry.metrics();
      const all = [await registry.getMetricsAsJSON(), ...(await others())];
      return AggregatorRegistry.aggregate(all).metrics();
    },
    read: () => registry.getMetricsAsJSON(),
    all: registry.getMetricsAsArray().map(metric => ({ name: metric.name, labels: labelsOf(metric) })),
    request({ interaction, type, status, milliseconds }) {
      requests.inc({ interaction, type, status: status ?? 'aborted' });
      durations.observe({ interaction }, milliseconds / 1_000);
    },
    storeCall(operation, milliseconds, failed) {
      storeCalls.observe({ operation, outcome: failed ? 'failed' : 'ok' }, milliseconds / 1_000);
    },
    written: (step, milliseconds) => writes.observe({ step }, milliseconds / 1_000),
    token: (result, grantType = 'none') => tokens.inc({ result, grant_type: grantType }),
    queue: (name, length) => void queues.set(name, length),
    indexes: read => void indexBacklogs.push(read),
  };
}

/** The library has the labels of each metric, but its types do not. */
const labelsOf = (metric: object): readonly string[] =>
  'labelNames' in metric && Array.isArray(metric.labelNames) ? (metric.labelNames as string[]) : [];
