import { setTimeout } from 'node:timers/promises';
import program from '../../../package.json' with { type: 'json' };
import type { Config } from '../../config/read.ts';
import type { Engine } from '../../interaction/interaction.ts';
import type { IndexBacklog, Meters } from '../../observability/meters.ts';
import type { Metrics, MetricsOfProcess } from '../../observability/prometheus.ts';
import type { Store } from '../../store/port/store.ts';
import { aroundStore } from './around-store.ts';
import type { Start } from '../start.ts';

/** What observes requests and the store; nothing does unless the settings say so. */
export type Observing = Pick<Start, 'meters' | 'traces'> & { readonly metricsPort: number | undefined };

/**
 * Opens the port of the metrics, and creates the spans of traces. Their libraries are loaded only then. Rejects with a
 * sentence for the operator if the port cannot be used.
 */
export async function startObserving(
  { metricsPort: port, metricsHost: host, traces }: Config,
  { log, opened }: Pick<Start, 'log' | 'opened'>,
  others?: () => Promise<readonly MetricsOfProcess[]>,
): Promise<Observing> {
  const tracing = await startTracing(traces);
  if (port === undefined) return { meters: undefined, traces: tracing, metricsPort: undefined };
  const { createMetrics } = await import('../../observability/prometheus.ts');
  const { openMetricsPort } = await import('../../http/metrics-port.ts');
  const metrics = createMetrics(program.version);
  const served = await openMetricsPort({ ...metrics, scrape: () => metrics.scrape(others) }, { host, port }, error =>
    log.fault(error, 'none'),
  );
  opened(() => served.close());
  const at = `http://${host.includes(':') ? `[${host}]` : host}:${served.port}/metrics`;
  log.notice(`Metrics are served at ${at}.`);
  return { meters: metrics, traces: tracing, metricsPort: served.port };
}

/** The measurements and traces of a process without a port for metrics, which another one reads. */
export async function observeBeside({
  metricsPort,
  traces,
}: Config): Promise<Pick<Start, 'traces'> & { readonly metrics: Metrics | undefined }> {
  const metrics =
    metricsPort === undefined
      ? undefined
      : (await import('../../observability/prometheus.ts')).createMetrics(program.version);
  return { metrics, traces: await startTracing(traces) };
}

const startTracing = async (traces: Config['traces']): Promise<Start['traces']> =>
  traces === 'off' ? undefined : (await import('../../observability/traces.ts')).createTraces(program.version);

/** The store with its calls measured and traced; the store itself if nothing observes them. */
export function observedStore({ meters, traces }: Pick<Start, 'meters' | 'traces'>, store: Store): Store {
  const measured = meters === undefined ? store : aroundStore(store, (name, call) => measure(meters, name, call));
  return traces === undefined ? measured : aroundStore(measured, (name, call) => traces.storeCall(name, call));
}

async function measure<T>(meters: Meters, operation: string, call: () => Promise<T>): Promise<T> {
  const began = performance.now();
  let failed = true;
  try {
    const result = await call();
    failed = false;
    return result;
  } finally {
    meters.storeCall(operation, performance.now() - began, failed);
  }
}

/** Lets each scrape read the queues of the store and the audit, and the progress of indexes. */
export function watchEngine(meters: Meters | undefined, engine: () => Engine): void {
  if (meters === undefined) return;
  watchQueues(meters, engine);
  // A scrape shows what it can while the store fails: then above all it is needed.
  meters.indexes(() =>
    Promise.race([indexBacklog(engine().store), setTimeout(longestQuestion, [], { ref: false })]).catch(() => []),
  );
}

/** Lets each scrape read the queues of the store and the audit. */
export function watchQueues(meters: Meters, engine: () => Engine): void {
  meters.queue('writes', () => engine().store.waiting.writes);
  meters.queue('searches', () => engine().store.waiting.searches);
  meters.queue('audit', () => engine().audit.waiting);
}

/** How long a scrape waits for the store, in milliseconds. */
const longestQuestion = 1_000;

/** The pending indexes of all partitions, by type. */
export async function indexBacklog(store: Store): Promise<readonly IndexBacklog[]> {
  const pending = await store.indexes.status({ state: 'pending' });
  return [...Map.groupBy(pending, ({ type }) => type)].map(([type, states]) => ({
    type,
    parameters: new Set(states.map(({ param }) => param)).size,
    done: states.reduce((sum, { done }) => sum + done, 0),
    of: states.reduce((sum, { of }) => sum + of, 0),
  }));
}
