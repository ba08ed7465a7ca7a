// What all uploads need together is measured without other tests beside it. One that waited ten seconds for its turn is
// refused with 503: it is sent again, as a client would.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { startEngine } from '../../src/engine/engine.ts';
import { launch } from '../cli/process.ts';
import { media, png } from '../support/media.ts';
import { patient } from '../support/resources.ts';
import { put } from '../support/serve.ts';

const megabytes = 1024 * 1024;

it.skipIf(process.platform !== 'linux')(
  'sixteen bodies of 20 MiB at once are all created within 400 MB (reads /proc)',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crs-uploads-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const store = `sqlite:${join(folder, 'records.sqlite')}`;
    const setUp = await startEngine(readConfig(['--port', '0', '--store', store, '--log', 'off', '--access', 'open']));
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
    const uploaded = async (at: number, chunked: boolean): Promise<number | undefined> => {
      for (;;) {
        const status = await upload(at, chunked);
        if (status !== 503) return status;
      }
    };
    for (const chunked of [false, true]) {
      const statuses = await Promise.all(Array.from({ length: 16 }, (_, at) => uploaded(at, chunked)));
      expect(new Set(statuses)).toEqual(new Set([201]));
    }
    const [, peak = ''] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.process.pid}/status`, 'utf8')) ?? [];
    expect(Number(peak)).toBeGreaterThan(0);
    expect(Number(peak)).toBeLessThan(400_000);
  },
  300_000,
);
