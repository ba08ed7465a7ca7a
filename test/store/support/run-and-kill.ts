import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/**
 * Runs a script of this folder and kills it (SIGKILL) so many milliseconds after its output matches `due`. Returns its
 * whole lines.
 */
export async function runAndKill(
  script: string,
  args: readonly string[],
  after: number,
  due = /^ready$/m,
): Promise<readonly string[]> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const running = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  running.stdout.on('data', (text: Buffer) => {
    const isDue = due.test(output);
    output += text.toString();
    if (!isDue && due.test(output)) setTimeout(() => running.kill('SIGKILL'), after);
  });
  await once(running, 'close');
  expect(running.signalCode).toBe('SIGKILL');
  return output.split('\n').slice(0, -1);
}
