import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { requestCases } from '../cases.ts';
import type { RequestCase } from '../cases.ts';
import { createCases, subject } from '../create-cases.ts';
import { startChild } from '../child.ts';
import type { Child } from '../child.ts';
import { loadInto, temporary } from '../data/dataset.ts';
import type { Dataset } from '../data/dataset.ts';
import type { RunResult } from '../protocol.ts';
import { median, medianRatio } from '../statistics.ts';
import { processorTime } from './processor-time.ts';
import type { Rounds } from './requests.ts';
import { processors, requestsFor, startClient } from './subjects.ts';
import { warmUp } from './warm-up.ts';

/** One case, by one process and by several. */
export interface ProcessRow {
  readonly case: string;
  /** Requests a second. */
  readonly rateOfOne: number;
  readonly rate: number;
  /** How many times the rate of one: the median of the rounds. */
  readonly rateTimes: number;
  /** How many times it could be, if all processors worked all the time: the load generator needs a part of them. */
  readonly rateTimesAtMost: number;
  /** Microseconds of processor time per request, of all processes of the server, on one processor. */
  readonly cpuOfOne: number;
  readonly cpu: number;
  readonly cpuTimes: number;
  /** The same ratio in the rounds of the rate, on all processors. */
  readonly cpuTimesOnAll: number;
  /** The same ratio where each process has as many connections as the one process has, not its part of them. */
  readonly cpuTimesAsLoaded: number;
}

export interface ProcessResults {
  readonly processes: number;
  readonly rows: readonly ProcessRow[];
  /** Bytes of each child, in proportion to what it shares (PSS): idle after the start, and after the rounds. */
  readonly memory: readonly number[];
  readonly memoryAfter: readonly number[];
}

/** What is promised: of the processor time, of the rate of reads and searches on two cores, and bytes of a child. */
export const processBudgets = { cpu: 1.05, rate: 1.5, memory: 90e6 } as const;

const connections = 16;
/** Audit events are stored ten times a second; milliseconds. */
const settle = 250;
const caseNames = ['read by id', 'Observation?patient', 'Observation?patient&category&_sort=-date', 'Patient?family'];

/**
 * Sends the same requests in turn to a server of one process and to one of several, both with their audit, and compares
 * rates, on all processors, and processor time, on all and on one. On all, several get them again over as many
 * connections for each process as one has: the more requests a process has at a time, the more share a turn of its
 * event loop, a flush and a commit. `warming` is what one process gets before the rounds; several get as much each.
 */
export async function measureProcesses(
  processes: number,
  data: Dataset,
  { rounds, duration, warming }: Required<Pick<Rounds, 'rounds' | 'duration' | 'warming'>>,
  say: (text: string) => void,
): Promise<ProcessResults> {
  const scratch = temporary('processes');
  const client = await startClient({ bound: false });
  const counts = [1, processes];
  const started: Child[] = [];
  try {
    const serve = async (file: string, what: 'cpu' | 'rate'): Promise<readonly Child[]> => {
      const children: Child[] = [];
      for (const count of counts) {
        const own = join(scratch.folder, `${count}-${started.length}.sqlite`);
        copyFileSync(file, own);
        const bound = what === 'cpu' ? { processor: processors.server } : {};
        const child = await startChild('./subjects/processes.ts', { arguments: [own, String(count)], ...bound });
        children.push(child);
        started.push(child);
      }
      return children;
    };
    const small = join(scratch.folder, 'creates.sqlite');
    const records = join(scratch.folder, 'records.ndjson');
    writeFileSync(records, `${JSON.stringify(subject)}\n`);
    await loadInto(small, records);
    const rows: ProcessRow[] = [];
    const memory: number[] = [];
    const memoryAfter: number[] = [];
    const reading = requestCases.filter(({ name }) => caseNames.includes(name));
    const creating = createCases.filter(({ name }) => name.includes('10 KB'));
    const kept = new Map([...reading, ...creating].map(one => [one, newKept()]));
    for (const what of ['cpu', 'rate'] as const)
      for (const [cases, file] of [[reading, data.file] as const, [creating, small] as const]) {
        const servers = await serve(file, what);
        const children = what === 'rate' && cases === reading ? childrenOf(servers[1]?.pid ?? 0) : [];
        if (children.length > 0) await setTimeout(5_000); // the memory of the start is freed when idle
        memory.push(...children.map(proportional));
        say('Warming up …'); // code that was not run often enough to be optimized is measured too dear
        for (const [at, server] of servers.entries()) {
          // `warming` is for all reads and searches: creates are one case and get a part of it.
          const share = ((counts[at] ?? 1) * cases.length) / reading.length;
          const pass = async (): Promise<number> => {
            let answered = 0;
            for (const one of cases) {
              const { requests } = await runOn(client, server, one, data, { duration, connections });
              answered += requests;
            }
            return answered;
          };
          await warmUp(pass, { requests: warming.requests * share, seconds: warming.seconds * share });
        }
        for (let round = 0; round < rounds; round++) {
          say(`Round ${round + 1} of ${rounds} …`);
          for (const one of cases)
            for (const at of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
              const server = servers[at];
              if (server === undefined) continue;
              const { bound, free } = kept.get(one) ?? newKept();
              const run = (connections: number): Promise<Run> =>
                runOn(client, server, one, data, { duration, connections });
              if (what === 'cpu') bound[at].push((await run(connections)).cpu);
              else free[at].push(await run(connections));
              if (what === 'rate' && at === 1) free[2].push(await run(connections * processes));
            }
        }
        memoryAfter.push(...children.map(proportional));
        await Promise.all(servers.map(one => one.stop()));
      }
    for (const [{ name }, figures] of kept) rows.push(rowOf(name, processes, figures));
    return { processes, rows, memory, memoryAfter };
  } finally {
    await Promise.all([client, ...started].map(child => child.stop()));
    scratch.remove();
  }
}

/** Figures of the rounds, of one process and of several. */
interface Kept {
  /** Processor time on one processor. */
  readonly bound: readonly [number[], number[]];
  /** On all processors; the third: of several, each with as many connections as the one. */
  readonly free: readonly [Run[], Run[], Run[]];
}

const newKept = (): Kept => ({ bound: [[], []], free: [[], [], []] });

interface Run {
  readonly requests: number;
  readonly rate: number;
  readonly cpu: number;
  /** Processor time of the load generator per request, in microseconds. */
  readonly clientCpu: number;
}

async function runOn(
  client: Child,
  server: Child,
  one: RequestCase,
  data: Dataset,
  { duration, connections }: { readonly duration: number; readonly connections: number },
): Promise<Run> {
  const requests = requestsFor('service', one, data, { pageToken: '' }, 0);
  await client.ask({ kind: 'connect', port: Number(server.greeting), connections });
  const pids = [server.pid, ...childrenOf(server.pid)];
  const used = (): number => pids.reduce((sum, pid) => sum + processorTime(pid), 0);
  const [before, clientBefore] = [used(), processorTime(client.pid)];
  const result = await client.ask<RunResult>({ kind: 'run', requests, duration, status: one.status ?? 200 });
  await setTimeout(settle);
  const perRequest = (milliseconds: number): number => (1_000 * milliseconds) / result.requests;
  const [cpu, clientCpu] = [perRequest(used() - before), perRequest(processorTime(client.pid) - clientBefore)];
  await client.ask({ kind: 'disconnect' });
  if (result.failures > 0) throw new Error(`${result.failures} answers were wrong: ${result.firstFailure}`);
  return { requests: result.requests, rate: result.requests / result.seconds, cpu, clientCpu };
}

function rowOf(name: string, processes: number, { bound, free }: Kept): ProcessRow {
  const [one, several] = free;
  const [server, client] = [median(one.map(({ cpu }) => cpu)), median(one.map(({ clientCpu }) => clientCpu))];
  const rates = [one, several].map(runs => runs.map(({ rate }) => rate));
  const times = free.map(runs => runs.map(({ cpu }) => cpu));
  return {
    case: name,
    rateOfOne: median(rates[0] ?? []),
    rate: median(rates[1] ?? []),
    rateTimes: medianRatio(rates[1] ?? [], rates[0] ?? []),
    rateTimesAtMost: Math.min(processes, (availableParallelism() * server) / (server + client)),
    cpuOfOne: median(bound[0]),
    cpu: median(bound[1]),
    cpuTimes: medianRatio(bound[1], bound[0]),
    cpuTimesOnAll: medianRatio(times[1] ?? [], times[0] ?? []),
    cpuTimesAsLoaded: medianRatio(times[2] ?? [], times[0] ?? []),
  };
}

/** https://docs.kernel.org/filesystems/proc.html */
function childrenOf(pid: number): readonly number[] {
  if (process.platform !== 'linux') return [];
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.flatMap(id =>
    readFileSync(`/proc/${pid}/task/${id}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  );
}

const proportional = (pid: number): number =>
  Number(/^Pss: +(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) * 1024;
