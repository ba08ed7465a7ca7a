import { setTimeout as delay } from 'node:timers/promises';
import type { MetricsOfProcess } from '../observability/prometheus.ts';
import type { Member } from './member.ts';

/** The metrics of the children of a server, whose counts never decrease. */
export interface MetricsOfChildren {
  /** The values of each running child, and the counts of those that have ended. */
  read(): Promise<readonly MetricsOfProcess[]>;
  /** A child has sent its last values. */
  measured(member: Member, values: MetricsOfProcess): void;
  /** A child has ended. */
  ended(member: Member): void;
}

/** How long a scrape waits for a child, in milliseconds. */
const longest = 1_000;

/** Prometheus takes a lower count for a restart of the server, and would count all earlier requests again. */
export function createMetricsOfChildren(members: ReadonlySet<Member>): MetricsOfChildren {
  const last = new Map<Member, MetricsOfProcess>();
  let counts: MetricsOfProcess = [];
  const readOne = async (member: Member): Promise<void> => {
    const late = delay(longest, undefined, { ref: false }); // a scrape shows what it can
    const values = await Promise.race([member.link.ask('metrics').catch(() => undefined), late]);
    if (values !== undefined && members.has(member)) last.set(member, values);
  };
  return {
    async read() {
      await Promise.all([...members].filter(({ isRunning }) => isRunning).map(readOne));
      return [...last.values(), counts];
    },
    measured(member, values) {
      if (members.has(member)) last.set(member, values);
    },
    ended(member) {
      counts = sumOfCounts(counts, last.get(member) ?? []);
      last.delete(member);
    },
  };
}

type Metric = MetricsOfProcess[number];
/** Values of a histogram have a name, which the types of the library lack. */
type MetricValue = Metric['values'][number] & { readonly metricName?: string };

/** The counters and histograms of both; other values are those of a moment. */
function sumOfCounts(first: MetricsOfProcess, second: MetricsOfProcess): MetricsOfProcess {
  const sums = new Map<string, { readonly metric: Metric; readonly values: Map<string, MetricValue> }>();
  for (const metric of [...first, ...second]) {
    if (!counting.has(String(metric.type))) continue;
    const sum = sums.get(metric.name) ?? { metric, values: new Map() };
    sums.set(metric.name, sum);
    for (const one of metric.values as readonly MetricValue[]) {
      const key = JSON.stringify([one.metricName, one.labels]);
      sum.values.set(key, { ...one, value: one.value + (sum.values.get(key)?.value ?? 0) });
    }
  }
  return [...sums.values()].map(({ metric, values }) => ({ ...metric, values: [...values.values()] }));
}

const counting: ReadonlySet<string> = new Set(['counter', 'histogram']);
