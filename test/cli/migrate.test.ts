import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everything, fillStore, moreDefinitions, open, partitionOf } from '../support/filled-store.ts';
import { inOneProcess } from './one-process.ts';
import { launchUntil } from './launch-until.ts';
import type { Ended } from './process.ts';

const run = inOneProcess();
let folder: string;
let source: string;
const place = (name: string): string => `sqlite:${join(folder, name)}`;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'migrate-'));
  source = place('source.sqlite');
  await fillStore(source, 200);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const migrate = (from: string, to: string, ...flags: string[]): Promise<Ended> =>
  run(['migrate', '--from', from, '--to', to, '--definitions', moreDefinitions, ...flags]);
const digestIn = (stdout: string): string | undefined => /Digest ([0-9a-f]{64})\./.exec(stdout)?.[1];

describe('migrate, from a file to a file', () => {
  let digest: string | undefined;

  it('copies everything, and prints a digest for each type', async () => {
    const { code, stdout, stderr } = await migrate(source, place('copy.sqlite'));
    expect([code, stderr.split('\n').filter(line => /error|at /i.test(line))]).toEqual([0, []]);
    digest = digestIn(stdout);
    expect(digest).toBeDefined();
    expect(stdout).toMatch(/^clinic\tPatient\t200\t206\t0\t0\t[0-9a-f]{64}$/m);
    expect(stdout).toMatch(/^clinic\tMedia\t3\t5\t2\t3005000\t[0-9a-f]{64}$/m);
    expect(stdout).toMatch(/^other\tLocation\t1\t2\t0\t0\t[0-9a-f]{64}$/m);
    expect(stdout).toContain('Both stores have the same content: 207 records');
    expect(await everything(place('copy.sqlite'))).toEqual(await everything(source));
  });

  it('leaves a store whose indexes and bytes are right', async () => {
    const at = ['--store', place('copy.sqlite'), '--definitions', moreDefinitions, '--partition', 'clinic'];
    expect(await run(['index', 'verify', ...at])).toMatchObject({ code: 0 });
    expect(await run(['index', 'status', ...at])).toMatchObject({ code: 0 });
    expect((await run(['verify', ...at])).stdout).toMatch(
      /checked, 0 findings\.\n2 attachments checked, 0 findings\.\nAudit log: 0 findings, 0 writes/,
    );
  });

  it('again changes nothing, and copies what has come since', async () => {
    const again = await migrate(source, place('copy.sqlite'));
    expect([again.code, digestIn(again.stdout)]).toEqual([0, digest]);
    const first = place('first.sqlite');
    await migrate(source, first);
    const store = await open(first, 'serve');
    const clinic = await partitionOf(store, 'clinic');
    await clinic.write([{ kind: 'remove', type: 'Patient', id: 'p3' }]);
    await store.close();
    const second = place('second.sqlite');
    expect((await migrate(first, second)).code).toBe(0);
    const later = await open(first, 'serve');
    await (await partitionOf(later, 'clinic')).write([{ kind: 'remove', type: 'Patient', id: 'p4' }]);
    await later.close();
    expect((await migrate(first, second)).code).toBe(0);
    expect(await everything(second)).toEqual(await everything(first));
  });

  it('copies what the definitions do not declare, and names it', async () => {
    const target = place('undeclared.sqlite');
    const { code, stdout } = await run(['migrate', '--from', source, '--to', target]);
    expect([code, digestIn(stdout)]).toEqual([0, digest]);
    expect(stdout).toContain(
      'Location is not declared by these definitions: its records were copied without index entries',
    );
    expect(await everything(target)).toEqual(await everything(source));
  });

  it('continues where it was killed, or stopped by Ctrl-C, which prints the progress', async () => {
    const [large, target] = [place('large.sqlite'), place('killed.sqlite')];
    await fillStore(large, 3_000);
    const stopped = /^Stopped( after [\d,]+ of [\d,]+ records)?\. The same command continues there\.$/m;
    for (const [after, signal, code, said] of [
      [1_000, 'SIGKILL', null, /^/],
      [1_000, 'SIGINT', 130, stopped],
    ] as const) {
      const child = launchUntil(signal, after, [
        'migrate',
        '--from',
        large,
        '--to',
        target,
        '--definitions',
        moreDefinitions,
      ]);
      expect([await child.ended, child.stderr()]).toEqual([code, expect.stringMatching(said)]);
    }
    const left = await copiedTo(target);
    expect(left).toBeLessThan(3_000);
    const { code, stdout } = await migrate(large, target);
    expect(code).toBe(0);
    expect(stdout).toContain('Continued an interrupted run.');
    expect(await everything(target)).toEqual(await everything(large));
    expect(
      (await run(['index', 'verify', '--store', target, '--definitions', moreDefinitions, '--partition', 'clinic']))
        .code,
    ).toBe(0);
  });

  it('prints the differences of each type, with exit code 3', async () => {
    const target = place('different.sqlite');
    await migrate(source, target);
    const store = await open(target, 'serve');
    await (await partitionOf(store, 'clinic')).write([{ kind: 'remove', type: 'Patient', id: 'p9' }]);
    await store.close();
    const { code, stdout } = await migrate(source, target);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^clinic\tPatient\t200\t206\t.*\tsource\nclinic\tPatient\t200\t207\t.*\ttarget$/m);
    expect(stdout).toMatch(/^clinic\tMedia\t3\t5\t2\t3005000\t[0-9a-f]{64}$/m);
    expect(stdout).toContain('The stores differ.');
  });

  it('refuses a target that holds other records, and changes nothing in it', async () => {
    const target = place('taken.sqlite');
    await fillStore(target, 3);
    const before = await everything(target);
    expect(await migrate(source, target)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The target has records that are not of this source (partition `clinic`)'),
    });
    expect(await everything(target)).toEqual(before);
  });

  it('refuses if a server uses one of the stores, unless a flag allows it', async () => {
    for (const [from, to, name] of [
      ['copy.sqlite', 'new.sqlite', 'source'],
      ['undeclared.sqlite', 'copy.sqlite', 'target'],
    ] as const) {
      // prettier-ignore
      const server = await open(place('copy.sqlite'), 'serve');
      const refused = await migrate(place(from), place(to));
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`A server uses the ${name}`) });
      await server.close();
    }
    const server = await open(place('copy.sqlite'), 'serve');
    expect((await migrate(place('copy.sqlite'), place('beside.sqlite'), '--beside-server')).code).toBe(0);
    await server.close();
  });

  it.each([
    [[], '`--from` and `--to` are missing.'],
    [['--from', 'sqlite:a', '--to', 'sqlite:./a'], '`--from` and `--to` name the same store.'],
    [['--from', 'a', '--to', 'sqlite:b'], '`--from` is `a`, but must be `sqlite:`'],
  ])('%j is a mistake', async (flags, text) => {
    expect(await run(['migrate', ...flags])).toMatchObject({ code: 2, stderr: expect.stringContaining(text) });
  });

  it('makes no target where there is no source', async () => {
    expect(await migrate(place('nothing.sqlite'), place('none.sqlite'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no store at'),
    });
    expect(existsSync(join(folder, 'none.sqlite'))).toBe(false);
  });
});

/** Patients that are in the first partition of a target so far. */
async function copiedTo(url: string): Promise<number> {
  try {
    const store = await open(url);
    const partition = await store.partition('clinic');
    const count = await partition?.count('Patient');
    await store.close();
    return count ?? 0;
  } catch {
    return 0; // it is being made
  }
}
