// Large bodies: four are in memory at once, the others wait unread.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
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

interface Upload {
  readonly socket: Socket;
  readonly answered: () => string;
}

/** Begins an upload, and waits until it has its place: only then it is told to continue. */
async function begin(server: Served): Promise<Upload> {
  const socket = connect({ port: server.running.port, host: '127.0.0.1' });
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  let answered = '';
  socket.on('data', chunk => (answered += chunk.toString()));
  const headers =
    'Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 3000000\r\nExpect: 100-continue';
  socket.write(`POST /r4/demo/Media HTTP/1.1\r\n${headers}\r\n\r\n`);
  await once(socket, 'data');
  expect(answered).toMatch(/^HTTP\/1.1 100 /);
  socket.write('{"resourceType":');
  return { socket, answered: () => answered };
}

const beginFour = (server: Served): Promise<readonly Upload[]> =>
  Promise.all(Array.from({ length: 4 }, () => begin(server)));

describe('a fifth large body', () => {
  it('waits until one that is aborted has left', async () => {
    const server = await serveHere();
    const [first] = await beginFour(server);
    const fifth = post(server, 'Media', large());
    const early = await Promise.race([fifth, wait(500)]);
    expect(early).toBeUndefined();
    first?.socket.destroy();
    expect((await fifth).status).toBe(201);
  });

  it('waits until those that are too slow are given up', async () => {
    const server = await serveHere(['--body-timeout', '1']);
    const uploads = await beginFour(server);
    expect((await post(server, 'Media', large())).status).toBe(201);
    for (const { answered } of uploads) await expect.poll(answered).toMatch(/HTTP\/1.1 408 /);
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
  }, 120_000);
});
