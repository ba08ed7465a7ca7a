import { describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { inOneProcess } from './one-process.ts';

const run = inOneProcess();

describe('the command line', () => {
  it('lists its commands and exit codes', async () => {
    const { code, stdout, stderr } = await run(['--help']);
    expect([code, stderr]).toEqual([0, '']);
    for (const { name, summary } of commands) {
      expect(stdout).toContain(`  ${name} `);
      expect(stdout).toContain(summary);
    }
    for (const exitCode of [0, 1, 2, 3, 130]) expect(stdout).toMatch(new RegExp(`^ {2}${exitCode} `, 'm'));
  });

  it.each([
    [['help'], ['--help']],
    [
      ['help', 'serve'],
      ['serve', '--help'],
    ],
    [
      ['help', 'partition', 'add'],
      ['partition', 'add', '--help'],
    ],
    [
      ['help', 'partition'],
      ['partition', '--help'],
    ],
    [
      ['partition', 'help'],
      ['partition', '--help'],
    ],
  ])('takes %j as %j', async (words, flags) => {
    expect(await run(words)).toEqual(await run(flags));
    expect((await run(words)).code).toBe(0);
  });

  it('shows the same on stderr, with exit code 2, where no command is given', async () => {
    const { code, stdout, stderr } = await run([]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Commands:');
  });

  it.each(commands.map(({ name, summary }) => [name, summary] as const))('explains `%s`', async (name, summary) => {
    const { code, stdout, stderr } = await run([...name.split(' '), '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`${summary}.`);
    expect(stdout).toContain(`Usage: npm run cli -- ${name}`);
    expect(stdout).toContain('--config FILE');
  });

  it('shows name, default, unit and variable of a setting', async () => {
    const { stdout } = await run(['serve', '--help']);
    expect(stdout).toMatch(/--port NUMBER +TCP port to listen on.* \(default 8080; CRS_PORT\)/);
    expect(stdout).toMatch(/--keep-alive NUMBER .*\(default 65 seconds; CRS_KEEP_ALIVE\)/);
    expect(stdout).toMatch(/--public-url URL .*\(default from host and port; CRS_PUBLIC_URL\)/);
  });

  it.each<[args: string[], sentence: string, env?: Record<string, string>]>([
    [['sreve'], '`sreve` is not a command. Did you mean `serve`?'],
    [['partition'], '`partition` is followed by `add`, `list`, `update`, `remove`.'],
    [['index', 'chekc'], '`index` is followed by `status`, `verify`, `rebuild`, `usage`, `drop-unused`.'],
    [['serve', '--prot', '1'], '`--prot` is not a flag of this command. Did you mean `--port`?'],
    [['serve', '--port', 'x'], '`--port` is `x`, but must be a whole number from 0 to 65535.'],
    [['serve', '--patients', '1'], '`--patients` is not a flag of this command.'],
    [['serve', '--partition', 'a'], '`--partition` does not apply to this command.'],
    [['serve', 'now'], '`now` is not expected here.'],
    [['serve'], 'The environment variable `CRS_PROT` is not a setting. Did you mean `CRS_PORT`?', { CRS_PROT: '1' }],
    [['partition', 'add'], 'ID is missing.'],
    [['partition', 'add', 'A_b'], 'ID is `A_b`, but a partition id is 1 to 32'],
    [['partition', 'add', 'a', 'b'], 'One ID is expected, found a b.'],
    [['delete', 'patient/1'], '`patient/1` must be a resource type and an id'],
    [['index', 'rebuild', '--param', 'date'], '`--param` requires `--type`.'],
    [['generate', '--patients', '0'], '`--patients` is `0`, but must be a whole number from 1'],
    [['generate', '--date', '2026-02-30'], '`--date` is `2026-02-30`, but must be a date'],
    [['load'], 'FILE is missing'],
  ])('answers %j with exit code 2 and one sentence', async (args, sentence, env = {}) => {
    const { code, stdout, stderr } = await run(args, { env });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('refuses any address but loopback if no token is required', async () => {
    const { code, stderr } = await run(['serve', '--access', 'open', '--host', '0.0.0.0']);
    expect(code).toBe(2);
    expect(stderr).toContain('listens on loopback only');
  });

  it('names a settings file that it cannot read', async () => {
    const { code, stderr } = await run(['serve', '--config', 'nowhere.json']);
    expect(code).toBe(2);
    expect(stderr).toContain('The settings file nowhere.json cannot be read');
  });
});
