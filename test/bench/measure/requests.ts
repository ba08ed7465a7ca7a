import type { Places, RequestCase, SubjectName } from '../cases.ts';
import { join } from 'node:path';
import { temporary } from '../data/dataset.ts';
import type { Dataset } from '../data/dataset.ts';
import type { Usage } from '../protocol.ts';
import { median, medianRatio } from '../statistics.ts';
import { compareAnswers, measure, record, requestsFor, startClient, startSubject } from './subjects.ts';
import type { Measured, Subject } from './subjects.ts';
import { untilSettled, warmUp, type WarmUp } from './warm-up.ts';

export interface Rounds {
  readonly rounds: number;
  /** Milliseconds of each run. */
  readonly duration: number;
  readonly connections: readonly number[];
  /** What comes before anything counts. */
  readonly warming?: WarmUp;
}

/** One row of the table: medians of the rounds. */
export interface RequestRow {
  readonly case: string;
  readonly connections: number;
  readonly subject: SubjectName;
  /** Requests a second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of the server's processor time per request. */
  readonly cpu: number;
  /** Of an answer's body. */
  readonly bytes: number;
  /** What this rate is of the floor's in the same round, the median of rounds; 1 for the floor. */
  readonly ofFloor: number;
  /** How many times the floor's processor time. */
  readonly cpuOfFloor: number;
}

export interface RequestResults {
  readonly rows: readonly RequestRow[];
  /** Bytes that the service held at most. */
  readonly residentUnderLoad: number;
}

/** What is measured side by side, and where pages begin. */
export interface Setup {
  readonly subjects: readonly Subject[];
  readonly places: Places;
}

/** Starts the subjects; what the service does for requests goes into the file `recording` before. */
export type Start = (paths: (places: Places) => readonly string[], recording: string) => Promise<Setup>;

const names = ['bare', 'page', 'floor', 'service'] as const;
/** The passes in which the others are warm: they have little code. */
const passesOfShort = 4;

/**
 * Measures all cases on all subjects. Each round runs through every case at every number of connections, one subject
 * after the other, in turn forwards and backwards: what disturbs the machine hits all alike.
 */
export async function measureRequests(
  cases: readonly RequestCase[],
  data: Dataset,
  { rounds, duration, connections, warming = untilSettled }: Rounds,
  say: (text: string) => void,
  start: Start = onSqlite(data.file, cases),
): Promise<RequestResults> {
  say('Recording the requests of the service to the store …');
  const scratch = temporary('recording');
  const pathsOf = (places: Places): readonly string[] =>
    cases.flatMap(one => one.requests(data.samples, places).map(({ path }) => path));
  const { subjects, places } = await start(pathsOf, join(scratch.folder, 'recording.json'));
  const client = await startClient();
  const service = subjects.find(({ name }) => name === 'service');
  if (service === undefined) throw new Error('The service did not start');
  const order = subjects.map(({ name }) => name);
  try {
    for (const one of subjects.filter(({ name }) => name === 'page' || name === 'floor'))
      await compareAnswers(one, service, cases, data, places);
    const bytes = new Map<string, number>();
    const run = async (
      one: RequestCase,
      name: SubjectName,
      connections: number,
      duration: number,
    ): Promise<Measured> => {
      const subject = subjects.find(subject => subject.name === name) ?? service;
      const requests = requestsFor(name, one, data, places, bytes.get(one.name) ?? 0);
      return measure(client, subject, { requests, connections, duration, status: one.status ?? 200 });
    };

    say('Warming up …');
    await warmUp(async pass => {
      let requests = 0;
      for (const one of cases)
        for (const name of order.toReversed()) {
          if (!hasSubject(one, name) || (name !== 'service' && pass >= passesOfShort)) continue;
          const warm = await run(one, name, 16, Math.min(duration, 500));
          if (name !== 'bare') bytes.set(one.name, bytes.get(one.name) ?? warm.bytes);
          if (name === 'service') requests += warm.requests;
        }
      return requests;
    }, warming);
    const kept = new Map<string, Measured[]>();
    for (let round = 0; round < rounds; round++) {
      say(`Round ${round + 1} of ${rounds} …`);
      for (const count of connections)
        for (const one of cases) {
          if (one.connections !== undefined && !one.connections.includes(count)) continue;
          for (const name of round % 2 === 0 ? order : order.toReversed()) {
            if (!hasSubject(one, name)) continue;
            const key = keyOf(one.name, count, name);
            kept.set(key, [...(kept.get(key) ?? []), await run(one, name, count, duration)]);
          }
        }
    }
    const { mostResident } = await service.child.ask<Usage>({ kind: 'usage' });
    return { rows: rowsOf(cases, connections, kept), residentUnderLoad: mostResident };
  } finally {
    await Promise.all([client, ...subjects.map(({ child }) => child)].map(child => child.stop()));
    scratch.remove();
  }
}

/** The subjects on a file of SQLite. */
function onSqlite(file: string, cases: readonly RequestCase[]): Start {
  return async (paths, recording) => {
    const places = await record(file, cases, paths, recording);
    return { places, subjects: await Promise.all(names.map(name => startSubject(name, file, { recording }))) };
  };
}

const hasSubject = (one: RequestCase, name: SubjectName): boolean => one.subjects?.includes(name) ?? true;
const keyOf = (name: string, connections: number, subject: SubjectName): string => `${name} ${connections} ${subject}`;

/** Medians of what was kept under `{case} {connections} {subject}`. */
export function rowsOf(
  cases: readonly RequestCase[],
  connections: readonly number[],
  kept: ReadonlyMap<string, readonly Measured[]>,
): readonly RequestRow[] {
  return cases.flatMap(one =>
    connections.flatMap(count => {
      const floor = kept.get(keyOf(one.name, count, 'floor')) ?? [];
      return names.flatMap((subject): RequestRow[] => {
        const runs = kept.get(keyOf(one.name, count, subject));
        if (runs === undefined) return [];
        const middle = (of: (run: Measured) => number): number => median(runs.map(of));
        const ratio = (of: (run: Measured) => number): number => medianRatio(runs.map(of), floor.map(of));
        return [
          {
            case: one.name,
            connections: count,
            subject,
            rate: middle(rateOf),
            p50: middle(run => run.p50),
            p99: middle(run => run.p99),
            cpu: middle(run => run.cpu),
            bytes: middle(run => run.bytes),
            ofFloor: ratio(rateOf),
            cpuOfFloor: ratio(run => run.cpu),
          },
        ];
      });
    }),
  );
}

const rateOf = ({ requests, seconds }: Measured): number => requests / seconds;
