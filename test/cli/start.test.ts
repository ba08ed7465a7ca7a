import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './process.ts';

/** Starts the program in a Node that says of itself to be 20.1.0, the second time too where `always` is set. */
function startOnOldNode(always: boolean): { code: number | null; stdout: string; stderr: string } {
  const pretend = `if (${always} || process.env.STARTED_WITH_PINNED_NODE === undefined)
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } });`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, 'src/start.js', '--help'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  return { code: status, stdout, stderr };
}

describe('start', () => {
  it('on an old Node continues in the one that came with `npm ci`', () => {
    const { code, stdout, stderr } = startOnOldNode(false);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('Commands:');
  });

  it('says what to do where there is none that is new enough', () => {
    const { code, stdout, stderr } = startOnOldNode(true);
    expect([code, stdout]).toEqual([1, '']);
    const oldest = readFileSync(join(root, '.nvmrc'), 'utf8').trim();
    const expected = new RegExp(
      `^Node ${oldest} or later is required, but this is 20\\.1\\.0\\. Run \`npm ci\` in .*\\n$`,
    );
    expect(stderr).toMatch(expected);
  });

  it.skipIf(process.platform !== 'linux').each([
    [{}, 16],
    [{ UV_THREADPOOL_SIZE: '5' }, 5],
  ])('has 16 threads that wait for the disk, or as many as the environment says: %j', (given, threads) => {
    const count = `process.once('beforeExit', async () => {
      const { promises, readdirSync, readFileSync } = await import('node:fs');
      await promises.stat('.');
      const names = readdirSync('/proc/self/task').map(id => readFileSync('/proc/self/task/' + id + '/comm', 'utf8'));
      console.error(names.filter(name => name.startsWith('libuv')).length);
    });`;
    const { UV_THREADPOOL_SIZE: _, ...rest } = process.env;
    const args = ['--import', `data:text/javascript,${encodeURIComponent(count)}`, 'src/start.js', '--help'];
    const { stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', env: { ...rest, ...given } });
    expect(stderr).toBe(`${threads}\n`);
  });

  it('finds its own modules without the file system', () => {
    const count = `const { registerHooks } = await import('node:module');
    let [searched, loaded] = [0, 0];
    registerHooks({
      resolve: (specifier, context, next) => {
        if (specifier.startsWith('.') && specifier.endsWith('.ts')) searched += 1; // passed on by the hooks after it
        return next(specifier, context);
      },
      load: (url, context, next) => {
        if (url.endsWith('.ts')) loaded += 1;
        return next(url, context);
      },
    });
    process.once('beforeExit', () => console.error(searched, loaded > 20));`;
    const args = ['--import', `data:text/javascript,${encodeURIComponent(count)}`, 'src/start.js', '--help'];
    expect(spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' }).stderr).toBe('0 true\n');
  });
});
