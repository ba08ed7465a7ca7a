import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execFileSync } from 'node:child_process';
import { partition } from '../data/dataset.ts';
import type { Dataset } from '../data/dataset.ts';
import { median } from '../statistics.ts';

export interface StartResults {
  /** Milliseconds from the command to the first answer of metadata, with the code compiled by an earlier start. */
  readonly start: number;
  /** Memory of the idle server, in bytes. */
  readonly resident: number;
}

/** Milliseconds after which an idle server has freed the memory of its start and has done what it puts off. */
const idleAfter = 12_000;

const command = fileURLToPath(new URL('../../../src/start.js', import.meta.url));

/** Starts the server as its users do, asks for metadata until it answers, and looks at its memory when it is idle. */
export async function measureStart(
  { file }: Dataset,
  { runs }: { readonly runs: number },
  say: (text: string) => void,
): Promise<StartResults> {
  const keyFile = `${file}.key`; // kept with the store, whose signing keys it encrypts
  if (!existsSync(keyFile)) writeFileSync(keyFile, randomBytes(32).toString('base64'), { mode: 0o600 });
  const starts: number[] = [];
  const sizes: number[] = [];
  for (let run = 0; run <= runs; run++) {
    say(run === 0 ? 'Starting once, to have the code compiled …' : `Starting, ${run} of ${runs} …`);
    const port = await freePort();
    const started = performance.now();
    const flags = [
      'serve',
      '--port',
      String(port),
      '--store',
      `sqlite:${file}`,
      '--log',
      'off',
      '--authorization-server',
      'off',
    ];
    const server = spawn(process.execPath, [command, ...flags], { stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = once(server, 'exit');
    try {
      await answered(`http://127.0.0.1:${port}/r4/${partition}/metadata`, () => server.exitCode === null);
      const milliseconds = performance.now() - started;
      await sleep(idleAfter);
      if (run > 0) {
        starts.push(milliseconds);
        sizes.push(residentOf(server.pid ?? 0));
      }
    } finally {
      server.kill('SIGTERM');
      await ended;
    }
  }
  return { start: median(starts), resident: median(sizes) };
}

export async function answered(url: string, isRunning: () => boolean): Promise<void> {
  while (isRunning()) {
    const response = await fetch(url).catch(() => undefined);
    await response?.text();
    if (response?.status === 200) return;
    await sleep(5);
  }
  throw new Error('The server ended before it answered');
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Bytes of a process in memory. */
function residentOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
}
