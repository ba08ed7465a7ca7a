// npm run check: format, line lengths, words, lint and types. The format is checked beside the others, since Prettier
// computes on one processor.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a program of Node with its output as one text, shown when it ends. True if it succeeds. */
async function succeeds(program: string, ...args: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, [program, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', text => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  process.stdout.write(output);
  return code === 0;
}

// Both keep what they found of files that are as they were: a second check takes a third of the time.
const isFormatted = succeeds(
  'node_modules/prettier/bin/prettier.cjs',
  '--check',
  '--log-level=warn',
  '--cache',
  '--cache-strategy=content',
  '--cache-location=.cache/prettier',
  '.',
);
const isSound =
  (await succeeds('test/support/check-columns.ts')) &&
  (await succeeds('test/support/check-words.ts')) &&
  (await succeeds('node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings')) &&
  (await succeeds('node_modules/typescript/bin/tsc', '--noEmit', '--incremental', '--tsBuildInfoFile', '.cache/tsc'));
process.exitCode = (await isFormatted) && isSound ? 0 : 1;
