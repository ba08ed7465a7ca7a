import { createServer } from 'node:http';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { limitConnections } from '../../src/http/connection/connections.ts';
import type { ConnectionLimits } from '../../src/http/connection/connections.ts';
import { currentResponses } from '../../src/http/server.ts';
import { selfSigned } from '../support/certificate.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';

/** One end of a connection. */
interface Client {
  /** Sends a request, and waits until it is answered or the connection is closed: the status, or `closed`. */
  get(path?: string): Promise<string>;
  readonly closed: Promise<void>;
  isClosed(): boolean;
}

const kinds = { http: createServer, https: (listener: RequestListener) => createTlsServer(selfSigned('x'), listener) };

describe.each(['http', 'https'] as const)('connections by %s', kind => {
  /** What has not been answered yet: requests of `/held`. */
  let held: ServerResponse[] = [];
  let server: Server;
  let notices: string[] = [];

  async function listen(limits: Partial<ConnectionLimits>): Promise<void> {
    [held, notices] = [[], []];
    server = kinds[kind]((request, response) => {
      if (request.url === '/held') held.push(response);
      else response.end('done');
    });
    limitConnections(server, {
      most: 100,
      share: 100,
      shareOf: () => 'one',
      currentResponse: currentResponses(server),
      notice: text => notices.push(text),
      ...limits,
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
  }

  async function open(): Promise<Client> {
    const { port } = server.address() as AddressInfo; // it listens on TCP
    const options = { port, host: '127.0.0.1', rejectUnauthorized: false };
    const socket: Socket = kind === 'http' ? connect(options) : connectTls(options);
    let text = '';
    let isClosed = false;
    const closed = new Promise<void>(resolve => socket.on('error', () => {}).on('close', () => resolve()));
    void closed.then(() => (isClosed = true));
    socket.setEncoding('latin1').on('data', chunk => (text += String(chunk)));
    const isOpen = new Promise(resolve => socket.once(kind === 'http' ? 'connect' : 'secureConnect', resolve));
    await Promise.race([isOpen, closed]);
    return {
      closed,
      isClosed: () => isClosed,
      async get(path = '/') {
        const from = text.length;
        socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
        await expect
          .poll(() => isClosed || text.slice(from).endsWith('0\r\n\r\n') || text.slice(from).endsWith('done'))
          .toBe(true);
        return text.length === from ? 'closed' : text.slice(from + 9, from + 12);
      },
    };
  }

  it('of one share: a new one takes the place of the oldest that is idle', async () => {
    await listen({ share: 2 });
    const [first, second] = [await open(), await open()];
    const answer = first.get('/held');
    expect(await second.get()).toBe('200');
    const third = await open();
    expect(await third.get()).toBe('200');
    await second.closed;
    await expect.poll(() => held.length).toBe(1);
    held[0]?.end('done');
    expect(await answer).toBe('200');
    const fourth = await open();
    expect(await fourth.get()).toBe('200');
    await first.closed; // the older one of two
    expect(await third.get()).toBe('200');
    expect(notices).toEqual([]);
  });

  it('of one share: if all are busy, another one is closed, which is logged once', async () => {
    await listen({ share: 2 });
    const busy = [await open(), await open()];
    const answers = busy.map(one => one.get('/held'));
    await expect.poll(() => held.length).toBe(2);
    for (let round = 0; round < 3; round++) expect(await (await open()).get()).toBe('closed');
    expect(notices).toEqual([
      '`one` has 2 connections, the maximum per address (`connections-per-address`). Further ones are closed.',
    ]);
    for (const one of held) one.end('done');
    expect(await Promise.all(answers)).toEqual(['200', '200']);
  });

  it.each<[string, Partial<ConnectionLimits>]>([
    ['of one share', { share: 3 }],
    ['in all', { most: 3, shareOf: () => undefined }],
  ])('%s: one that never sent a request makes way first, so that silent ones lock no one out', async (_, limits) => {
    await listen(limits);
    const idle = await open();
    expect(await idle.get()).toBe('200');
    const silent = [await open(), await open()];
    const next = await open();
    expect(await next.get()).toBe('200');
    await silent[0]?.closed;
    for (let round = 0; round < 5; round++) {
      silent.push(await open(), await open(), await open()); // they only replace each other
      expect([await idle.get(), await next.get()]).toEqual(['200', '200']);
    }
    expect(silent.at(-1)?.isClosed()).toBe(false);
    expect(notices).toEqual([]);
  });

  it('that end give their place back, also while they are at work', async () => {
    await listen({ share: 1 });
    for (let round = 0; round < 5; round++) {
      const one = await open();
      const answer = one.get('/held');
      await expect.poll(() => held.length).toBe(round + 1);
      held[round]?.destroy();
      expect(await answer).toBe('closed');
    }
  });

  it('of another share, or of none, are not counted with them', async () => {
    const shares = ['one', 'two', undefined, undefined];
    await listen({ share: 1, shareOf: () => shares.shift() });
    const opened = [await open(), await open(), await open(), await open()];
    for (const one of opened) expect(await one.get()).toBe('200');
  });

  it('in all: a new one takes the place of one that is silent or idle, or is closed', async () => {
    await listen({ most: 2, shareOf: () => undefined });
    const [first, second] = [await open(), await open()];
    expect(await first.get()).toBe('200');
    const third = await open();
    await second.closed; // it never sent a request
    for (const one of [first, third]) void one.get('/held');
    await expect.poll(() => held.length).toBe(2);
    expect(await (await open()).get()).toBe('closed');
    expect(notices).toEqual(['There are 2 connections, the maximum (`max-connections`). Further ones are closed.']);
  });
});

describe('a served engine', () => {
  it('gives loopback, where proxies may be, no share, and keeps to the limit in all', async () => {
    const server = await serve([patient('p1')], ['--connections-per-address', '1', '--max-connections', '3']);
    onTestFinished(() => server.close());
    const begun: Socket[] = [];
    for (let count = 0; count < 4; count++) {
      const socket = connect({ port: server.running.port, host: '127.0.0.1' });
      socket.on('error', () => {});
      onTestFinished(() => void socket.destroy());
      await new Promise(resolve => socket.once('connect', resolve));
      begun.push(socket);
    }
    const [first, , third, fourth] = begun;
    await new Promise(resolve => first?.resume().on('close', resolve)); // the oldest that never sent a request
    for (const socket of [third, fourth]) {
      const answer = new Promise(resolve => socket?.once('data', chunk => resolve(String(chunk))));
      socket?.write('GET /r4/demo/Patient/p1 HTTP/1.1\r\nHost: localhost\r\n\r\n');
      expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
    }
  });
});
