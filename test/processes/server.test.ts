// A server of several processes: src/processes/README.md.
import type { ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { readEvents } from '../../src/audit/read-events.ts';
import { ChainedLog } from '../../src/audit/log/log.ts';
import { readConfig } from '../../src/config/read.ts';
import { root } from '../cli/process.ts';
import { requireModel as load } from '../../src/engine/definitions/load-model.ts';
import { createLog } from '../../src/observability/log.ts';
import { startProcesses } from '../../src/processes/parent.ts';
import { chart } from '../support/chart.ts';
import { freePort } from '../support/free-port.ts';
import { requireModel as shared } from '../support/loaded-once.ts';
import { media } from '../support/media.ts';
import { patient } from '../support/resources.ts';
import { newStorePlace } from '../support/store-place.ts';
import { runs, serveSeveral } from './support/server.ts';
import type { Client, SeveralProcesses } from './support/server.ts';

let server: SeveralProcesses;
let [first, second]: [Client, Client] = [undefined!, undefined!];

async function start(flags: readonly string[] = [], parts: Parameters<typeof serveSeveral>[2] = {}): Promise<void> {
  server = await serveSeveral([patient('p1')], flags, parts);
  await connect();
}

/** Two clients, one of each child. */
async function connect(): Promise<void> {
  [first, second] = [server.client(), server.client()];
  await first.ask('GET', '//healthz');
  await second.ask('GET', '//healthz');
}

const disconnect = (): void => [first, second].forEach(client => client.close());

const picture = (): object => media({ subject: { reference: 'Patient/p1' } });

describe('two processes', () => {
  beforeAll(() => start(['--metrics-port', '0']));
  beforeEach(async () => {
    await vi.waitUntil(() => server.running.children().length === 2, { timeout: 20_000 });
    await connect();
  });
  afterEach(disconnect);
  afterAll(() => server.close());

  it('serve metrics that are the sum of both, and never decrease when processes end', async () => {
    const scraped = async (): Promise<string> =>
      (await fetch(`http://127.0.0.1:${server.running.metricsPort}/metrics`)).text();
    const reads = (count: number): string =>
      `crs_requests_total{interaction="read",type="Patient",status="200"} ${count}`;
    for (const client of [first, first, second]) await client.ask('GET', '/Patient/p1');
    await expect.poll(scraped).toContain(reads(3));
    expect(await scraped()).toMatch(/^crs_build_info\{version="[^"]+"\} 1$/m);
    for (const pid of server.running.children()) process.kill(pid, 'SIGKILL');
    await expect.poll(() => server.notices.filter(text => text.includes('has ended (SIGKILL)'))).toHaveLength(2);
    expect(await scraped()).toContain(reads(3));
    await expect.poll(() => server.running.children()).toHaveLength(2);
    first = server.client();
    await first.ask('GET', '/Patient/p1');
    first.close();
    await server.running.restart(); // which loses nothing, without a scrape
    const text = await scraped();
    expect(text).toContain(reads(4));
    expect(text).toContain('crs_request_duration_seconds_bucket{le="+Inf",interaction="read"} 4');
    expect(text).toMatch(/^crs_queue_length\{queue="requests"\} 0$/m);
  });

  it('store audit events of all requests, in the files of the parent', async () => {
    await first.ask('GET', '/Patient/p1');
    await second.ask('GET', '/Patient/p1');
    await first.ask('POST', '/Media', picture());
    const { chains } = server.running.engine.store;
    const events = async (): Promise<number> => {
      let count = 0;
      for await (const _ of readEvents(new ChainedLog(chains, Date.now))) count += 1;
      return count;
    };
    await expect.poll(events).toBeGreaterThanOrEqual(4); // two reads, the begin and the end of a write
    expect(await chains.chains()).toHaveLength(1);
  });

  it('replace one that was killed, while the other one answers', async () => {
    const before = server.running.children();
    // The end of an earlier connection may not be known yet: of eight, each child has some.
    const clients = Array.from({ length: 8 }, () => server.client());
    for (const client of clients) await client.ask('GET', '//healthz');
    process.kill(before[0] ?? 0, 'SIGKILL');
    const answers = await Promise.allSettled(clients.map(client => client.ask('GET', '/Patient/p1')));
    for (const client of clients) client.close();
    // Its own running requests may fail, those of the other one do not.
    expect(answers.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(1);
    await expect.poll(() => server.running.children().filter(pid => !before.includes(pid))).toHaveLength(1);
    expect(server.running.children()).toHaveLength(2);
    expect(server.notices.join()).toContain('has ended (SIGKILL) and is replaced');
    for (let n = 0; n < 4; n++) {
      const client = server.client();
      expect((await client.ask('GET', '/Patient/p1')).status).toBe(200);
      client.close();
    }
  });

  it('are restarted one after the other without losing a request', async () => {
    const before = server.running.children();
    const over = new AbortController();
    const pictures = async (): Promise<number> =>
      (await (await server.running.engine.store.partition('demo'))?.count('Media')) ?? NaN;
    const picturesBefore = await pictures();
    const statuses = new Map<number, number>();
    const load = async (ask: () => Promise<{ readonly status: number }>): Promise<void> => {
      while (!over.signal.aborted) {
        const { status } = await ask();
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        await delay(2); // a restart under full load shows no more, and takes longer
      }
    };
    const once = async (): Promise<{ readonly status: number }> => {
      const client = server.client();
      const answer = await client.ask('GET', '/Patient/p1');
      client.close();
      return answer;
    };
    const running = [
      ...[first, second, server.client()].map(client => load(() => client.ask('GET', '/Patient/p1'))),
      ...[server.client(), server.client()].map(client => load(() => client.ask('POST', '/Media', picture()))),
      load(once),
    ];
    await server.running.restart();
    over.abort();
    await Promise.all(running); // rejects if a connection was lost
    expect([...statuses.keys()].toSorted((a, b) => a - b)).toEqual([200, 201]);
    const after = server.running.children();
    expect(after).toHaveLength(2);
    expect(after.filter(pid => before.includes(pid))).toEqual([]);
    await expect.poll(() => before.some(runs)).toBe(false);
    expect((await pictures()) - picturesBefore).toBe(statuses.get(201));
  });

  it('end with their parent, after their running requests', async () => {
    const children = server.running.children();
    const answers = [first, second].map(client => client.ask('POST', '/Media', picture()));
    await Promise.all(answers);
    await server.running.close();
    expect(children.some(runs)).toBe(false);
  });
});

describe('two processes with definitions of a test', () => {
  let definitions: string;
  beforeEach(() => {
    definitions = join(mkdtempSync(join(tmpdir(), 'processes-')), 'definitions');
    mkdirSync(join(definitions, 'capability'), { recursive: true });
  });
  afterEach(async () => {
    await server.close();
    rmSync(definitions, { recursive: true, force: true });
  });

  it('let one read at once what the other one has created and updated', async () => {
    await start(['--definitions', join(root, 'test/fixtures/ninth-type')], { load });
    const qualification = [{ code: { text: 'MD' } }];
    let clients = [first, second] as const;
    for (let n = 0; n < 10; n++) {
      const [writer, reader] = clients;
      const body = { resourceType: 'Practitioner', name: [{ family: `Roy${n}` }], qualification };
      const { status, location = '' } = await writer.ask('POST', '/Practitioner', body);
      expect(status).toBe(201);
      const id = /\/Practitioner\/([^/]+)\//.exec(location)?.[1] ?? '';
      expect((await reader.ask('GET', `/Practitioner?name=Roy${n}`)).text).toContain(id);
      const name = [{ family: `Tremblay${n}` }];
      expect((await writer.ask('PUT', `/Practitioner/${id}`, { ...body, id, name })).status).toBe(200);
      expect((await reader.ask('GET', `/Practitioner/${id}`)).text).toContain(`Tremblay${n}`);
      clients = [reader, writer];
    }
  });

  it('apply in all of them when a reload and a rollback are reported as done', async () => {
    await start(['--definitions', definitions], { load });
    const statuses = async (): Promise<readonly number[]> =>
      Promise.all([first, second].map(async client => (await client.ask('GET', '/Practitioner?name=a')).status));
    expect(await statuses()).toEqual([405, 405]); // only the own one is read
    cpSync(join(root, 'test/fixtures/ninth-type'), definitions, { recursive: true });
    expect((await server.running.definitions.reload()).kind).toBe('changed');
    expect(await statuses()).toEqual([200, 200]);
    expect((await server.running.definitions.rollback()).kind).toBe('changed');
    expect(await statuses()).toEqual([405, 405]);
    for (const client of [first, second]) client.close(); // a restart waits for idle connections
    await server.running.restart();
    expect(await statuses()).toEqual([405, 405]);
  });
});

it('one that is being replaced follows a reload too', async () => {
  const definitions = join(mkdtempSync(join(tmpdir(), 'processes-')), 'definitions');
  mkdirSync(join(definitions, 'capability'), { recursive: true });
  await start(['--definitions', definitions, '--keep-alive', '10'], { load });
  const before = server.running.children();
  const restarted = server.running.restart();
  await expect.poll(() => server.running.children().filter(pid => before.includes(pid))).toHaveLength(1);
  cpSync(join(root, 'test/fixtures/ninth-type'), definitions, { recursive: true });
  expect((await server.running.definitions.reload()).kind).toBe('changed');
  // One of these connections is of the process that is being replaced.
  for (const client of [first, second]) expect((await client.ask('GET', '/Practitioner')).status).toBe(200);
  for (const client of [first, second]) client.close();
  await restarted;
  await server.close();
  rmSync(definitions, { recursive: true, force: true });
});

it.skipIf(process.platform === 'win32')(
  'one with a defect completes its requests, and is replaced (no signals on Windows)',
  async () => {
    await start([], { program: fileURLToPath(new URL('./support/failing-child.ts', import.meta.url)) });
    const before = server.running.children();
    for (const pid of before) process.kill(pid, 'SIGWINCH');
    await expect.poll(() => server.running.children().filter(pid => before.includes(pid))).toEqual([]);
    await expect.poll(() => server.running.children()).toHaveLength(2);
    expect((await server.client().ask('GET', '/Patient/p1')).status).toBe(200);
    expect(server.notices.join()).toContain('ends after an error');
    await server.close();
  },
);

it.skipIf(process.platform === 'win32')(
  'answers nothing before all have started: an end in order is possible only then (no signals on Windows)',
  async () => {
    const port = await freePort();
    const forked: ChildProcess[] = [];
    const place = await newStorePlace();
    const flags = [
      '--port',
      String(port),
      '--store',
      place.url,
      '--access',
      'open',
      '--processes',
      '2',
      '--log',
      'off',
    ];
    const starting = startProcesses(readConfig(flags), createLog('off'), {
      load: shared,
      forked(child) {
        forked.push(child);
        if (forked.length === 2) child.kill('SIGSTOP');
      },
    });
    await expect.poll(() => forked.length, { timeout: 10_000 }).toBe(2);
    const answered = fetch(`http://127.0.0.1:${port}/readyz`).then(({ status }) => status);
    const first = await Promise.race([answered, delay(3_000, 'none')]); // a process starts in one
    forked[1]?.kill('SIGCONT');
    const running = await starting;
    expect(await answered).toBe(200);
    await running.close();
    await place.remove();
    expect(first).toBe('none');
  },
);

it('one that is killed while it starts is reported as what it is, and not during an end', async () => {
  let kill = 0;
  await start([], {
    forked(child) {
      if (kill > 0) child.kill('SIGKILL');
      kill -= 1;
    },
  });
  kill = 1;
  process.kill(server.running.children()[0] ?? 0, 'SIGKILL');
  await expect.poll(() => server.notices.join()).toContain('It is tried again.');
  await expect.poll(() => server.running.children()).toHaveLength(2);
  expect(server.notices.slice(-2)).toEqual([
    expect.stringContaining('has ended (SIGKILL) and is replaced'),
    'A process did not start: SIGKILL. It is tried again.',
  ]);
  kill = 1;
  await server.running.restart();
  expect(server.notices.at(-1)).toContain('restart of the processes has failed: A process did not start: SIGKILL.');
  const count = server.notices.length;
  const restarted = server.running.restart();
  await server.close();
  await restarted;
  expect(server.notices.slice(count)).toEqual([]);
});

it('a start fails with the reason of a process that cannot start', async () => {
  await expect(serveSeveral([], ['--tls-cert', 'none.pem', '--tls-key', 'none.pem'])).rejects.toThrow('none.pem');
});

it('a transaction of many records is written whole, though their parent writes it', async () => {
  const several = await serveSeveral([], ['--interface', 'r4']);
  onTestFinished(() => several.close());
  const client = several.client();
  const { status } = await client.ask('POST', '', chart('whole', 3_000));
  const count = await client.ask('GET', '/Observation?_summary=count');
  expect([status, count.text]).toEqual([200, expect.stringContaining('"total":3000')]);
}, 60_000);
