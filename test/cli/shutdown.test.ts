// How a server ends: what runs finishes, nothing that was answered is lost. The order of events decides, never time: a
// request that has begun waits for its rest.
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { media } from '../support/media.ts';
import { patient } from '../support/resources.ts';
import { beginRequest, beginSearch, openConnection, untilClosing } from './begun-request.ts';
import { inOneProcess } from './one-process.ts';
import { launch } from './process.ts';
import type { Launched } from './process.ts';

const run = inOneProcess();
let folder: string;
let file: string;
let store: readonly string[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shutdown-'));
  file = join(folder, 'records.sqlite');
  store = ['--store', `sqlite:${file}`];
  await run(['partition', 'add', 'clinic', ...store]);
  writeFileSync(join(folder, 'p1.ndjson'), JSON.stringify(patient('p1')));
  await run(['load', '--partition', 'clinic', ...store, join(folder, 'p1.ndjson')]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Its requests may take a day. */
async function serve(): Promise<{ readonly server: Launched; readonly port: number }> {
  const flags = ['--port', '0', '--access', 'open', ...store];
  const patient = ['header-timeout', 'body-timeout', 'shutdown-timeout'].flatMap(flag => [`--${flag}`, '86400']);
  const server = launch(['serve', ...flags, ...patient]);
  const [, port] = await server.until(/Serves http:\/\/127\.0\.0\.1:(\d+)/);
  return { server, port: Number(port) };
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** Head and body of each answer. */
const answersIn = (text: string): string[] => text.split(/(?=HTTP\/1\.1 )/).filter(one => !one.includes('Continue'));

describe.skipIf(process.platform === 'win32')('SIGTERM (Windows ends a process at once)', () => {
  it('fails /readyz at once, closes each open connection with its next answer, and ends with 0', async () => {
    const { server, port } = await serve();
    const probes = ['/readyz', '/healthz', '/r4/clinic/metadata', '/nothing'].map(path => ({
      path,
      ...openConnection(port),
    }));
    for (const { write, received } of probes) {
      write(get('/healthz'));
      await expect.poll(received).toContain('{"status":"ok"}');
      expect(received()).toContain('Connection: keep-alive');
    }
    for (const { path, write } of probes) write(get(path).slice(0, -2)); // the next request of each has begun
    const running = await beginSearch(port);

    server.process.kill('SIGTERM');
    await untilClosing(port);
    for (const { write } of probes) write('\r\n');
    for (const { closed } of probes) expect(await closed).toBe(true);
    const [ready, healthy, metadata, nothing] = probes.map(({ received }) => answersIn(received())[1]);
    expect(ready).toMatch(/^HTTP\/1\.1 503 [^]*Retry-After: 5\r\n[^]*The server is shutting down\./);
    expect(healthy).toMatch(/^HTTP\/1\.1 200 /);
    expect(metadata).toMatch(/^HTTP\/1\.1 200 [^]*"CapabilityStatement"/);
    expect(nothing).toMatch(/^HTTP\/1\.1 404 /);
    for (const answer of [ready, healthy, metadata, nothing]) expect(answer).toContain('Connection: close');

    expect(server.process.exitCode).toBe(null); // it waits for what runs
    running.finish();
    expect(await running.closed).toBe(true);
    expect(running.received()).toMatch(/HTTP\/1\.1 200 OK[^]*Connection: close[^]*"searchset"/);
    expect(await server.ended).toBe(0);
  });

  it('stores what runs and its audit event, and leaves nothing in the write-ahead log', async () => {
    const { server, port } = await serve();
    const body = JSON.stringify(media());
    const running = await beginRequest(port, 'POST', '/r4/clinic/Media', 'application/fhir+json', body);
    server.process.kill('SIGTERM');
    await untilClosing(port);
    running.finish();
    expect(await running.closed).toBe(true);
    const [, id] = /HTTP\/1\.1 201 Created[^]*\/Media\/([^/\s]+)/.exec(running.received()) ?? [];
    expect(await server.ended).toBe(0);

    const log = `${file}-wal`;
    expect(existsSync(log) ? statSync(log).size : 0).toBe(0);
    const events = await run(['audit', 'export', ...store]);
    expect(events.stdout).toContain(`Media/${id}`);
    const attachments = await run(['attachment', 'list', '--type', 'Media', '--partition', 'clinic', ...store]);
    expect(attachments.stdout).toContain(id);
    expect((await run(['verify', ...store])).code).toBe(0);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('a second signal (%s) ends the server at once, with 130', async second => {
    const { server, port } = await serve();
    const running = await beginSearch(port); // which never ends
    server.process.kill('SIGTERM');
    await untilClosing(port);
    expect(server.process.exitCode).toBe(null);
    server.process.kill(second);
    expect(await server.ended).toBe(130);
    await running.closed;
    expect(running.received()).not.toContain('200 OK');
  });
});
