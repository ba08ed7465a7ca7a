import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CommandError } from '../../src/cli/command.ts';
import { endOnSignals, interruptible } from '../../src/cli/interruption.ts';
import { StoreUnavailable } from '../../src/store/port/errors.ts';
import { launch, run } from './process.ts';
import type { Launched } from './process.ts';

describe('interruptible work', () => {
  let stopListening: () => void;
  beforeEach(() => (stopListening = endOnSignals('Stopped.')));
  afterEach(() => stopListening());
  const arrive = (signal: NodeJS.Signals): unknown => process.emit(signal, signal);

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'ends before the next step after %s, and its source in order',
    async signal => {
      const done: string[] = [];
      async function* source(): AsyncGenerator<number> {
        try {
          for (let number = 1; ; number++) yield number;
        } finally {
          await setImmediate();
          done.push('ended');
        }
      }
      let last = 0;
      const work = interruptible(
        () => `Stopped at ${last}.`,
        async ({ steps }) => {
          for await (last of steps(source())) if (last === 3) arrive(signal);
        },
      );
      await expect(work).rejects.toMatchObject({ message: 'Stopped at 3.', exitCode: 130 });
      expect(done).toEqual(['ended']);
    },
  );

  it('that was done meanwhile is done', async () => {
    const work = interruptible(
      () => 'Stopped.',
      async ({ steps, signal }) => {
        async function* source(): AsyncGenerator<number> {
          yield 1;
        }
        for await (const _ of steps(source()));
        arrive('SIGINT');
        return signal.aborted;
      },
    );
    expect(await work).toBe(true);
  });

  it('prints its progress if the store fails', async () => {
    const failure = new StoreUnavailable('no-store', '`a` could not be written. The disk is full.');
    const error = await interruptible(
      () => 'Stopped at 3. The same command continues there.',
      () => Promise.reject(failure),
    ).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CommandError);
    expect(error).toMatchObject({
      message: '`a` could not be written. The disk is full. Stopped at 3. The same command continues there.',
      exitCode: 1,
      cause: failure,
    });
  });
});

describe.skipIf(process.platform === 'win32')('a command that a signal stops (Windows has none)', () => {
  let folder: string;
  let path: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'interruption-'));
    path = join(folder, 'records.sqlite');
    await run(['partition', 'add', 'clinic', '--store', `sqlite:${path}`]);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Patients with long names: a load looks for signals after each piece of a file that it has read. */
  const lines = (from: number, to: number): string =>
    Array.from(
      { length: to - from },
      (_, at) => `{"resourceType":"Patient","id":"p${from + at}","name":[{"text":"${'a'.repeat(1_000)}"}]}\n`,
    ).join('');
  const rejects = (): string => join(folder, 'rejects.ndjson');
  const load = (file: string): Launched => launch(['load', file, '--store', `sqlite:${path}`, '--rejects', rejects()]);

  /** Records in the store. */
  function kept(): number {
    const database = new DatabaseSync(path, { readOnly: true });
    const row = database.prepare('SELECT count(*) AS n FROM resources').get();
    database.close();
    return Number(row?.['n']);
  }

  /** Bytes of the audit log, in which a load is before it begins. */
  const audited = (): number =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(name => name.includes('.audit'))
      .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

  it('a load of files says how far it came, and the same command continues there', async () => {
    const file = join(folder, 'a.ndjson');
    writeFileSync(file, lines(0, 4_000));
    const before = audited();
    const lock = new DatabaseSync(path);
    lock.exec('BEGIN IMMEDIATE'); // it reads what it takes into memory, and then waits for this
    const loading = load(file);
    await expect.poll(audited).toBeGreaterThan(before);
    await setTimeout(200); // time to read some: without it the test proves less, and does not fail
    loading.process.kill('SIGINT');
    await setTimeout(200);
    lock.close();
    expect(await loading.ended).toBe(130);
    const [, records = '', what = ''] =
      /^Stopped\. ([\d,]+) records: (.*)\. The same command continues there\.$/m.exec(loading.stderr()) ?? [];
    expect([records, kept()]).toEqual([kept().toLocaleString('en-CA'), kept()]);
    expect(what).toBe(kept() === 0 ? 'nothing to do' : `${records} created`);
    expect(loading.stdout()).toBe('');

    const rest = await run(['load', file, '--store', `sqlite:${path}`, '--rejects', rejects()]);
    const left = (4_000 - Number(records.replace(',', ''))).toLocaleString('en-CA');
    const earlier = records === '0' ? '' : `${records} more were loaded by an earlier run.\n`;
    expect([rest.code, rest.stdout]).toEqual([0, `${left} records: ${left} created.\n${earlier}`]);
    expect(kept()).toBe(4_000);
  });

  it('a load of stdin keeps what came, and says that the same input goes through it again', async () => {
    const loading = load('-');
    loading.process.stdin?.on('error', () => {}).write(lines(4_000, 5_500)); // it may end before it has read all
    await expect.poll(kept).toBeGreaterThan(4_000); // and waits for more, which does not come
    loading.process.kill('SIGTERM');
    expect(await loading.ended).toBe(130);
    const records = (kept() - 4_000).toLocaleString('en-CA');
    expect(loading.stderr()).toContain(
      `Stopped. ${records} records: ${records} created. Run the same command with the same input ` +
        'again; loaded records stay unchanged.\n',
    );
  });

  it('another one says that it was stopped', async () => {
    const child = launch(['generate', '--patients', '1000000']);
    await child.until(/Patient/); // nothing reads more, so that it waits
    child.process.kill('SIGINT');
    expect(await child.ended).toBe(130);
    expect(child.stderr()).toBe('Stopped. The output is not complete; the same command writes all of it again.\n');
  });
});
