import { writeSync } from 'node:fs';

/**
 * Prints a line that is out when it returns, for processes that are killed. A full pipe is waited for: a parent that
 * computes reads nothing meanwhile.
 */
export function say(line: string): void {
  for (let rest = Buffer.from(`${line}\n`); rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(never, 0, 0, 5);
    }
  }
}

const never = new Int32Array(new SharedArrayBuffer(4));
