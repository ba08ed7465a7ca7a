// Files and folders that settings name: src/config/README.md.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { fileProblems, readSetting } from '../../src/config/named-file.ts';
import { readKeyFile } from '../../src/smart/accounts/key-file.ts';
import { inOneProcess } from '../cli/one-process.ts';

let folder: string;
const at = (name: string): string => join(folder, name);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'named-'));
  mkdirSync(at('folder'));
  writeFileSync(at('empty'), '');
  writeFileSync(at('file'), 'content');
  symlinkSync('nowhere', at('dangling'));
  symlinkSync('loop', at('loop'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const problemsOf = (...flags: string[]): readonly string[] => fileProblems(readConfig(flags));

describe('a setting that names a file', () => {
  const pairs = (flag: string): string[] =>
    flag === 'tls-cert' ? ['--tls-key', at('file')] : flag === 'tls-key' ? ['--tls-cert', at('file')] : [];
  const files = ['key-file', 'accounts', 'logo', 'tls-cert', 'tls-key'];

  it.each<[string, string, RegExp]>(
    files.flatMap(flag => [
      [flag, 'missing', /^there is no `\/.*missing`\./],
      [flag, 'dangling', /^there is no `\/.*dangling`\./],
      [flag, 'file/below', /^there is no `\/.*file\/below`\./],
      [flag, 'folder', /^`\/.*folder` is a folder, not a file\./],
      [flag, 'empty', /^`\/.*empty` is empty\./],
      [flag, 'loop', /^`\/.*loop`: ELOOP/],
    ]),
  )('`%s` may not be %s', (flag, name, text) => {
    const [problem, ...others] = problemsOf(`--${flag}`, at(name), ...pairs(flag));
    expect(others).toEqual([]);
    const start = `\`${flag}\` cannot be used: `;
    expect(problem?.slice(0, start.length)).toBe(start);
    expect(problem?.slice(start.length)).toMatch(text);
  });

  it('may be a file, and a folder where definitions are', () => {
    const named = ['--accounts', at('file'), '--logo', at('file'), '--definitions', at('folder')];
    expect(problemsOf(...named, '--capability', at('folder'))).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')('may be a file whose file system gives no size, such as /proc', () => {
    expect(problemsOf('--logo', '/proc/self/status')).toEqual([]);
  });

  it('may be the file of a store, which need not exist, and not one that cannot be reached', () => {
    expect(problemsOf('--store', `sqlite:${at('never.sqlite')}`)).toEqual([]);
    expect(problemsOf('--store', `sqlite:${at('loop')}`)).toEqual([
      expect.stringMatching(/^`store` cannot be used: `\/.*loop`: ELOOP/),
    ]);
  });

  it('says in which folder a relative path is looked for', () => {
    expect(problemsOf('--logo', 'none.svg')).toEqual([
      `\`logo\` cannot be used: there is no \`none.svg\` in \`${process.cwd()}\`.`,
    ]);
  });

  it('is not looked at where nothing reads it', () => {
    const unread = ['--key-file', at('missing'), '--accounts', at('missing'), '--logo', at('missing')];
    for (const flags of [
      ['--authorization-server', 'off'],
      ['--access', 'open'],
    ]) {
      expect(problemsOf(...unread, ...flags)).toEqual([expect.stringMatching(/^`logo`/)]); // of the explorer
      expect(problemsOf(...unread, ...flags, '--explorer', 'off')).toEqual([]);
    }
  });

  it('says how a key file is made', () => {
    expect(problemsOf('--key-file', at('missing'))).toEqual([expect.stringContaining('openssl rand -base64 32')]);
  });

  it('is reported with all others', () => {
    const flags = ['--key-file', at('missing'), '--accounts', at('folder'), '--logo', at('empty')];
    const folders = ['--definitions', at('none'), '--capability', at('file'), '--store', `sqlite:${at('folder')}`];
    expect(problemsOf(...flags, ...folders).map(text => text.split('`')[1])).toEqual([
      'key-file',
      'accounts',
      'logo',
      'definitions',
      'capability',
      'store',
    ]);
  });

  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')('must be readable', () => {
    writeFileSync(at('secret'), 'x', { mode: 0o000 });
    expect(problemsOf('--accounts', at('secret'))).toEqual([expect.stringContaining('may not read')]);
  });

  it('is named when it cannot be read later', () => {
    expect(() => readSetting('accounts', at('folder'))).toThrow(
      `\`accounts\` cannot be used: \`${at('folder')}\` is a folder, not a file.`,
    );
    for (const name of ['missing', 'folder', 'loop'])
      expect(() => readKeyFile(at(name))).toThrow(/^`key-file` cannot be used: .* It must be the file with which/);
  });
});

describe('commands', () => {
  const run = inOneProcess();
  const lines = async (...args: string[]): Promise<readonly [number | null, readonly string[]]> => {
    const { code, stderr } = await run(args);
    return [code, stderr.trim().split('\n')];
  };

  it('`serve` reports all such problems at once, with the settings that are wrong together', async () => {
    const [code, printed] = await lines(
      'serve',
      '--key-file',
      at('missing'),
      '--accounts',
      at('folder'),
      '--host',
      '0.0.0.0',
      '--port',
      '0',
      '--store',
      `sqlite:${at('never.sqlite')}`,
    );
    expect(code).toBe(2);
    expect(printed.slice(0, -1)).toEqual([
      expect.stringContaining('On `0.0.0.0` others could read'),
      expect.stringContaining('`key-file` cannot be used'),
      expect.stringContaining('`accounts` cannot be used'),
    ]);
  });

  it('name the setting and the path of the accounts, and of the settings file', async () => {
    const store = ['--store', `sqlite:${at('records.sqlite')}`];
    expect((await lines('partition', 'add', 'clinic', ...store))[0]).toBe(0);
    expect(await lines('client', 'list', '--accounts', at('folder'), ...store)).toEqual([
      1,
      [`\`accounts\` cannot be used: \`${at('folder')}\` is a folder, not a file.`],
    ]);
    const [code, [first]] = await lines('partition', 'list', '--config', at('folder'));
    expect([code, first]).toEqual([
      2,
      `The settings file ${at('folder')} cannot be read: \`${at('folder')}\` is a folder, not a file.`,
    ]);
  });
});
