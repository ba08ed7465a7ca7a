import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../child.ts';
import { partition, temporary } from '../data/dataset.ts';
import { bundlesOf } from '../field/bundles.ts';
import type { Bundles } from '../field/bundles.ts';
import type { UsersQuestion, UsersResult, Workload } from '../field/users.ts';
import { processorTime } from './processor-time.ts';
import { answered, freePort } from './start.ts';

/** A server that is measured: one that the bench starts afresh for each workload, or one that runs. */
export type FieldServer =
  { readonly processes: number } | { readonly url: string; readonly pid: number | undefined; readonly token?: string };

/** One workload of the field's benchmark. */
export interface FieldRow {
  readonly workload: Workload;
  readonly users: number;
  /** Right answers a second; for imports Bundles. */
  readonly rate: number;
  /** Milliseconds of processor time of all processes of the server for each right answer; NaN where it is not known. */
  readonly cpu: number;
  /** Bytes of all processes of the server, the most that each has had; NaN where it is not known. */
  readonly memory: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly failed: UsersResult['failed'];
}

/** Users as in the published scripts. https://github.com/octoshikari/fhir-server-performance-benchmark */
const workloads: readonly (readonly [Workload, number])[] = [
  ['crud', 300],
  ['import', 20],
  ['search', 10],
];
/** Bundles that are sent in turn; those of the published import are hundreds of patients too. */
const bundleCount = 250;
const command = fileURLToPath(new URL('../../../src/start.js', import.meta.url));

/**
 * Runs the workloads one after the other, each for so many milliseconds. Searches find the records of the imports: they
 * are sent to the same store.
 */
export async function measureField(
  server: FieldServer,
  { duration, workloads: names }: { readonly duration: number; readonly workloads: readonly string[] },
  say: (text: string) => void,
): Promise<readonly FieldRow[]> {
  const scratch = temporary('field');
  const rows: FieldRow[] = [];
  try {
    say('Making Bundles …');
    const bundles = bundlesOf(bundleCount);
    const file = join(scratch.folder, 'bundles.ndjson');
    writeFileSync(file, bundles.texts.join('\n'));
    for (const [workload, users] of workloads.filter(([name]) => names.length === 0 || names.includes(name))) {
      say(`${workload} with ${users} users for ${duration / 1_000} s …`);
      const running = await start(server, join(scratch.folder, `${workload}.sqlite`));
      try {
        if (workload !== 'crud') await prepare(running, bundles, workload === 'search');
        rows.push(await measure(running, { workload, users, duration, bundles: file }));
      } finally {
        await running.stop();
      }
    }
  } finally {
    scratch.remove();
  }
  return rows;
}

interface Running {
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

/** Starts a server on a new store with all of R4, open to loopback, and waits until it answers. */
async function start(server: FieldServer, store: string): Promise<Running> {
  if ('url' in server) {
    const headers: Record<string, string> =
      server.token === undefined ? {} : { Authorization: `Bearer ${server.token}` };
    return { base: server.url.replace(/\/$/, ''), headers, pid: server.pid, stop: () => Promise.resolve() };
  }
  const place = ['--store', `sqlite:${store}`];
  const added = spawn(process.execPath, [command, 'partition', 'add', partition, ...place], { stdio: 'ignore' });
  await once(added, 'exit');
  const port = await freePort();
  const flags = ['--interface', 'r4', '--access', 'open', '--log', 'off', '--port', String(port)];
  const child = spawn(
    process.execPath,
    [command, 'serve', ...flags, ...place, '--processes', String(server.processes), '--max-requests', '2000'],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = once(child, 'exit');
  const base = `http://127.0.0.1:${port}/r4/${partition}`;
  await answered(`${base}/metadata`, () => child.exitCode === null);
  return {
    base,
    headers: {},
    pid: child.pid,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Stores what the Bundles refer to; for searches, thirty Bundles too. */
async function prepare({ base, headers }: Running, bundles: Bundles, isFilled: boolean): Promise<void> {
  for (const body of [bundles.first, ...(isFilled ? bundles.texts.slice(0, 30) : [])]) {
    const sent = { ...headers, 'Content-Type': 'application/fhir+json' };
    const answer = await fetch(base, { method: 'POST', headers: sent, body });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`A Bundle was answered ${answer.status}: ${text.slice(0, 500)}`);
  }
}

async function measure(
  { base, headers, pid }: Running,
  asked: Omit<UsersQuestion, 'base' | 'headers'>,
): Promise<FieldRow> {
  const users = await startChild('./field/users.ts');
  try {
    const used = usedBy(pid);
    const question: UsersQuestion = { ...asked, base, headers };
    const { succeeded, failed, seconds, p50, p99 } = await users.ask<UsersResult>(question);
    await sleep(500); // the audit of the last answers
    const { workload } = asked;
    const memory = pid === undefined ? NaN : treeOf(pid).reduce((sum, id) => sum + peakOf(id), 0);
    const cpu = (usedBy(pid) - used) / succeeded;
    return { workload, users: asked.users, rate: succeeded / seconds, cpu, memory, p50, p99, failed };
  } finally {
    await users.stop();
  }
}

/** Milliseconds of processor time of a process and of those below it. */
function usedBy(pid: number | undefined): number {
  return pid === undefined ? NaN : treeOf(pid).reduce((sum, id) => sum + processorTime(id), 0);
}

/** A process and those below it. */
function treeOf(pid: number): readonly number[] {
  const children = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(children)) return [pid];
  const ids = readFileSync(children, 'utf8').split(' ').filter(Boolean);
  return [pid, ...ids.flatMap(id => treeOf(Number(id)))];
}

/** The most bytes of memory that a process has had; NaN where the system does not say. */
function peakOf(pid: number): number {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return NaN;
  const [, kibibytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8')) ?? [];
  return kibibytes === undefined ? NaN : Number(kibibytes) * 1_024;
}
