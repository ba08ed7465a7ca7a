import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A TCP port of 127.0.0.1 that passes on to another, as badly as a test wants. */
export interface TcpProxy {
  readonly port: number;
  /** Resets all connections and every new one. */
  cut(): void;
  /** Takes everything and passes nothing on, as a network does that drops packets. */
  swallow(): void;
  /** Passes each piece on so many milliseconds later. */
  delay(milliseconds: number): void;
  /** Passes on at once again, also what was swallowed. */
  heal(): void;
  /** Connections that are open. */
  connections(): number;
  close(): Promise<void>;
}

export async function startProxy(target: number): Promise<TcpProxy> {
  /** Milliseconds; Infinity passes nothing on, undefined cuts. */
  let delay: number | undefined = 0;
  const sockets = new Map<Socket, () => void>();

  const pass = (from: Socket, to: Socket): void => {
    const held: { readonly at: number; readonly chunk: Buffer }[] = [];
    const drain = (): void => {
      const longest = delay ?? 0;
      for (let [first] = held; first !== undefined && performance.now() - first.at >= longest; [first] = held) {
        to.write(first.chunk);
        held.shift();
      }
      if (held.length > 0 && longest < Infinity) setTimeout(drain, longest);
    };
    sockets.set(from, drain);
    from.on('data', (chunk: Buffer) => {
      held.push({ at: performance.now(), chunk });
      drain();
    });
    from
      .on('error', () => {})
      .on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
  };
  const server = createServer({ noDelay: true }, client => {
    if (delay === undefined) {
      client.on('error', () => {}).resetAndDestroy();
      return;
    }
    const inner = connect({ port: target, host: '127.0.0.1', noDelay: true });
    pass(client, inner);
    pass(inner, client);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));

  const become = (next: number | undefined): void => {
    delay = next;
    for (const [socket, drain] of sockets) {
      if (next === undefined) socket.resetAndDestroy();
      else drain();
    }
  };
  return {
    port: (server.address() as AddressInfo).port, // it listens on TCP
    cut: () => become(undefined),
    swallow: () => become(Infinity),
    delay: become,
    heal: () => become(0),
    connections: () => sockets.size / 2,
    async close() {
      become(undefined);
      await new Promise(resolve => server.close(resolve));
    },
  };
}
