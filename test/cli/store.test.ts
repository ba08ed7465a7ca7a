import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { constants, getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inOneProcess } from './one-process.ts';
import { launch, root } from './process.ts';
import type { Ended } from './process.ts';

const run = inOneProcess();
let folder: string;
let store: string[];
let records: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-'));
  store = ['--store', `sqlite:${join(folder, 'records.sqlite')}`];
  records = (await run(['generate', '--patients', '5', '--seed', '3'])).stdout;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const cli = (...args: string[]): Promise<Ended> => run([...args, ...store]);

// The commands in the order of their use; each example continues the one before.
describe('the commands on a store', () => {
  it('partition: add, again, with another zone, list', async () => {
    expect(await cli('partition', 'add', 'clinic', '--zone', 'America/Toronto')).toMatchObject({
      code: 0,
      stdout: 'The partition `clinic` exists, with the time zone America/Toronto.\n',
    });
    expect((await cli('partition', 'add', 'clinic', '--zone', 'America/Toronto')).code).toBe(0);
    expect(await cli('partition', 'add', 'clinic')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('`clinic` exists with other settings'),
    });
    expect((await cli('partition', 'list')).stdout).toBe(
      'clinic\t0\tAmerica/Toronto\thttp://127.0.0.1:8080/r4/clinic\tclinic\n',
    );
  });

  it('partition: a display name is given, changed, taken away, and gone with the partition', async () => {
    const shown = async (): Promise<string> => (await cli('partition', 'list')).stdout.split('\n')[1] ?? '';
    await cli('partition', 'add', 'ward', '--name', 'The ward');
    expect(await shown()).toMatch(/^ward\t.*\tThe ward$/);
    await cli('partition', 'add', 'ward');
    expect(await shown()).toMatch(/\tThe ward$/);
    expect(await cli('partition', 'update', 'ward', '--name', 'Soins à domicile')).toMatchObject({
      code: 0,
      stdout: 'The partition `ward` is shown as Soins à domicile.\n',
    });
    expect(await shown()).toMatch(/\tSoins à domicile$/);
    await cli('partition', 'update', 'ward', '--no-name');
    expect(await shown()).toMatch(/\tward$/);
    await cli('partition', 'update', 'ward', '--name', 'Another');
    await cli('partition', 'remove', 'ward', '--yes');
    await cli('partition', 'add', 'ward');
    expect(await shown()).toMatch(/\tward$/);
    await cli('partition', 'remove', 'ward', '--yes');
    for (const args of [['nowhere', '--name', 'x'], ['clinic'], ['clinic', '--name', 'x\u0007']])
      expect((await cli('partition', 'update', ...args)).code).toBeGreaterThan(0);
  });

  it.each([
    ['load', '-'],
    ['delete', 'Patient/a'],
    ['index', 'rebuild'],
    ['partition', 'remove', 'clinic', '--yes'],
    ['partition', 'list'],
  ])('%s %s: makes no store where there is none', async (...args) => {
    const path = join(folder, 'mistyped', 'records.sqlite');
    expect(await run([...args, '--store', `sqlite:${path}`])).toMatchObject({
      code: 1,
      stderr: `There is no store at \`${path}\`.\n`,
    });
    expect(existsSync(join(folder, 'mistyped'))).toBe(false);
  });

  it('load: from stdin, then again without a change', async () => {
    const first = await run(['load', '--partition', 'clinic', '-', ...store], { input: records });
    expect(first.stderr).not.toMatch(/^\s+at /m);
    expect(first.code).toBe(0);
    const count = records.trimEnd().split('\n').length;
    expect((await cli('partition', 'list')).stdout).toMatch(new RegExp(`^clinic\t${count}\t`));
    const file = join(folder, 'records.ndjson');
    await writeFile(file, records);
    expect((await cli('load', '--partition', 'clinic', file)).code).toBe(0);
    expect((await cli('partition', 'list')).stdout).toMatch(new RegExp(`^clinic\t${count}\t`));
  });

  it('load: rejects what is no record, into a file, with exit code 3', async () => {
    const rejects = join(folder, 'rejects.ndjson');
    const input = '{"resourceType":"Patient","id":"good"}\n{"resourceType":"Patient","id":"bad","nmae":[]}\n';
    const { code, stdout } = await run(['load', '--partition', 'clinic', '--rejects', rejects, '-', ...store], {
      input,
    });
    expect(code).toBe(3);
    expect(stdout).toContain('1 rejected');
    expect(await readFile(rejects, 'utf8')).toContain('nmae');
  });

  it.skipIf(process.platform === 'win32')(
    'load: says why the store cannot write (ulimit is not on Windows)',
    async () => {
      const small = `sqlite:${join(folder, 'small.sqlite')}`;
      await run(['partition', 'add', 'clinic', '--store', small]);
      const command = ['src/start.js', 'load', '--store', small, '-'].join(' ');
      const script = `trap '' XFSZ; ulimit -f 200; exec '${process.execPath}' ${command}`;
      const { status, stderr } = spawnSync('bash', ['-c', script], { cwd: root, input: records, encoding: 'utf8' });
      expect(status).toBe(1);
      expect(stderr).toMatch(/small\.sqlite` could not be written\. The disk .+ \(SQLITE_\w+: .+\)\. \w.+\.$/m);
    },
  );

  it('load: says what is missing', async () => {
    expect((await cli('load', '--partition', 'nowhere', '-')).stderr).toContain(
      'There is no partition `nowhere`; there is clinic.',
    );
    expect(await cli('load', '--partition', 'clinic', join(folder, 'nothing'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nothing'),
    });
  });

  it('serve: reads what was loaded, also while another process loads and deletes', async () => {
    const server = launch(['serve', '--port', '0', '--log', 'off', '--access', 'open', ...store]);
    const [, url = ''] = await server.until(/Serves (http:\S+\/r4)/);
    const patient = await fetch(`${url}/clinic/Patient/p3-00001`);
    expect(patient.status).toBe(200);
    expect(patient.headers.get('etag')).toBe('W/"1"');

    expect(await cli('delete', 'Patient/good', '--partition', 'clinic')).toMatchObject({
      code: 0,
      stdout: 'Patient/good is deleted.\n',
    });
    expect((await fetch(`${url}/clinic/Patient/good`)).status).toBe(410);

    const loading = launch(['load', '--partition', 'clinic', '-', ...store]);
    loading.process.stdin?.write('{"resourceType":"Patient","id":"late"}\n');
    const priority = (): number => getPriority(loading.process.pid);
    await expect.poll(priority, { timeout: 10_000 }).toBe(constants.priority.PRIORITY_BELOW_NORMAL);
    loading.process.stdin?.end();
    expect(await loading.ended).toBe(0);
    expect((await fetch(`${url}/clinic/Patient/late`)).status).toBe(200);
    server.process.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });

  it('delete: once more changes nothing, and says so', async () => {
    expect(await cli('delete', 'Patient/good')).toMatchObject({
      code: 3,
      stdout: 'Patient/good does not exist, or was deleted before.\n',
    });
    expect((await cli('delete', 'Patients/good')).stderr).toContain('Did you mean `Patient`?');
  });

  it('index: status, verify, rebuild', async () => {
    expect(await cli('index', 'status')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+ ready, 0 pending\.\n$/),
    });
    expect((await cli('index', 'status', '--all')).stdout).toContain('clinic\tObservation?code\tready');
    const verified = await cli('index', 'verify');
    expect(verified).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^[\d,]+ records checked, 0 differences\.\n$/),
    });
    expect(await cli('index', 'rebuild', '--type', 'Observation', '--param', 'code')).toMatchObject({ code: 0 });
    expect((await cli('index', 'verify', '--type', 'Observation')).code).toBe(0);
    expect(await cli('index', 'rebuild', '--type', 'Observation', '--param', 'colour')).toMatchObject({
      code: 1,
      stderr: '`colour` is not an indexed parameter of Observation.\n',
    });
  });

  it('partition remove: only with --yes', async () => {
    expect(await cli('partition', 'remove', 'clinic')).toMatchObject({ code: 2, stdout: '' });
    expect(await cli('partition', 'remove', 'clinic', '--yes')).toMatchObject({ code: 0 });
    expect(await cli('partition', 'remove', 'clinic', '--yes')).toMatchObject({ code: 1 });
    expect((await cli('partition', 'list')).stdout).toBe('');
  });
});

describe('a store that cannot be opened', () => {
  it('is reported in one sentence', async () => {
    const nowhere = ['--store', `sqlite:${join(folder, 'nowhere.sqlite')}`];
    expect(await run(['partition', 'list', ...nowhere])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^There is no store at .*nowhere\.sqlite`\.\n$/),
    });
    await writeFile(join(folder, 'text.sqlite'), 'no database\n'.repeat(100));
    const text = ['--store', `sqlite:${join(folder, 'text.sqlite')}`];
    expect(await run(['partition', 'list', ...text])).toMatchObject({
      code: 1,
      stderr: `The store \`${join(folder, 'text.sqlite')}\` cannot be opened: file is not a database.\n`,
    });
    expect((await run(['partition', 'list', '--debug', ...text])).stderr).toMatch(/^ +at /m);
  });
});
