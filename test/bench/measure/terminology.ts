import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '../statistics.ts';
import { answered, freePort } from './start.ts';

/** One figure of code systems in the store, with its budget. */
export interface TerminologyRow {
  readonly name: string;
  readonly measured: number;
  readonly budget: number;
  readonly unit: 'ms' | 'concepts/s' | 'records/s' | 'times' | 'MiB';
}

/** Whether a figure is within its budget. */
export const isMet = ({ measured, budget, unit }: TerminologyRow): boolean =>
  unit.endsWith('/s') ? measured >= budget : measured <= budget;

const command = fileURLToPath(new URL('../../../src/start.js', import.meta.url));
const system = 'http://bench.example/codes';
const words = 'acute chronic severe left right upper lower heart lung kidney pain fever injury disorder finding'.split(
  ' ',
);

/** Writes a file of so many concepts with three parents each, which come before them. */
async function writeFile(path: string, concepts: number): Promise<void> {
  const file = createWriteStream(path);
  file.write('code,display,parent,status,kind\n');
  let seed = 1;
  const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % Math.max(1, below);
  for (let at = 0; at < concepts; at += 1) {
    const parents = at === 0 ? [] : [...new Set([1, 2, 3].map(() => next(Math.ceil(at / 2))))];
    const display = Array.from({ length: 5 }, () => words[next(words.length)]).join(' ');
    const status = at % 50 === 7 ? 'retired' : 'active';
    const above = parents.map(one => `c${one}`).join('|');
    const row = `c${at},"${display} ${at}",${above},${status},k${at % 20}\n`;
    if (!file.write(row)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}

/** Runs a command with a heap of 512 MB; returns the seconds that it took. */
async function run(...args: readonly string[]): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, ['--max-old-space-size=512', command, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`${args.slice(0, 2).join(' ')} ended with exit code ${code}`);
  return (performance.now() - started) / 1_000;
}

/** Loads a code system of so many concepts, and asks a server about it. Times are medians in milliseconds. */
export async function measureTerminology(
  concepts: number,
  rounds: number,
  say: (text: string) => void,
): Promise<readonly TerminologyRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-terminology-'));
  const store = ['--store', `sqlite:${join(folder, 'records.sqlite')}`, '--interface', 'r4'];
  try {
    const file = join(folder, 'codes.csv');
    await writeFile(file, concepts);
    await run('partition', 'add', 'bench', ...store);
    say(`Loading ${concepts.toLocaleString('en')} concepts …`);
    const seconds = await run('terminology', 'load', '--partition', 'bench', '--url', system, file, ...store);
    const port = await freePort();
    const flags = ['--port', String(port), '--access', 'open', '--authorization-server', 'off', '--log', 'off'];
    const server = spawn(process.execPath, [command, 'serve', ...flags, ...store], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(server, 'exit');
    try {
      const base = `http://127.0.0.1:${port}/r4/bench`;
      await answered(`${base}/metadata`, () => server.exitCode === null);
      say('Asking …');
      return [
        { name: 'load', measured: concepts / seconds, budget: 5_000, unit: 'concepts/s' },
        ...(await measureCalls(base, concepts, rounds)),
      ];
    } finally {
      server.kill('SIGTERM');
      await ended;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureCalls(base: string, concepts: number, rounds: number): Promise<readonly TerminologyRow[]> {
  const expand = (more: Readonly<Record<string, string>>, filter?: object): Promise<Response> => {
    const include = [{ system, ...(filter === undefined ? {} : { filter: [filter] }) }];
    const valueSet = { resourceType: 'ValueSet', status: 'active', compose: { include } };
    const parameter = [
      { name: 'valueSet', resource: valueSet },
      { name: 'count', valueInteger: 50 },
      ...Object.entries(more).map(([name, valueString]) =>
        name === 'offset' ? { name, valueInteger: Number(valueString) } : { name, valueString },
      ),
    ];
    return fetch(`${base}/ValueSet/$expand`, {
      method: 'POST',
      headers: { 'content-type': 'application/fhir+json' },
      body: JSON.stringify({ resourceType: 'Parameters', parameter }),
    });
  };
  const code = (at: number): string => `c${(at * 7_919 + 13) % concepts}`;
  const named = `system=${system}`;
  const calls: readonly (readonly [name: string, budget: number, call: (at: number) => Promise<Response>])[] = [
    ['page of 50 at any offset', 50, at => expand({ offset: String((at * 7_919) % concepts) })],
    ['filter by a word', 100, at => expand({ filter: words[at % words.length] ?? '' })],
    ['filter by two words', 100, at => expand({ filter: `${words[at % 7]} ${words[(at + 3) % 15]}` })],
    ['is-a with count', 100, at => expand({}, { property: 'concept', op: 'is-a', value: `c${at + 1}` })],
    ['a property with count', 100, at => expand({}, { property: 'kind', op: '=', value: `k${at % 20}` })],
    ['$validate-code', 20, at => fetch(`${base}/CodeSystem/$validate-code?url=${system}&code=${code(at)}`)],
    ['$subsumes', 20, at => fetch(`${base}/CodeSystem/$subsumes?${named}&codeA=c${at + 1}&codeB=${code(at)}`)],
    ['$lookup', 20, at => fetch(`${base}/CodeSystem/$lookup?${named}&code=${code(at)}`)],
  ];
  const rows: TerminologyRow[] = [];
  for (const [name, budget, call] of calls) {
    const times: number[] = [];
    for (let at = 0; at <= rounds; at += 1) {
      const started = performance.now();
      const answer = await call(at);
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`${name}: ${answer.status}`);
      if (at > 0) times.push(performance.now() - started);
    }
    rows.push({ name, measured: median(times), budget, unit: 'ms' });
  }
  return rows;
}
