import type { RequestCase } from '../cases.ts';
import { sizeOf, temporary } from '../data/dataset.ts';
import type { Dataset } from '../data/dataset.ts';
import { writeJoinInterface } from '../data/join-interface.ts';
import type { JoinCase } from '../join-cases.ts';
import type { WireRequest } from '../protocol.ts';
import { median, medianRatio } from '../statistics.ts';
import { askOf } from './joins.ts';
import { findPlaces, measure, requestsFor, startClient, startSubject } from './subjects.ts';
import type { Measured, Subject } from './subjects.ts';

export interface ScaleRow {
  readonly what: string;
  readonly unit: string;
  readonly small: number;
  readonly large: number;
  /** How many times dearer, or larger, the large one is. */
  readonly growth: number;
}

const connections = 4;

/**
 * Asks two stores of different size the same, in turn, and compares processor time per request, load rate and file
 * size.
 */
export async function measureScale(
  cases: readonly RequestCase[],
  joins: readonly JoinCase[],
  small: Dataset,
  large: Dataset,
  { rounds, duration }: { readonly rounds: number; readonly duration: number },
  say: (text: string) => void,
): Promise<readonly ScaleRow[]> {
  const client = await startClient();
  const stores = [small, large];
  const scratch = temporary('scale');
  const settings = ['--capability', writeJoinInterface(scratch.folder)];
  const subjects = await Promise.all(stores.map(({ file }) => startSubject('service', file, { settings })));
  try {
    const sides = await Promise.all(
      subjects.map(async (subject, at) => {
        const data = stores[at] ?? small;
        const places = await findPlaces(subject, cases);
        const requests = new Map(cases.map(one => [one.name, requestsFor('service', one, data, places, 0)]));
        for (const one of joins) requests.set(one.name, await joined(one, subject, data));
        return { subject, requests };
      }),
    );
    const asked = [...cases, ...joins].filter(one =>
      sides.every(({ requests }) => requests.get(one.name)?.length !== 0),
    );
    const kept = asked.map(() => sides.map((): Measured[] => []));
    for (let round = -1; round < rounds; round++) {
      say(round === -1 ? 'Warming up …' : `Round ${round + 1} of ${rounds} …`);
      for (const [at, { name }] of asked.entries())
        for (const [side, { subject, requests: ofCase }] of sides.entries()) {
          const requests = ofCase.get(name) ?? [];
          const run = await measure(client, subject, { requests, connections, duration, status: 200 });
          if (round >= 0) kept[at]?.[side]?.push(run);
        }
    }
    const rows = asked.flatMap(({ name }, at): ScaleRow[] => {
      const [left = [], right = []] = kept[at] ?? [];
      const of = (what: string, unit: string, value: (run: Measured) => number): ScaleRow => ({
        what: `${name}: ${what}`,
        unit,
        small: median(left.map(value)),
        large: median(right.map(value)),
        growth: medianRatio(right.map(value), left.map(value)),
      });
      return [of('cost', 'µs', run => run.cpu), of('answer', 'bytes', run => run.bytes)];
    });
    return [...rows, ...storeRows(small, large)];
  } finally {
    await Promise.all([client, ...subjects.map(({ child }) => child)].map(child => child.stop()));
    scratch.remove();
  }
}

/** Empty if no sample has an inner search with few matches: that grows with the store. */
async function joined(one: JoinCase, subject: Subject, { samples }: Dataset): Promise<readonly WireRequest[]> {
  return (await one.requests(samples, askOf(subject))).map(({ path }) => ({ path }));
}

function storeRows(small: Dataset, large: Dataset): readonly ScaleRow[] {
  const row = (what: string, unit: string, of: (data: Dataset) => number): ScaleRow => {
    const [left, right] = [of(small), of(large)];
    return { what, unit, small: left, large: right, growth: right / left };
  };
  return [
    row('load', 'records/s', ({ load }) => load.records / load.seconds),
    row('load: cost', 'µs/record', ({ load }) => (load.cpuSeconds * 1e6) / load.records),
    row('file', 'MB', ({ file }) => sizeOf(file) / 1e6),
    row('file', 'bytes/record', ({ file, resources }) => sizeOf(file) / resources),
  ];
}
