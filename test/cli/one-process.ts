import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, vi } from 'vitest';
import { environment, root } from './process.ts';
import type { Ended, RunOptions } from './process.ts';

const program = fileURLToPath(new URL('./one-process-child.ts', import.meta.url));

/** A command for the process; without arguments, the question what keeps it from its end. */
export interface Asked extends RunOptions {
  readonly id: number;
  readonly args?: readonly string[];
}

/** What came of it. */
export interface Answered extends Ended {
  readonly id: number;
}

interface Commands {
  readonly child: ChildProcess;
  /** What keeps it from its end before any command. */
  readonly idle: Promise<string>;
  readonly ask: (args?: readonly string[], options?: RunOptions) => Promise<Ended>;
  /** What it printed beside its answers. */
  readonly said: () => string;
}

/** One process for all files that this worker runs. It ends with the worker. */
let commands: Commands | undefined;

/**
 * Runs commands as `run` does, all those of this worker one after another in one process, which is many times faster.
 * Called at the top of the file. At the end of a file nothing may be left that would keep the process from its end.
 */
export function inOneProcess(): (args: readonly string[], options?: RunOptions) => Promise<Ended> {
  let isUsed = false;

  afterAll(async () => {
    if (!isUsed || commands === undefined) return;
    const { ask, idle, said } = commands;
    const isIdle = async (): Promise<boolean> => (await ask()).stdout === (await idle);
    if (!(await vi.waitUntil(isIdle, 10_000).catch(() => false)))
      throw new Error(`A command has left open: ${(await ask()).stdout}, beside ${await idle}`);
    if (said() !== '') throw new Error(`A command printed: ${said()}`);
  });

  return (args, options) => {
    isUsed = true;
    if (commands?.child.connected !== true) commands = startProcess();
    return commands.ask(args, options);
  };
}

function startProcess(): Commands {
  const waiting = new Map<number, PromiseWithResolvers<Ended>>();
  let next = 0;
  let said = '';
  const child = fork(program, { cwd: root, env: environment(), stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', text => (said += String(text)));
  child.on('message', (message: unknown) => {
    const { id, ...ended } = message as Answered; // it sends nothing else
    waiting.get(id)?.resolve(ended);
    waiting.delete(id);
  });
  child.on('exit', code => {
    for (const { reject } of waiting.values())
      reject(new Error(`The process of the commands ended with ${code}: ${said}`));
  });
  const ask: Commands['ask'] = (args, options = {}) => {
    const id = next++;
    const answer = Promise.withResolvers<Ended>();
    waiting.set(id, answer);
    child.send({ id, ...(args === undefined ? {} : { args }), ...options } satisfies Asked);
    return answer.promise;
  };
  return { child, idle: ask().then(({ stdout }) => stdout), ask, said: () => said };
}
