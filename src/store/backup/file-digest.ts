import { createReadStream } from 'node:fs';
import { measure } from '../record/digest.ts';
import type { Pace } from './pace.ts';

/** Bytes per read. */
const readSize = 1024 * 1024;

/** SHA-256 of a file, in hex; `step` receives the number of bytes read so far. */
export async function digestOfFile(path: string, pace?: Pace, step?: (done: number) => void): Promise<string> {
  return (await measure(read(path, pace, step))).digest;
}

async function* read(path: string, pace?: Pace, step?: (done: number) => void): AsyncIterable<Uint8Array> {
  let done = 0;
  for await (const bytes of createReadStream(path, { highWaterMark: readSize })) {
    const part = bytes as Buffer; // a stream without encoding gives bytes
    yield part;
    done += part.length;
    step?.(done);
    await pace?.spend(part.length);
  }
}
