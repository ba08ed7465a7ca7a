import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { availableParallelism } from 'node:os';

/** A process of ours that answers questions, one at a time. */
export interface Child {
  readonly pid: number;
  /** What it said first. */
  readonly greeting: unknown;
  ask<Answer>(question: unknown): Promise<Answer>;
  /** Ends it; resolves when it is gone. */
  stop(): Promise<void>;
}

export interface ChildOptions {
  readonly arguments?: readonly string[];
  /** Processor that it is bound to, where the system can do that. */
  readonly processor?: number;
  readonly nodeFlags?: readonly string[];
  /** The folder of the bench whose module is started; this one if none is given. */
  readonly bench?: URL;
}

/** The cache of compiled code that commands and servers use (src/start.js); without it they take up to 20 MB more. */
const compiled = fileURLToPath(new URL('../../.cache/compiled', import.meta.url));

/**
 * Starts a module of this folder, or of that of another checkout; resolves when it has said its first word. Rejects
 * where it ends before.
 */
export async function startChild(module: string, options: ChildOptions = {}): Promise<Child> {
  const file = fileURLToPath(new URL(module, options.bench ?? import.meta.url));
  const command = [process.execPath, ...(options.nodeFlags ?? []), file, ...(options.arguments ?? [])];
  const [program = '', ...rest] = [...binding(options.processor), ...command];
  const env = { ...process.env, NODE_COMPILE_CACHE: compiled };
  const child = spawn(program, rest, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env });
  const gone = new Promise<void>(resolve => child.once('exit', () => resolve()));
  const greeting = await nextMessage(child, module);
  return {
    pid: child.pid ?? 0,
    greeting,
    ask: async <Answer>(question: unknown) => {
      const answer = nextMessage(child, module);
      child.send(question as object);
      return (await answer) as Answer; // the module answers what its protocol says
    },
    stop: async () => {
      if (child.connected) child.disconnect();
      await gone;
    },
  };
}

function nextMessage(child: ChildProcess, module: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const exited = (code: number | null): void => reject(new Error(`${module} ended with code ${code}`));
    child.once('exit', exited);
    child.once('message', message => {
      child.off('exit', exited);
      resolve(message);
    });
  });
}

function binding(processor: number | undefined): readonly string[] {
  if (processor === undefined || !canBind) return [];
  return ['taskset', '-c', String(processor % availableParallelism())];
}

const canBind = availableParallelism() > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0;
