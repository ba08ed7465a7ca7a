// Connections between the parent, which accepts them, and the child that answers them: src/processes/README.md.
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { serveSeveral } from './support/server.ts';

/** Opens a connection, sends a request, and gives `answered` or `closed`, whichever comes first. */
const outcomeOf = (port: number): Promise<string> =>
  new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1' });
    onTestFinished(() => void socket.destroy());
    socket.on('data', () => resolve('answered')).on('error', () => {});
    socket.on('close', () => resolve('closed'));
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
  });

it('connections that are being passed to a process that is killed are closed', async () => {
  const server = await serveSeveral([]);
  onTestFinished(() => server.close());
  const [killed = 0, other = 0] = server.running.children();
  for (const pid of [killed, other]) process.kill(pid, 'SIGSTOP'); // neither accepts what it is passed
  const outcomes = Array.from({ length: 8 }, () => outcomeOf(server.running.port));
  await delay(300); // they are passed meanwhile, half of them to each
  process.kill(killed, 'SIGKILL');
  let closed = 0;
  for (const outcome of outcomes) void outcome.then(() => (closed += 1));
  await expect.poll(() => closed).toBeGreaterThan(0);
  process.kill(other, 'SIGCONT');
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['closed', 'answered']));
});

it('one connection for each request is answered, and none stays in the parent', async () => {
  const server = await serveSeveral([]);
  onTestFinished(() => server.close());
  const handles = (): number => process.getActiveResourcesInfo().filter(name => name === 'TCPSocketWrap').length;
  const before = handles();
  for (let round = 0; round < 5; round += 1) {
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => outcomeOf(server.running.port)));
    expect(new Set(outcomes)).toEqual(new Set(['answered']));
  }
  // What is left are the clients, which this process has too.
  await expect.poll(() => handles() - before).toBeLessThanOrEqual(200);
});

it('at the limit a connection of any process that never sent a request makes way before an idle one', async () => {
  const server = await serveSeveral([], ['--max-connections', '4']);
  onTestFinished(() => server.close());
  const clients = [server.client(), server.client()];
  for (const client of clients) await client.ask('GET', '//healthz');
  const silent: Promise<unknown>[] = [];
  for (let at = 0; at < 6; at += 1) {
    const socket = connect({ port: server.running.port, host: '127.0.0.1' });
    onTestFinished(() => void socket.destroy());
    silent.push(new Promise(resolve => socket.on('error', () => {}).on('close', resolve)));
    await wait(100); // one after the other: of a burst, the server does not know yet which are silent
  }
  await Promise.race(silent); // further ones replace those before them
  const further = server.client();
  expect((await further.ask('GET', '//healthz')).status).toBe(200);
  // The idle connections are still there: each client would otherwise fail, or need another one.
  for (const client of clients) expect((await client.ask('GET', '//healthz')).status).toBe(200);
  expect(server.notices.filter(text => text.includes('connections'))).toEqual([]);
});
