import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parseShortEvent } from '../../src/audit/short-event.ts';
import { openBackupSource } from '../../src/store/backup/open.ts';
import { bytesPath, hasBytes } from '../../src/store/files/attachments.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { bytesOf, digestOf } from '../store/support/bytes-of.ts';
import { media, png, sha1 } from '../support/media.ts';
import { inOneProcess } from './one-process.ts';
import { launch } from './process.ts';
import { auditOf } from '../support/audit-of.ts';

const rounds = Number(process.env['CRS_TEST_BACKUPS'] ?? 2);
const child = fileURLToPath(new URL('transactions-child.ts', import.meta.url));

const run = inOneProcess();

/** Two processes write at full speed: a server that gets creates, and one that writes transactions beside it. */
it(
  `${rounds} backups beside writes at full speed have all that was acknowledged before, and nothing half`,
  { timeout: 60_000 + rounds * 60_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'backup-beside-'));
    const file = join(folder, 'records.sqlite');
    const store = ['--store', `sqlite:${file}`];
    expect((await run(['partition', 'add', 'demo', ...store])).code).toBe(0);
    const server = launch(['serve', '--port', '0', '--access', 'open', '--log', 'off', ...store]);
    const [, port = ''] = await server.until(/http:\/\/127\.0\.0\.1:(\d+)/);
    const created = new Map<string, string>(); // digests by id
    const transactions = launchTransactions(`sqlite:${file}`);
    let previous = '';
    try {
      await expect.poll(() => transactions.last()).toBeGreaterThan(0);
      for (let round = 0; round < rounds; round += 1) {
        const stopping = new AbortController();
        const creates = [0, 1, 2, 3].map(at => createAll(Number(port), `${round}-${at}`, created, stopping.signal));
        transactions.resume();
        // However slow the machine, both have written more since the last backup.
        const [creations, last] = [created.size, transactions.last()];
        await expect.poll(() => created.size > creations && transactions.last() > last, { interval: 5 }).toBe(true);
        const before: Acknowledged = { created: new Map(created), transaction: transactions.last() };
        const backup = join(folder, `backup-${round}`);
        const incremental = round % 2 === 1 ? ['--incremental', previous] : [];
        const running = launch(['backup', backup, ...incremental, ...store]);
        // Both write on while attachments are copied; not for ever, or on a slow machine each backup would take longer.
        await expect.poll(() => running.stderr(), { interval: 5 }).toMatch(/ database$/m);
        const goal = { created: created.size + 100, transaction: transactions.last() + 50 };
        const isPassed = (): boolean => created.size >= goal.created && transactions.last() >= goal.transaction;
        await expect.poll(isPassed, { interval: 5 }).toBe(true);
        stopping.abort();
        await Promise.all(creates);
        transactions.pause();
        expect([await running.ended, running.stdout()]).toEqual([0, expect.stringContaining('verified, 0 findings')]);

        const restored = join(folder, `restored-${round}`, 'records.sqlite');
        expect(await run(['restore', backup, '--store', `sqlite:${restored}`])).toMatchObject({ code: 0 });
        checkRecords(restored, before);
        await checkEvents(restored, before);
        if (round < rounds - 1) await rm(join(folder, `restored-${round}`), { recursive: true });
        previous = backup;
      }
    } finally {
      await transactions.kill();
      server.process.kill('SIGTERM');
      await server.ended;
    }

    // The indexes of the last one have what its records say.
    const last = ['--store', `sqlite:${join(folder, `restored-${rounds - 1}`, 'records.sqlite')}`];
    for (const command of [['verify'], ['index', 'verify', '--partition', 'demo']])
      expect(await run([...command, ...last])).toMatchObject({ code: 0 });
    await rm(folder, { recursive: true });
  },
);

interface Transactions {
  /** The number of the last one that was acknowledged. */
  last(): number;
  pause(): void;
  resume(): void;
  kill(): Promise<unknown>;
}

/** Transactions of a process of its own. */
function launchTransactions(url: string): Transactions {
  const running = spawn(process.execPath, [child, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  let last = -1;
  let rest = '';
  running.stdout.on('data', (text: Buffer) => {
    const lines = (rest + text.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) last = Number(line.slice('done '.length));
  });
  const ended = once(running, 'close');
  return {
    last: () => last,
    pause: () => running.kill('SIGSTOP'),
    resume: () => running.kill('SIGCONT'),
    kill() {
      running.kill('SIGKILL');
      return ended;
    },
  };
}

interface Acknowledged {
  /** The digest of the bytes of each record, by its id. */
  readonly created: ReadonlyMap<string, string>;
  /** The last transaction. */
  readonly transaction: number;
}

/** Creates one record after another until the signal says so; those that are acknowledged are noted. */
async function createAll(
  port: number,
  worker: string,
  created: Map<string, string>,
  signal: AbortSignal,
): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  for (let number = 0; !signal.aborted; number += 1) {
    const bytes = Buffer.concat([png(), Buffer.from(`${worker}-${number}`)]);
    const body = JSON.stringify(
      media({ subject: { reference: 'Patient/counter' } }, { data: bytes.toString('base64'), hash: sha1(bytes) }),
    );
    const { status, location } = await post(agent, port, body);
    expect(status).toBe(201);
    const id = /\/Media\/([^/]+)/.exec(location)?.[1] ?? '';
    created.set(id, createHash('sha256').update(bytes).digest('hex'));
  }
  agent.destroy();
}

async function post(
  agent: Agent,
  port: number,
  body: string,
): Promise<{ status: number | undefined; location: string }> {
  const headers = { 'Content-Type': 'application/fhir+json' };
  const sent = request({ agent, port, host: '127.0.0.1', method: 'POST', path: '/r4/demo/Media', headers });
  const answer = once(sent, 'response');
  sent.end(body);
  const [response] = await answer;
  response.resume();
  await once(response, 'end');
  return { status: response.statusCode, location: response.headers.location ?? '' };
}

/** Looks at the files of a restored store. */
function checkRecords(file: string, { created, transaction }: Acknowledged): void {
  const database = openDatabase(file, 'immutable');
  const carried = new Map(
    database
      .all(
        `SELECT id, a.digest, a.n, a.size FROM resources JOIN types USING (t)
         LEFT JOIN attachments a USING (t, id, version) WHERE type = 'Media'`,
      )
      .map(([id, digest, n, size]) => [String(id), { digest: String(digest), n: Number(n), size: Number(size) }]),
  );
  const counter = database.get(`SELECT text FROM resources WHERE id = 'counter'`)?.[0];
  database.close();
  // Nothing half: every record has its bytes, and of each transaction there is all or nothing.
  for (const { digest, n, size } of carried.values()) expect(hasBytes(bytesPath(file, n, digest), size)).toBe(true);
  const last = Number(/"value":"(\d+)"/.exec(String(counter))?.[1]);
  const expected = Array.from({ length: last + 1 }, (_, number) => [`t${number}-a`, `t${number}-b`]).flat();
  expect([...carried.keys()].filter(id => /^t\d+-/.test(id)).toSorted()).toEqual(expected.toSorted());
  for (const name of expected) expect(carried.get(name)?.digest).toBe(digestOf(bytesOf(name)));
  // All that was acknowledged.
  expect(last).toBeGreaterThanOrEqual(transaction);
  for (const [id, digest] of created) expect(carried.get(id)?.digest).toBe(digest);
}

/** Each acknowledged write has the event of its begin, and the one of its end. */
async function checkEvents(file: string, { created }: Acknowledged): Promise<void> {
  const source = await openBackupSource(`sqlite:${file}`);
  const [begun, ended] = [new Map<string, string>(), new Set<string>()];
  for await (const { text } of auditOf(source).list()) {
    const event = parseShortEvent(text);
    if (event?.target?.startsWith('Media/') === true && event.status === undefined) begun.set(event.target, event.id);
    for (const id of event?.begun ?? []) if (event?.status === 201) ended.add(id);
  }
  source.close();
  for (const id of created.keys()) expect(ended.has(begun.get(`Media/${id}`) ?? '')).toBe(true);
}
