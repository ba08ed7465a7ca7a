// What clients send to a server with a heap of 512 MB: it answers all of it, never 500, and never ends.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { launch, run } from '../cli/process.ts';
import type { Launched } from '../cli/process.ts';
import { chart } from '../support/chart.ts';
import { freePort } from '../support/free-port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Connections that the server has at most: fewer than by default, so that silent ones fill them soon. */
const connections = 300;

/** How long a check of health may wait, in milliseconds; the long form fails beyond ten times that. */
const usualWait = 250;

/** The limit of memory in `src/cli/deploy/kubernetes.yaml`, in KiB. */
const mostMemory = 1024 * 1024;

const heap = { env: { NODE_OPTIONS: '--max-old-space-size=512' } };

/** How long a turn of the event loop may take, in milliseconds of processor time where the loop takes `usualLoop`. */
const usualTurn = 50;
const usualLoop = 60;

const all = process.env['CRS_TEST_OVERLOAD'] !== undefined;
const servers = ['r4', 'default'].flatMap(name => [[name, 1] as const, [name, 2] as const]);

interface Answer {
  readonly status: number;
  readonly text: string;
}

let port = 0;
let agent: Agent;

/** Sends a request to a path below the partition, or below the root if it begins with `//`. */
const send = (method: string, path: string, body?: object): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const target = path.startsWith('//') ? path.slice(1) : `/r4/demo${path}`;
    const headers = body === undefined ? {} : { 'Content-Type': 'application/fhir+json' };
    const sent = httpRequest({ agent, port, host: '127.0.0.1', method, path: target, headers }, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });

const bundle = (type: string, entry: readonly object[]) => ({ resourceType: 'Bundle', type, entry });
const times = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => make(n));
const batchOf = (url: string): Promise<readonly Answer[]> =>
  atOnce(1, () =>
    send(
      'POST',
      '',
      bundle(
        'batch',
        times(1_000, () => ({ request: { method: 'GET', url } })),
      ),
    ),
  );
const atOnce = (count: number, ask: (at: number) => Promise<Answer>): Promise<readonly Answer[]> =>
  Promise.all(times(count, ask));

const statusesIn = ({ status, text }: Answer): readonly string[] => [
  `${status}`,
  ...[...text.matchAll(/"response":\{"status":"(\d+)"/g)].map(([, found = '']) => found),
];

const pattern = `(?:${times(26, () => '.').join('|')}){4}!N`;
const regexSet = {
  resourceType: 'ValueSet',
  status: 'active',
  compose: {
    include: times(8, () => ({
      system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode',
      filter: [{ property: 'code', op: 'regex', value: pattern }],
    })),
  },
};
const observation = (at: number) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'a' },
  performer: [{ reference: `Patient?identifier=urn:example|${at % 60}` }],
});
const creates = times(1_000, at => ({
  resource: observation(at),
  request: { method: 'POST', url: 'Observation', ifNoneExist: `identifier=urn:example|${at}` },
}));
const afterStatements = [
  { resource: { resourceType: 'Patient' }, request: { method: 'POST', url: 'Patient' } },
  ...times(600, () => ({ request: { method: 'GET', url: 'metadata' } })),
];

const cases: readonly (readonly [string, () => Promise<readonly Answer[]>])[] = [
  ['1,000 capability statements in a batch', () => batchOf('metadata')],
  ['1,000 pages of long records in a batch', () => batchOf('Observation?_count=50')],
  ['1,000 searches of parts in a batch', () => batchOf('Observation?_count=1000&_elements=id')],
  ['1,000 histories in a batch', () => batchOf('_history?_count=200')],
  ['1,000 patients with everything in a batch', () => batchOf('Patient/$everything?_count=1000')],
  ['100 long pages at once', () => atOnce(100, () => send('GET', '/Observation?_count=1000'))],
  [
    '100 pages of included records at once',
    () => atOnce(100, () => send('GET', '/Patient?_count=1000&_revinclude=Observation:subject')),
  ],
  ['100 long histories at once', () => atOnce(100, () => send('GET', '/Observation/_history?_count=1000'))],
  ['100 capability statements at once', () => atOnce(100, () => send('GET', '/metadata?_pretty=true'))],
  ['50 OpenAPI descriptions at once', () => atOnce(50, () => send('GET', '/openapi.json'))],
  [
    'a transaction with 600 capability statements',
    () => atOnce(1, () => send('POST', '', bundle('transaction', afterStatements))),
  ],
  [
    'a transaction of 1,000 conditional creates',
    () => atOnce(1, () => send('POST', '', bundle('transaction', creates))),
  ],
  ['a transaction of 30,000 entries', () => atOnce(1, () => send('POST', '', chart('large', 30_000)))],
  ['20 transactions of 500 entries at once', () => atOnce(20, at => send('POST', '', chart(`one-${at}`, 500)))],
  ['expansions with a costly pattern', () => atOnce(4, () => send('POST', '/ValueSet/$expand', regexSet))],
  [
    'expansions of a large set',
    () => atOnce(20, () => send('GET', '/ValueSet/$expand?url=http://hl7.org/fhir/ValueSet/all-languages')),
  ],
  [
    '160 bodies with 60,000 mistakes',
    () => {
      const name = times(60_000, () => ({ use: 'x' }));
      return atOnce(160, () => send('POST', '/Patient', { resourceType: 'Patient', name }));
    },
  ],
];

/** Runs a command that must succeed. */
async function must(args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await run(args, heap);
  expect(code, `${args[0]}: ${stdout}${stderr}`).toBe(0);
}

/** Generated records, 40 observations with notes of 0.9 MB. */
async function longRecords(folder: string): Promise<string> {
  const [generated, chosen] = [join(folder, 'generated'), join(folder, 'records')];
  await must(['generate', '--patients', '10', '--out', generated]);
  mkdirSync(chosen);
  writeFileSync(join(chosen, 'Patient.ndjson'), readFileSync(join(generated, 'Patient.ndjson')));
  const lines = readFileSync(join(generated, 'Observation.ndjson'), 'utf8').split('\n').filter(Boolean).slice(0, 40);
  const long = lines.map(line => {
    const { encounter: _, ...record } = JSON.parse(line) as Record<string, unknown>;
    return JSON.stringify({ ...record, note: [{ text: 'x'.repeat(900_000) }] });
  });
  writeFileSync(join(chosen, 'Observation.ndjson'), long.join('\n'));
  return chosen;
}

/** The most memory that each of the processes below this one has had, in KiB; none where there is no `/proc`. */
function memoryOf(pid: number): readonly number[] {
  const own = `/proc/${pid}`;
  if (!existsSync(own)) return [];
  const [, peak] = /VmHWM:\s+(\d+)/.exec(readFileSync(`${own}/status`, 'utf8')) ?? [];
  const children = readFileSync(`${own}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return [Number(peak ?? 0), ...children.flatMap(child => memoryOf(Number(child)))];
}

describe.skipIf(!all).each(servers)('the interface %s with %i processes (CRS_TEST_OVERLOAD)', (name, processes) => {
  let server: Launched;
  let flags: readonly string[];
  let turns: string;
  beforeAll(async () => {
    const folder = mkdtempSync(join(temporaryFolder(), 'crs-overload-'));
    turns = join(folder, 'turns');
    const store = ['--store', `sqlite:${join(folder, 'a.sqlite')}`];
    flags = name === 'default' ? store : ['--interface', name, ...store];
    await must(['partition', 'add', 'demo', ...flags]);
    await must(['load', '--partition', 'demo', ...flags, await longRecords(folder)]);
    port = await freePort();
    agent = new Agent({ maxSockets: 160 });
    const loaded = `--import=${new URL('turns.js', import.meta.url).href}`;
    const measured = { env: { NODE_OPTIONS: `${heap.env.NODE_OPTIONS} ${loaded}`, TEST_TURNS: turns } };
    const open = ['--access', 'open', '--authorization-server', 'off', '--log', 'off'];
    const limits = ['--max-connections', `${connections}`, '--processes', `${processes}`];
    server = launch(['serve', '--port', `${port}`, ...flags, ...open, ...limits], measured);
    await server.until(/^Serves /m);
  }, 300_000);
  afterAll(async () => {
    agent.destroy();
    server.process.kill('SIGTERM');
    await server.ended;
  }, 60_000);

  /** The longest time that a check of health took while the work was done, in milliseconds. */
  async function longestWait(work: Promise<unknown>): Promise<number> {
    let longest = 0;
    const state = { isDone: false };
    const end = (): void => void (state.isDone = true);
    work.then(end, end);
    const checks = new Agent();
    onTestFinished(() => checks.destroy());
    while (!state.isDone) {
      const began = performance.now();
      await new Promise<void>((resolve, reject) => {
        httpRequest({ agent: checks, port, host: '127.0.0.1', path: '/healthz' }, response => {
          response.resume().on('end', resolve);
        })
          .on('error', reject)
          .end();
      });
      longest = Math.max(longest, performance.now() - began);
    }
    return longest;
  }

  /** The longest turn so far in units of `usualTurn`, by the calibrated loop of the same run. */
  function longestTurn(): number {
    const found = { loop: [0], turn: [0] };
    for (const [, kind = '', value = ''] of readFileSync(turns, 'utf8').matchAll(/^(loop|turn) ([\d.]+)/gm))
      found[kind as keyof typeof found].push(Number(value));
    return Math.max(...found.turn) / usualTurn / (Math.max(...found.loop) / usualLoop);
  }

  it.each(cases)('%s: answered, and never 500', { timeout: 300_000 }, async (what, ask) => {
    writeFileSync(turns, readFileSync(turns, 'utf8').replaceAll(/^turn.*\n/gm, ''));
    const work = ask();
    const wait = await longestWait(work);
    const statuses = [...new Set((await work).flatMap(statusesIn))].toSorted();
    const turn = longestTurn();
    console.log(
      `${name} ${processes}: ${what}: ${statuses.join(' ')}; /healthz ${wait.toFixed(0)} ms, turn ${turn.toFixed(1)}`,
    );
    expect(statuses.filter(status => status === '500' || status === '0')).toEqual([]);
    expect(wait).toBeLessThan(10 * usualWait);
    expect(turn).toBeLessThan(10);
    expect([server.process.exitCode, server.stderr()]).toEqual([null, expect.not.stringContaining('heap out of')]);
    for (const memory of memoryOf(server.process.pid ?? 0)) expect(memory).toBeLessThan(mostMemory);
  });

  it('silent connections make way', { timeout: 60_000 }, async () => {
    for (let at = 0; at < connections + 20; at += 1) {
      const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {});
      onTestFinished(() => void socket.destroy());
    }
    expect((await send('GET', '/Patient?_count=1')).status).toBe(200);
  });

  it('nothing was half written', { timeout: 300_000 }, async () => {
    expect((await send('GET', '/Patient?birthdate=ge1900&_summary=count')).text).toContain('"total":10');
    await must(['verify', ...flags]);
  });
});
