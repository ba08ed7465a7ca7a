import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everything, fillStore, moreDefinitions, open, partitionOf } from '../support/filled-store.ts';
import { newMongoPlace } from '../support/mongodb/place.ts';
import type { Place } from '../support/mongodb/place.ts';
import { inOneProcess } from './one-process.ts';
import { launchUntil } from './launch-until.ts';
import type { Ended } from './process.ts';
import { current } from '../store/support/current.ts';

const run = inOneProcess();
let folder: string;
let source: string;
let middle: Place;
const place = (name: string): string => `sqlite:${join(folder, name)}`;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'migrate-'));
  source = place('source.sqlite');
  await fillStore(source, 3_000);
  middle = await newMongoPlace();
});
afterAll(async () => {
  await middle.remove();
  await rm(folder, { recursive: true, force: true });
});

const definitions = ['--definitions', moreDefinitions];
const migrate = (from: string, to: string): Promise<Ended> =>
  run(['migrate', '--from', from, '--to', to, ...definitions]);
const digestIn = (stdout: string): string | undefined => /Digest ([0-9a-f]{64})\./.exec(stdout)?.[1];

// Each example continues from the one before.
describe('migrate, from a file to MongoDB and back', () => {
  let digest: string | undefined;

  it('copies all of it, killed in the middle', async () => {
    const child = launchUntil('SIGKILL', 1_000, ['migrate', '--from', source, '--to', middle.url, ...definitions]);
    expect(await child.ended).toBe(null);
    expect(await copiedTo(middle.url)).toBeLessThan(3_000);
    const { code, stdout, stderr } = await migrate(source, middle.url);
    expect([code, stderr.split('\n').filter(line => /error|at /i.test(line))]).toEqual([0, []]);
    expect(stdout).toContain('Continued an interrupted run.');
    expect(stdout).toMatch(/^clinic\tPatient\t3000\t3006\t0\t0\t[0-9a-f]{64}$/m);
    expect(stdout).toMatch(/^clinic\tMedia\t3\t5\t2\t3005000\t[0-9a-f]{64}$/m);
    digest = digestIn(stdout);
    expect(await everything(middle.url)).toEqual(await everything(source));
  });

  it('leaves a store whose indexes and bytes are right', async () => {
    const at = ['--store', middle.url, ...definitions, '--partition', 'clinic'];
    expect(await run(['index', 'verify', ...at])).toMatchObject({ code: 0 });
    expect((await run(['verify', ...at])).stdout).toMatch(
      /checked, 0 findings\.\n2 attachments checked, 0 findings\.\nAudit log: 0 findings, 0 writes/,
    );
  });

  it('comes back with the same digest', async () => {
    const target = place('back.sqlite');
    const { code, stdout } = await migrate(middle.url, target);
    expect([code, digestIn(stdout)]).toEqual([0, digest]);
    expect(await everything(target)).toEqual(await everything(source));
    const at = ['--store', target, ...definitions, '--partition', 'clinic'];
    expect(await run(['index', 'verify', ...at])).toMatchObject({ code: 0 });
    expect((await run(['verify', ...at])).stdout).toMatch(
      /checked, 0 findings\.\n2 attachments checked, 0 findings\.\nAudit log: 0 findings, 0 writes/,
    );
  });

  it('refuses where a server works on the database, or holds other records', async () => {
    const server = await open(middle.url, 'serve');
    expect(await migrate(middle.url, place('beside.sqlite'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('A server uses the source'),
    });
    expect(await migrate(source, middle.url)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('A server uses the target'),
    });
    await server.close();
    await fillStore(place('other.sqlite'), 3);
    expect(await migrate(place('other.sqlite'), middle.url)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The target has records that are not of this source'),
    });
  });

  it('prints no password', async () => {
    const { code, stdout, stderr } = await migrate(source, 'mongodb://user:secret@127.0.0.1:1/records');
    expect(code).toBe(1);
    expect(stdout + stderr).not.toContain('secret');
  });
});

/** Patients that are in the first partition of a target so far. */
async function copiedTo(url: string): Promise<number> {
  const store = await open(url).catch(() => undefined);
  try {
    const list = (await store?.partitions.list()) ?? [];
    if (store === undefined || !list.some(({ id }) => id === 'clinic')) return 0;
    let count = 0;
    for await (const _ of current(await partitionOf(store, 'clinic'), 'Patient')) count += 1;
    return count;
  } finally {
    await store?.close();
  }
}
