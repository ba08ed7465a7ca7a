// SIGUSR2 replaces the processes that answer, as far as it can: src/processes/README.md.
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { patient } from '../support/resources.ts';
import { serveSeveral } from './support/server.ts';
import type { SeveralProcesses } from './support/server.ts';

let server: SeveralProcesses;
/** What is done to each new process. */
let toForked: (child: ChildProcess) => void = () => {};
/** Processes that were started in this test, and notices before it. */
let forked = 0;
let former = 0;
const notices = (): readonly string[] => server.notices.slice(former);
const last = (): string | undefined => notices().at(-1);

beforeAll(async () => {
  server = await serveSeveral([patient('p1')], ['--keep-alive', '0.1'], {
    program: fileURLToPath(new URL('./support/failing-child.ts', import.meta.url)),
    forked(child) {
      forked += 1;
      toForked(child);
    },
  });
});
beforeEach(async () => {
  toForked = () => {};
  await vi.waitUntil(() => server.running.children().length === 2, { timeout: 20_000 });
  [forked, former] = [0, server.notices.length];
});
afterAll(() => server.close());

describe('a restart of the processes that answer', () => {
  it('replaces all of them, and reports it', async () => {
    const former = server.running.children();
    await server.running.restart();
    expect(last()).toBe('The processes that answer requests were restarted.');
    expect(server.running.children().filter(pid => former.includes(pid))).toEqual([]);
  });

  it('fails if no new one gets ready, and the former ones go on', async () => {
    const former = server.running.children();
    toForked = child => child.kill('SIGKILL');
    await server.running.restart();
    expect(last()).toBe(
      'The restart of the processes has failed: A process did not start: SIGKILL. ' +
        'Replaced: 0 of 2; the others go on as before.',
    );
    expect(server.running.children()).toEqual(former);
    expect((await server.client().ask('GET', '/Patient/p1')).status).toBe(200);
  });

  it('reports how many were replaced before it failed', async () => {
    const former = server.running.children();
    toForked = child => forked > 1 && child.kill('SIGKILL');
    await server.running.restart();
    expect(last()).toMatch(/has failed: .* Replaced: 1 of 2; the others go on as before\.$/);
    expect(server.running.children()).toContain(former[1]);
  });

  it('fails while none of them answers', async () => {
    const former = server.running.children();
    toForked = child => child.kill('SIGKILL');
    for (const pid of former) process.kill(pid, 'SIGKILL');
    await expect.poll(() => server.running.children()).toEqual([]);
    await server.running.restart();
    expect(notices().filter(text => text.includes('restart'))).toEqual([
      'The restart of the processes has failed: none of them answers requests now. ' +
        'Each is started again when it can be.',
    ]);
  });

  it('adds none for one that ends meanwhile', async () => {
    const [, second = 0] = server.running.children();
    toForked = () => forked === 1 && process.kill(second, 'SIGKILL');
    await server.running.restart();
    await expect.poll(() => server.running.children()).toHaveLength(2);
    await new Promise(resolve => setTimeout(resolve, 100)); // a further one would be forked at once
    expect(forked).toBe(2);
  });

  it('replaces one that ends while its successor starts, and that fails', async () => {
    const [first = 0] = server.running.children();
    toForked = child => {
      if (forked !== 1) return;
      process.kill(first, 'SIGKILL');
      child.kill('SIGKILL');
    };
    await server.running.restart();
    expect(last()).toContain('has failed');
    await expect.poll(() => forked).toBe(2);
    await expect.poll(() => server.running.children(), { timeout: 10_000 }).toHaveLength(2);
  });

  describe.skipIf(process.platform === 'win32')('while one has a defect (no signals on Windows)', () => {
    it('adds none for one that announces its end while its successor starts', async () => {
      const [first = 0] = server.running.children();
      toForked = () => forked === 1 && process.kill(first, 'SIGWINCH');
      await server.running.restart();
      expect(notices().join()).toContain(`ends after an error (${first})`);
      expect(server.running.children()).toHaveLength(2);
      expect(forked).toBe(2);
    });

    it('replaces it once if its successor fails', async () => {
      const [first = 0] = server.running.children();
      toForked = child => {
        if (forked !== 1) return;
        process.kill(first, 'SIGWINCH');
        setTimeout(() => child.kill('SIGKILL'), 100);
      };
      await server.running.restart();
      expect(last()).toContain('has failed');
      await expect.poll(() => server.running.children(), { timeout: 10_000 }).toHaveLength(2);
      expect(server.running.children()).not.toContain(first);
      expect(forked).toBe(2);
    });
  });
});
