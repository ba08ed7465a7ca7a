import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { subject } from '../create-cases.ts';
import { loadInto } from '../data/dataset.ts';
import { median } from '../statistics.ts';
import { processorTime } from './processor-time.ts';
import { answered, freePort } from './start.ts';

/** The first create of a process, which is validated and on the disk when it is answered: medians in milliseconds. */
export interface FirstCreateResults {
  /** From the command to its answer, where no earlier start kept anything. */
  readonly withoutCache: number;
  /** The same with what an earlier start kept. */
  readonly withCache: number;
  /** The create alone, right after a start with cache. */
  readonly first: Cost;
  /** The same three seconds after the start. */
  readonly idle: Cost;
  /** The tenth create of a process. */
  readonly warm: Cost;
}

/** Milliseconds until the answer, and of the server's processor time, which only Linux reports so finely (else NaN). */
export interface Cost {
  readonly wall: number;
  readonly cpu: number;
}

const checkout = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Starts a copy of the checkout as its users do, whose cache is gone or there, and writes pictures until it is warm.
 */
export async function measureFirstCreate(
  { runs }: { readonly runs: number },
  say: (text: string) => void,
): Promise<FirstCreateResults> {
  const root = mkdtempSync(join(tmpdir(), 'bench-first-create-'));
  try {
    for (const name of ['src', 'capability', 'searchparameters', 'profiles', 'package.json'])
      cpSync(join(checkout, name), join(root, name), { recursive: true });
    symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'));
    const file = join(root, 'records.sqlite');
    writeFileSync(join(root, 'records.ndjson'), `${JSON.stringify(subject)}\n`);
    await loadInto(file, join(root, 'records.ndjson'));
    const cold: Creates[] = [];
    const kept: Creates[] = [];
    const idle: Creates[] = [];
    for (let run = 0; run < runs; run++) {
      say(`The first create after a start, ${run + 1} of ${runs} …`);
      rmSync(join(root, '.cache'), { recursive: true, force: true });
      cold.push(await createsOf(root, file, 0));
      kept.push(await createsOf(root, file, 0));
      idle.push(await createsOf(root, file, 3_000));
    }
    const of = (runs: readonly Creates[], which: (run: Creates) => number): number => median(runs.map(which));
    const cost = (runs: readonly Creates[], which: 'first' | 'warm'): Cost => ({
      wall: of(runs, run => run[which].wall),
      cpu: of(runs, run => run[which].cpu),
    });
    return {
      withoutCache: of(cold, ({ sinceCommand }) => sinceCommand),
      withCache: of(kept, ({ sinceCommand }) => sinceCommand),
      first: cost(kept, 'first'),
      idle: cost(idle, 'first'),
      warm: cost(kept, 'warm'),
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

interface Creates {
  readonly sinceCommand: number;
  readonly first: Cost;
  readonly warm: Cost;
}

/** Ten creates in turn, the first one so many milliseconds after the first answer of metadata. */
async function createsOf(root: string, file: string, wait: number): Promise<Creates> {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}/r4/demo`;
  const flags = ['--port', String(port), '--store', `sqlite:${file}`, '--log', 'off', '--access', 'open'];
  const command = performance.now();
  const server = spawn(process.execPath, [join(root, 'src/start.js'), 'serve', ...flags], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(server, 'exit');
  try {
    await answered(`${base}/metadata`, () => server.exitCode === null);
    await sleep(wait);
    const headers = { 'Content-Type': 'application/fhir+json' };
    const costs: Cost[] = [];
    let sinceCommand = NaN;
    for (let at = 0; at < 10; at++) {
      const body = picture();
      const [used, begin] = [processorTime(server.pid), performance.now()];
      const response = await fetch(`${base}/Media`, { method: 'POST', headers, body });
      await response.text();
      costs.push({ wall: performance.now() - begin, cpu: processorTime(server.pid) - used });
      if (at === 0) sinceCommand = performance.now() - command;
      if (response.status !== 201) throw new Error(`A create was answered ${response.status}.`);
    }
    const none = { wall: NaN, cpu: NaN };
    return { sinceCommand, first: costs[0] ?? none, warm: costs.at(-1) ?? none };
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
}

const picture = (): string =>
  JSON.stringify({
    resourceType: 'Media',
    status: 'completed',
    subject: { reference: `${subject.resourceType}/${subject.id}` },
    content: { contentType: 'image/png', data: Buffer.concat([head, randomBytes(1_000)]).toString('base64') },
  });

/** As a picture begins. */
const head = Buffer.from('89504e470d0a1a0a', 'hex');
