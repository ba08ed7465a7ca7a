// Requests to a server that ends, of which it waits for the rest.
import { connect } from 'node:net';
import { expect } from 'vitest';

/** A connection, what was received on it, and its end. */
export function openConnection(port: number) {
  const socket = connect({ port, host: '127.0.0.1' });
  let received = '';
  socket.on('data', chunk => (received += chunk.toString()));
  const closed = new Promise<boolean>(resolve => {
    socket.on('error', () => resolve(false)).on('close', () => resolve(true));
  });
  return { write: (text: string) => socket.write(text), received: () => received, closed };
}

/** Waits until the server accepts no more connections. */
export async function untilClosing(port: number): Promise<void> {
  await expect.poll(() => isAccepted(port)).toBe(false);
}

const isAccepted = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket
      .on('error', () => resolve(false))
      .on('connect', () => resolve(true))
      .on('connect', () => socket.destroy());
  });

/** Sends a request without its last bytes, and waits until the server has begun to read its body. */
export async function beginRequest(port: number, method: string, path: string, type: string, body: string) {
  const connection = openConnection(port);
  const fields = ['Host: localhost', `Content-Type: ${type}`, `Content-Length: ${body.length}`, 'Expect: 100-continue'];
  connection.write(`${method} ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`);
  await expect.poll(connection.received).toContain('100 Continue');
  connection.write(body.slice(0, -5));
  return { ...connection, finish: () => connection.write(body.slice(-5)) };
}

/** Sends a search without its last bytes. */
export const beginSearch = (port: number) =>
  beginRequest(port, 'POST', '/r4/clinic/Patient/_search', 'application/x-www-form-urlencoded', '_count=1&_sort=_id');
