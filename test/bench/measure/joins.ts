import { setTimeout as delay } from 'node:timers/promises';
import type { Dataset } from '../data/dataset.ts';
import { temporary } from '../data/dataset.ts';
import { writeJoinInterface } from '../data/join-interface.ts';
import type { JoinCase, JoinedRequest, SearchAnswer } from '../join-cases.ts';
import { median } from '../statistics.ts';
import type { Rounds } from './requests.ts';
import { measure, startClient, startSubject, type Subject } from './subjects.ts';
import { untilCompiled, warmUp } from './warm-up.ts';

/** One row of the table: processor time per search, in microseconds. */
export interface JoinRow {
  readonly name: string;
  readonly cost: number;
  /** Of its plain searches together. */
  readonly plain: number;
  /** The median of the rounds. */
  readonly times: number;
  readonly most: number;
}

const connections = 16;

/** How often and how long each search is measured, in milliseconds, after what warm-up. */
export type JoinRounds = Pick<Rounds, 'rounds' | 'duration' | 'warming'>;

/** Compares searches with joins and includes with the plain searches that they consist of, in turn. */
export async function measureJoins(
  cases: readonly JoinCase[],
  data: Dataset,
  rounds: JoinRounds,
  say: (text: string) => void,
): Promise<readonly JoinRow[]> {
  const scratch = temporary('joins');
  const service = await startSubject('service', data.file, {
    settings: ['--capability', writeJoinInterface(scratch.folder)],
  });
  try {
    return await compareWithPlain(cases, service, data, rounds, say);
  } finally {
    await service.child.stop();
    scratch.remove();
  }
}

/** Compares searches of a service with their plain searches, in turn. */
export async function compareWithPlain(
  cases: readonly JoinCase[],
  service: Subject,
  data: Pick<Dataset, 'samples'>,
  { rounds, duration, warming = untilCompiled }: JoinRounds,
  say: (text: string) => void,
): Promise<readonly JoinRow[]> {
  const client = await startClient();
  try {
    const rows: { one: JoinCase; requests: readonly JoinedRequest[]; runs: Run[] }[] = [];
    for (const one of cases) {
      rows.push({ one, requests: await one.requests(data.samples, askOf(service)), runs: [] });
    }
    for (const { requests } of rows) for (const { path } of requests.slice(0, 1)) await askOf(service)(path);
    let answered = 0;
    const costOf = async (requests: readonly string[]): Promise<number> => {
      const load = { requests: requests.map(path => ({ path })), connections, duration, status: 200 };
      const { cpu, requests: count } = await measure(client, service, load);
      answered += count;
      return cpu;
    };
    const runOf = async (requests: readonly JoinedRequest[]): Promise<Run> => ({
      cost: await costOf(requests.map(({ path }) => path)),
      plain: await plainCost(requests, costOf),
    });
    say('Warming up …');
    await warmUp(async () => {
      const before = answered;
      for (const { requests } of rows) await runOf(requests);
      return answered - before;
    }, warming);
    for (let round = 0; round < rounds; round += 1) {
      say(`Round ${round + 1} of ${rounds} …`);
      for (const { requests, runs } of rows) runs.push(await runOf(requests));
    }
    return rows.map(({ one: { name, most }, runs }) => ({
      name,
      cost: median(runs.map(({ cost }) => cost)),
      plain: median(runs.map(({ plain }) => plain)),
      times: median(runs.map(({ cost, plain }) => cost / plain)),
      most,
    }));
  } finally {
    await client.stop();
  }
}

interface Run {
  readonly cost: number;
  readonly plain: number;
}

/** Each of the plain searches is measured alone, and their costs are added. */
async function plainCost(
  requests: readonly JoinedRequest[],
  costOf: (paths: readonly string[]) => Promise<number>,
): Promise<number> {
  let sum = 0;
  for (const at of requests[0]?.plain.keys() ?? []) sum += await costOf(requests.map(({ plain }) => plain[at] ?? ''));
  return sum;
}

/** Asks the service, which may still build the indexes of its definitions. */
export const askOf =
  ({ port }: Subject) =>
  async (path: string): Promise<SearchAnswer> => {
    let response = await fetch(`http://127.0.0.1:${port}${path}`);
    for (let wait = 0; response.status === 503 && wait < 600; wait += 1) {
      await delay(100);
      response = await fetch(`http://127.0.0.1:${port}${path}`);
    }
    if (response.status !== 200) throw new Error(`${response.status} for ${path}: ${await response.text()}`);
    return (await response.json()) as SearchAnswer; // a searchset
  };
