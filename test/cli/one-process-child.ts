// Runs the commands that its parent sends, one after another; ends with its parent, if nothing is left open.
import { registerHooks } from 'node:module';
import { setPriority } from 'node:os';
import { Readable } from 'node:stream';
import type { Answered, Asked } from './one-process.ts';
import { root, start } from './process.ts';

// The commands share the definitions of this checkout, which each separate process would load again.
const once = new URL('../support/loaded-once.ts', import.meta.url).href;
registerHooks({
  resolve(specifier, context, next) {
    const isLoad = specifier.endsWith('/load-model.ts') && context.parentURL !== once;
    return isLoad ? { url: once, shortCircuit: true } : next(specifier, context);
  },
});
const { main } = await import('../../src/cli/main.ts');

const own = { ...process.env };
let before = Promise.resolve();
process.on('message', message => {
  const asked = message as Asked; // the parent sends nothing else
  before = before.then(async () => {
    const { args } = asked;
    const answered = args === undefined ? leftOpen(asked) : await run(asked, args);
    process.send?.(answered);
  });
});

/** What keeps this process from its end, its output included. */
function leftOpen({ id }: Asked): Answered {
  void [process.stdout, process.stderr]; // opened when they are first asked for
  return { id, code: 0, stdout: process.getActiveResourcesInfo().toSorted().join(), stderr: '' };
}

async function run({ id, env, input, cwd }: Asked, args: readonly string[]): Promise<Answered> {
  const [stdout, stderr] = [heard(process.stdout), heard(process.stderr)];
  process.argv = [process.execPath, start, ...args];
  process.env = { ...own, ...env };
  process.chdir(cwd ?? root);
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input ?? '')]), configurable: true });
  try {
    const code = await main(args);
    return { id, code, stdout: stdout.end(), stderr: stderr.end() };
  } finally {
    // What `main` and a finished pipeline leave on the output, which end with the process otherwise.
    for (const event of ['error', 'close', 'finish', 'end', 'prefinish'])
      for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners(event);
    // A server that did not start leaves its own, which are for the rest of its process.
    for (const event of ['SIGHUP', 'uncaughtException', 'unhandledRejection']) process.removeAllListeners(event);
    raised();
  }
}

/** What is written to a stream from now on, in place of writing it. */
function heard(stream: NodeJS.WriteStream): { end(): string } {
  const parts: Buffer[] = [];
  const write = stream.write.bind(stream);
  stream.write = (chunk: Uint8Array | string, encoding?: unknown, done?: unknown): boolean => {
    parts.push(typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk));
    const callback = typeof encoding === 'function' ? encoding : done;
    if (typeof callback === 'function') process.nextTick(callback);
    return true;
  };
  return {
    end() {
      stream.write = write;
      return Buffer.concat(parts).toString();
    },
  };
}

/** A load makes its process less urgent; the next command is not. */
function raised(): void {
  try {
    setPriority(0);
  } catch {
    // Only some may.
  }
}
