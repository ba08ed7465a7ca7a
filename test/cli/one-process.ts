import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';
import { environment, root } from './process.ts';
import type { Ended, RunOptions } from './process.ts';

const program = fileURLToPath(new URL('./one-process-child.ts', import.meta.url));

/** A command for the process. */
export interface Asked extends RunOptions {
  readonly id: number;
  readonly args: readonly string[];
}

/** What came of it. */
export interface Answered extends Ended {
  readonly id: number;
}

/**
 * Runs commands as `run` does, all those of a test file one after another in one process, which is many times faster.
 * Called at the top of the file. Finally the process must exit on its own: no command may leave anything open.
 */
export function inOneProcess(): (args: readonly string[], options?: RunOptions) => Promise<Ended> {
  let child: ChildProcess | undefined;
  const waiting = new Map<number, PromiseWithResolvers<Ended>>();
  let next = 0;
  let said = '';

  function start(): ChildProcess {
    const started = fork(program, { cwd: root, env: environment(), stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    for (const stream of [started.stdout, started.stderr]) stream?.on('data', text => (said += String(text)));
    started.on('message', (message: unknown) => {
      const { id, ...ended } = message as Answered; // it sends nothing else
      waiting.get(id)?.resolve(ended);
      waiting.delete(id);
    });
    started.on('exit', code => {
      for (const { reject } of waiting.values())
        reject(new Error(`The process of the commands ended with ${code}: ${said}`));
    });
    return started;
  }

  afterAll(async () => {
    if (child === undefined) return;
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
    expect([child.exitCode, said]).toEqual([0, '']);
  });

  return (args, options = {}) => {
    child ??= start();
    const id = next++;
    const answer = Promise.withResolvers<Ended>();
    waiting.set(id, answer);
    child.send({ id, args, ...options } satisfies Asked);
    return answer.promise;
  };
}
