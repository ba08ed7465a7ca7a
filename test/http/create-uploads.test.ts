// Large bodies: four are in memory at once, the others wait unread.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { startEngine } from '../../src/engine.ts';
import { launch } from '../cli/process.ts';
import { issuesOf, keptBytes, media, png, post } from '../support/media.ts';
import { patient } from '../support/resources.ts';
import { put, serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

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
  const head = `POST /r4/demo/Media HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 3000000\r\n\r\n`;
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
    await wait(100);
    expect(answers.match(/HTTP\/1.1 408 /g)).toHaveLength(4);
  });

  it('is 503 after ten seconds, with Retry-After; small ones go on meanwhile', async () => {
    const server = await serveHere();
    await beginFour(server);
    const started = Date.now();
    const chunked = { 'Transfer-Encoding': 'chunked' };
    const [fifth, sixth, small] = await Promise.all([
      post(server, 'Media', large()),
      post(server, 'Media', large(), chunked),
      post(server, 'Media', media()).then(({ status }) => ({ status, after: Date.now() - started })),
    ]);
    expect(Date.now() - started).toBeGreaterThan(9_900);
    for (const answer of [fifth, sixth]) {
      expect([answer.status, answer.headers['retry-after'], issuesOf(answer)]).toEqual([503, '10', ['throttled']]);
    }
    expect(small.status).toBe(201);
    expect(small.after).toBeLessThan(5_000);
  }, 20_000);
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

  it.skipIf(process.platform !== 'linux')(
    'sixteen of 20 MiB at once are all created within 400 MB (reads /proc)',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'crs-uploads-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const store = `sqlite:${join(folder, 'records.sqlite')}`;
      const setUp = await startEngine(
        readConfig(['--port', '0', '--store', store, '--log', 'off', '--access', 'open']),
      );
      await setUp.engine.store.partitions.add('demo', { zone: 'UTC' });
      await put((await setUp.engine.store.partition('demo'))!, [patient('p1')]); // added above
      await setUp.close();
      const child = launch(['serve', '--port', '0', '--store', store, '--log', 'off', '--access', 'open']);
      onTestFinished(() => void child.process.kill());
      const [, port = ''] = await child.until(/http:\/\/127\.0\.0\.1:(\d+)/);

      const rest = randomBytes(20 * megabytes - 12).toString('base64');
      const upload = (at: number, chunked: boolean): Promise<number | undefined> =>
        new Promise((resolve, reject) => {
          const own = Buffer.concat([png(8), Buffer.from([1, 2, 3, at])]).toString('base64');
          const [before = '', after = ''] = JSON.stringify(media({}, { data: '@' })).split('@');
          const size = before.length + own.length + rest.length + after.length;
          const headers = { 'Content-Type': 'application/fhir+json', ...(chunked ? {} : { 'Content-Length': size }) };
          const target = { port: Number(port), host: '127.0.0.1', method: 'POST', path: '/r4/demo/Media', headers };
          const sent = request(target, response => {
            response.resume().on('end', () => resolve(response.statusCode));
          });
          sent.on('error', reject);
          for (const part of [before + own, rest, after]) sent.write(part);
          sent.end();
        });
      for (const chunked of [false, true]) {
        const statuses = await Promise.all(Array.from({ length: 16 }, (_, at) => upload(at, chunked)));
        expect(new Set(statuses)).toEqual(new Set([201]));
      }
      const [, peak = ''] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.process.pid}/status`, 'utf8')) ?? [];
      expect(Number(peak)).toBeGreaterThan(0);
      expect(Number(peak)).toBeLessThan(400_000);
    },
    60_000,
  );
});
