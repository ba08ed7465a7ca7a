import type { Readable } from 'node:stream';

const mostBytes = 16 * 1024 * 1024;
const longest = 2_000;

/**
 * Discards the input of a rejected client, for two seconds or 16 MB at most: a connection that is closed with unread
 * bytes is reset, and the client would lose the answer. https://www.rfc-editor.org/rfc/rfc9112#section-9.6
 */
export function linger(source: Readable): Promise<void> {
  return new Promise(resolve => {
    let left = mostBytes;
    const timer = setTimeout(resolve, longest);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    source.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) done();
    });
    source.on('end', done).on('error', done).on('close', done);
    source.resume();
  });
}
