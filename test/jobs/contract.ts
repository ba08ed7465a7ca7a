// Jobs on a store that two processes use: one works on a job at a time, and another goes on after it.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fhirError } from '../../src/fhir/error.ts';
import { JobFolder } from '../../src/jobs/folder.ts';
import type { JobOwner, JobRecord } from '../../src/jobs/job.ts';
import { JobRecords, TooManyJobs } from '../../src/jobs/records.ts';
import { JobRunner } from '../../src/jobs/runner.ts';
import type { JobKind, JobWork, RunnerParts } from '../../src/jobs/runner.ts';
import { host } from '../../src/store/server/host.ts';
import type { Place } from '../support/store-place.ts';
import { twoStores } from '../support/two-stores.ts';
import type { TwoStores } from '../support/two-stores.ts';

const owner: JobOwner = { partition: 'clinic', issuer: 'here', client: 'app' };

export function jobsContract(newPlace: () => Promise<Place>): void {
  let two: TwoStores;
  let root: string;
  let records: readonly [JobRecords, JobRecords];
  const runners: JobRunner[] = [];
  const faults: unknown[] = [];

  beforeAll(async () => {
    two = await twoStores(newPlace);
    root = await mkdtemp(join(tmpdir(), 'crs-jobs-'));
    const now = (): number => two.clock.now;
    records = [new JobRecords(two.stores[0], now), new JobRecords(two.stores[1], now)];
  });
  afterAll(async () => {
    await Promise.all(runners.map(runner => runner.close()));
    await two.close();
    await rm(root, { recursive: true, force: true });
  });

  const runner = (which: 0 | 1, kinds: readonly JobKind[], parts: Partial<RunnerParts> = {}): JobRunner => {
    const made = new JobRunner({
      records: records[which],
      folder: new JobFolder(root, 0),
      kinds,
      keep: 60_000,
      now: () => two.clock.now,
      fault: error => faults.push(error),
      silence: 1_500,
      ...parts,
    });
    runners.push(made);
    return made;
  };
  const start = (kind: string, task: unknown = {}): Promise<JobRecord> =>
    records[0].start({ kind, owner: { ...owner, client: kind }, task }, 5);
  const until = async (id: string, is: (job: JobRecord | undefined) => boolean): Promise<JobRecord | undefined> => {
    for (;;) {
      const job = await records[1].get(id);
      if (is(job)) return job;
      await rest(20);
    }
  };
  const isDone = (job: JobRecord | undefined): boolean => job?.state === 'done';

  /** Writes `lines` lines, and notes each ten; `at` is called before each of these notes. */
  const counting = (name: string, lines: number, at: (work: JobWork, line: number) => Promise<void>): JobKind => ({
    name,
    async run(work) {
      const { line: from, bytes } = (work.job.mark ?? { line: 0, bytes: 0 }) as { line: number; bytes: number };
      const file = await work.folder.open(work.job.id, 'lines', bytes);
      if (file === undefined) throw new Error('The file is gone');
      try {
        for (let line = from; line < lines; line += 10) {
          await at(work, line);
          for (let next = line; next < line + 10; next++) await file.add(`${next}\n`);
          const kept = await file.flush();
          await work.keep({ mark: { line: line + 10, bytes: kept }, progress: `${line + 10}`, files: [] });
        }
      } catch (error) {
        await file.close();
        throw error;
      }
      const size = await file.finish();
      const mark = { line: lines, bytes: size };
      await work.keep({ mark, progress: 'all', files: [{ name: 'lines', bytes: size, about: 'x' }] });
      return { lines };
    },
  });
  const linesOf = (id: string): readonly string[] =>
    readFileSync(join(root, id, 'lines'), 'utf8')
      .trimEnd()
      .split('\n');
  const numbers = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `${at}`);

  it('are done once, by one of two processes, with a file for its owner only', async () => {
    const at: number[] = [];
    const kind = counting('once', 50, async (_, line) => void at.push(line));
    const [one] = [runner(0, [kind]), runner(1, [kind])];
    const { id } = await start('once');
    one?.wake();
    const job = await until(id, isDone);
    expect(job).toMatchObject({ result: { lines: 50 }, files: [{ name: 'lines', about: 'x' }], attempts: 0 });
    expect(job?.lease).toBeUndefined();
    expect(at).toEqual([0, 10, 20, 30, 40]);
    expect(linesOf(id)).toEqual(numbers(50));
    expect(job?.files[0]?.bytes).toBe(statSync(join(root, id, 'lines')).size);
    expect([statSync(join(root, id)).mode & 0o777, statSync(join(root, id, 'lines')).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
  });

  it('go on from the last mark when their process ends in order, or is killed, or its host is silent', async () => {
    const work = Promise.withResolvers<void>();
    const first = runner(0, [
      counting('moved', 50, async ({ signal }, line) => {
        if (line < 20) return;
        work.resolve();
        await new Promise(resolve => signal.addEventListener('abort', resolve));
      }),
    ]);
    const { id } = await start('moved');
    first.wake();
    await work.promise;
    await first.close();
    const left = await records[0].get(id);
    expect(left).toMatchObject({ state: 'active', mark: { line: 20 } });
    expect(left?.lease).toBeUndefined();
    const dead = { runner: 'dead', host, pid: 2 ** 22 + 1, beat: 7 };
    if (left !== undefined) await records[0].replace(left, { ...left, lease: dead });
    const lines: number[] = [];
    const note = async (_: JobWork, line: number): Promise<void> => void lines.push(line);
    runner(1, [counting('moved', 50, note)]);
    await until(id, isDone);
    expect(lines[0]).toBe(20);
    expect(linesOf(id)).toEqual(numbers(50));

    const silent = await start('silent');
    await records[0].replace(silent, { ...silent, lease: { ...dead, host: 'elsewhere' } });
    runner(1, [counting('silent', 10, async () => {})]);
    await until(silent.id, isDone);
  });

  it('end when they are removed, and leave no file', async () => {
    const begun = Promise.withResolvers<JobWork>();
    const kind: JobKind = {
      name: 'removed',
      async run(work) {
        const file = await work.folder.open(work.job.id, 'half', 0);
        begun.resolve(work);
        await new Promise(resolve => work.signal.addEventListener('abort', resolve));
        await file?.close();
        return 'nobody reads this';
      },
    };
    const { id } = await start('removed');
    runner(0, [kind]).wake();
    const { signal } = await begun.promise;
    expect(readdirSync(join(root, id))).toEqual(['half.partial']);
    await records[1].remove(id);
    await expect.poll(() => existsSync(join(root, id))).toBe(false);
    await expect.poll(() => signal.aborted).toBe(true);
    expect(await records[0].get(id)).toBeUndefined();
  });

  it('fail with what their kind threw, or after ten attempts without progress, and leave no file', async () => {
    const refused = await start('refused');
    runner(0, [
      {
        name: 'refused',
        async run({ job, folder }) {
          await (await folder.open(job.id, 'x', 0))?.finish();
          throw fhirError(403, 'forbidden', 'Not allowed');
        },
      },
    ]).wake();
    const job = await until(refused.id, one => one?.state === 'failed');
    expect(job?.failure).toMatchObject({ status: 403, issues: [{ text: 'Not allowed' }] });
    expect(existsSync(join(root, refused.id))).toBe(false);

    const broken = await start('broken');
    await records[0].replace(broken, { ...broken, attempts: 9 });
    runner(0, [{ name: 'broken', run: () => Promise.reject(new Error('a defect')) }]).wake();
    const failed = await until(broken.id, one => one?.state === 'failed');
    expect(failed?.failure).toMatchObject({ status: 500, issues: [{ code: 'exception' }] });
    expect(faults.map(error => (error as Error).cause)).toEqual([new Error('a defect')]);
    faults.length = 0;
  });

  it('are gone with their files when their time is over', async () => {
    const { id } = await start('over');
    runner(0, [counting('over', 10, async () => {})], { keep: 5_000 }).wake();
    const job = await until(id, isDone);
    expect(job?.expires).toBe((job?.ended ?? 0) + 5_000);
    two.clock.now += 5_000;
    expect(await records[0].get(id)).toBeUndefined();
    await expect.poll(() => existsSync(join(root, id))).toBe(false);
  });

  it('are at most so many of one client, however many processes start them', async () => {
    const attempts = await Promise.allSettled(
      Array.from({ length: 12 }, (_, at) => records[at % 2 === 0 ? 0 : 1].start({ kind: 'none', owner, task: at }, 3)),
    );
    const made = attempts.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []));
    expect(made).toHaveLength(3);
    const refused = attempts.flatMap(one => (one.status === 'rejected' ? [one.reason instanceof TooManyJobs] : []));
    expect(refused).toEqual(Array.from({ length: 9 }, () => true));
    await records[0].remove(made[0]?.id ?? '');
    await records[1].start({ kind: 'none', owner, task: 'again' }, 3);
    await expect(records[0].start({ kind: 'none', owner, task: 'more' }, 3)).rejects.toThrow(TooManyJobs);
  });

  it('of a client are removed with it', async () => {
    const theirs = { partition: 'ward', issuer: 'here', client: 'gone' };
    const job = await records[0].start({ kind: 'none', owner: theirs, task: {} }, 3);
    const other = await records[0].start({ kind: 'none', owner: { ...theirs, issuer: 'elsewhere' }, task: {} }, 3);
    await records[1].removeOf('here', 'gone');
    expect([await records[0].get(job.id), (await records[0].get(other.id))?.id]).toEqual([undefined, other.id]);
  });

  it('are not begun while the disk has less space than they must leave', async () => {
    const { id } = await start('full');
    const folder = new JobFolder(root, Number.MAX_SAFE_INTEGER);
    runner(0, [counting('full', 10, async () => {})], { folder }).wake();
    const job = await until(id, one => one?.state === 'failed');
    expect(job?.failure).toMatchObject({ status: 507, issues: [{ code: 'no-store' }] });
  });

  describe('their runners', () => {
    it('report nothing but defects', () => expect(faults).toEqual([]));
  });
}
