import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { newMongoPlace } from '../support/mongodb/place.ts';
import type { Place } from '../support/mongodb/place.ts';
import { inOneProcess } from './one-process.ts';
import { launch } from './process.ts';

const run = inOneProcess();

// A server without transactions cannot write several records at once: what needs that is refused, with the reason.

let folder: string;
let place: Place;
let store: string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lacks-'));
  place = await newMongoPlace();
  store = ['--store', place.url];
  await run(['partition', 'add', 'clinic', ...store]);
});
afterAll(async () => {
  await place.remove();
  await rm(folder, { recursive: true, force: true });
});

const { replicaSet, sharded } = inject('deployment');
const patient = (id: string): string => `{"resourceType":"Patient","id":"${id}"}`;
const put = (id: string): string => `{"resource":${patient(id)},"request":{"method":"PUT","url":"Patient/${id}"}}`;
const transaction = (...ids: readonly string[]): string =>
  `{"resourceType":"Bundle","type":"transaction","entry":[${ids.map(put).join(',')}]}`;

describe.skipIf(replicaSet || sharded)('a store without transactions (this server has them)', () => {
  it('loads records, and rejects a transaction of several with the reason', async () => {
    const lines = [patient('a'), transaction('b', 'c'), transaction('d'), patient('e')];
    const file = join(folder, 'records.ndjson');
    await writeFile(file, lines.join('\n'));
    const rejects = join(folder, 'rejects.ndjson');
    const { code, stdout } = await run(['load', file, '--rejects', rejects, ...store]);
    expect([code, stdout]).toEqual([3, expect.stringContaining('5 records: 3 created, 1 rejected.')]);
    const reject = JSON.parse(await readFile(rejects, 'utf8')) as {
      at: string;
      record: string;
      outcome: { issue: { code: string; diagnostics: string }[] };
    };
    expect([reject.at, reject.record]).toEqual(['line 2', lines[1]]);
    expect(reject.outcome.issue).toMatchObject([
      { code: 'not-supported', diagnostics: expect.stringContaining('replica set') },
    ]);
    const loaded = await run(['attachment', 'list', '--type', 'Patient', ...store]);
    expect([...loaded.stdout.matchAll(/^Patient\/(\w)\t/gm)].map(([, id]) => id)).toEqual(['a', 'd', 'e']);
  });

  it('says at the start of the server what it does not promise', async () => {
    const definitions = join(import.meta.dirname, '../fixtures/versioned');
    const server = launch(['serve', '--port', '0', '--access', 'open', '--definitions', definitions, ...store]);
    await server.until(/Serves/);
    server.process.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    const output = `${server.stdout()}${server.stderr()}`;
    expect(output).toMatch(/The store does not promise `several-at-once`: .*replica set/);
    expect(output).toMatch(/The store does not promise `commit-order`: /);
    expect(output).toMatch(/Transactions are declared, but not offered; batches are\. .*replica set/);
  });
});
