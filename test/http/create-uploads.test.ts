// Large bodies: four are in memory at once, the others wait unread.
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { issuesOf, keptBytes, media, png, post } from '../support/media.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Answer, Served } from '../support/serve.ts';

const megabytes = 1024 * 1024;
const large = (): string => JSON.stringify(media({}, { data: png(2 * megabytes).toString('base64') }));

async function serveHere(flags: readonly string[] = []): Promise<Served> {
  const server = await serve([patient('p1')], flags);
  onTestFinished(() => server.close());
  return server;
}

/** Begins an upload and sends no more than its first bytes. */
async function begin(server: Served): Promise<Socket> {
  const socket = connect({ port: server.running.port, host: '127.0.0.1' });
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  const headers = 'Host: x\r\nContent-Type: application/json\r\nContent-Length: 3000000';
  const head = `POST /r4/demo/Media HTTP/1.1\r\n${headers}\r\n\r\n`;
  await new Promise(resolve => socket.write(`${head}{"resourceType":`, resolve));
  return socket;
}

const beginFour = async (server: Served): Promise<readonly Socket[]> => {
  const sockets = await Promise.all(Array.from({ length: 4 }, () => begin(server)));
  await wait(100);
  return sockets;
};

describe('a fifth large body', () => {
  it('waits until one that is aborted has left', async () => {
    const server = await serveHere();
    const [first] = await beginFour(server);
    const fifth = post(server, 'Media', large());
    const early = await Promise.race([fifth, wait(500)]);
    expect(early).toBeUndefined();
    first?.destroy();
    expect((await fifth).status).toBe(201);
  });

  it('waits until those that are too slow are given up', async () => {
    const server = await serveHere(['--body-timeout', '1']);
    const sockets = await beginFour(server);
    let answers = '';
    for (const socket of sockets) socket.on('data', chunk => (answers += chunk.toString()));
    expect((await post(server, 'Media', large())).status).toBe(201);
    await expect.poll(() => answers.match(/HTTP\/1.1 408 /g)).toHaveLength(4);
  });

  it('is 503 after ten seconds, with Retry-After; small ones continue meanwhile', async () => {
    const server = await serveHere();
    await beginFour(server);
    const answered: string[] = [];
    const noted = async (name: string, answer: Promise<Answer>): Promise<Answer> => {
      const got = await answer;
      answered.push(name);
      return got;
    };
    const chunked = { 'Transfer-Encoding': 'chunked' };
    const [fifth, sixth, small] = await Promise.all([
      noted('fifth', post(server, 'Media', large())),
      noted('sixth', post(server, 'Media', large(), chunked)),
      noted('small', post(server, 'Media', media())),
    ]);
    expect(answered[0]).toBe('small');
    for (const answer of [fifth, sixth]) {
      expect([answer.status, answer.headers['retry-after'], issuesOf(answer)]).toEqual([503, '10', ['throttled']]);
    }
    expect(small.status).toBe(201);
  }, 60_000);
});

describe('large bodies', () => {
  it('that are wrong leave their places', async () => {
    const server = await serveHere();
    const wrong = large().replace('completed', 'complete');
    const broken = large().slice(0, -1);
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all([wrong, broken, wrong, broken].map(body => post(server, 'Media', body)));
      expect(answers.map(({ status }) => status)).toEqual([422, 400, 422, 400]);
    }
    expect((await post(server, 'Media', large())).status).toBe(201);
  });

  it('of 20 MiB and not a byte more are taken, also with line breaks and escapes, and kept whole', async () => {
    const server = await serveHere();
    const bytes = Buffer.concat([png(8), randomBytes(20 * megabytes - 8)]);
    const base64 = bytes.toString('base64');
    const lines = base64.replaceAll(/.{76}/g, String.raw`$&\r\n`).replaceAll('/', String.raw`\/`);
    for (const data of [base64, lines]) {
      const body = JSON.stringify(media({}, { data: '@' })).replace('@', () => data);
      const { status, json } = await post(server, 'Media', body);
      expect(status).toBe(201);
      const [kept] = (await keptBytes(server, 'Media')).get(json.id) ?? [];
      expect(kept?.equals(bytes)).toBe(true);
    }
  }, 20_000);
});
