// A server that is killed while it exports: another start goes on, and nothing is missing, doubled or half.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { splitForStamp } from '../../../src/fhir/resource-text.ts';
import { createExtract } from '../../../src/indexing/extract.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Change } from '../../../src/store/port/records.ts';
import { launch } from '../../cli/process.ts';
import type { Launched } from '../../cli/process.ts';
import { freePort } from '../../support/free-port.ts';
import { loadModel } from '../../support/loaded-once.ts';
import { onlyOfR4 } from '../../support/r4-of.ts';
import type { Manifest } from './support.ts';

/** Kills, with an export each. */
const rounds = Number(process.env['CRS_TEST_ROUNDS'] ?? 2);
const count = 2_000;

describe('a server that is killed while it exports', () => {
  const capability = onlyOfR4(['Patient', 'Observation']);
  let folder: string;
  let url: string;
  let base: string;
  let server: Launched;
  const exportsFolder = (): string => `${url.slice('sqlite:'.length)}.exports`;

  const put = (type: string, id: string, more: object): Change => {
    const text = JSON.stringify({ resourceType: type, id, ...more });
    return { kind: 'put', type, id, text: splitForStamp(text, id) };
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'crs-killed-'));
    url = `sqlite:${join(folder, 'records.sqlite')}`;
    const { model, problems } = await loadModel({ definitions: [], capability });
    if (model === undefined) throw new Error(JSON.stringify(problems));
    const store = await openStore(url, {
      model,
      extract: createExtract(model),
      now: Date.now,
      mode: 'serve',
      deadline: 20_000,
    });
    await store.partitions.add('demo', { zone: 'UTC' });
    const partition = await store.partition('demo');
    for (let at = 0; at < count; at += 500)
      await partition?.write(
        Array.from({ length: 500 }, (_, index) =>
          put('Observation', `o${at + index}`, {
            status: 'final',
            code: { text: 'x'.repeat(6_000) },
            subject: { reference: `Patient/p${at + index}` },
          }),
        ),
        { unit: 'each' },
      );
    await store.close();
    await startServer();
  });
  afterAll(async () => {
    server.process.kill('SIGKILL');
    await server.ended;
    rmSync(folder, { recursive: true, force: true });
  });

  async function startServer(): Promise<void> {
    const port = await freePort();
    base = `http://127.0.0.1:${port}/r4/demo`;
    const flags = ['--port', String(port), '--access', 'open', '--authorization-server', 'off', '--log', 'off'];
    // URLs stay the same for clients, who are behind a proxy.
    const args = ['--store', url, '--capability', capability, '--public-url', 'http://records.example', ...flags];
    server = launch(['serve', ...args]);
    await server.until(/^Serves /m);
  }

  const get = (path: string): Promise<Response> => fetch(`${base}${path}`);
  const pathOf = (link: string): string => link.slice('http://records.example/r4/demo'.length);

  it(`has the same records at the same time after ${rounds} kills`, { timeout: 60_000 + rounds * 20_000 }, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const started = await get('/Patient/$export?_type=Observation,Patient');
      expect(started.status).toBe(202);
      const job = pathOf(started.headers.get('content-location') ?? '');
      const later = await fetch(`${base}/Observation/later${round}`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/fhir+json' },
        body: JSON.stringify({
          resourceType: 'Observation',
          id: `later${round}`,
          status: 'final',
          code: { text: 'x' },
          subject: { reference: 'Patient/p1' },
        }),
      });
      expect(later.status).toBe(201);
      await rest((round * 97) % 400);
      server.process.kill('SIGKILL');
      await server.ended;
      await startServer();
      let answer = await get(job);
      while (answer.status === 202) {
        await rest(50);
        answer = await get(job);
      }
      expect(answer.status).toBe(200);
      const manifest = (await answer.json()) as Manifest;
      const ids: string[] = [];
      for (const item of manifest.output) {
        const text = await (await get(pathOf(item.url))).text();
        const lines = text.trimEnd().split('\n');
        expect(lines).toHaveLength(item.count);
        ids.push(...lines.map(line => String(JSON.parse(line).id)));
      }
      expect(manifest.output.map(({ type }) => type)).toEqual(['Observation']);
      expect(ids).toHaveLength(count + round);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).not.toContain(`later${round}`);
      const own = readdirSync(join(exportsFolder(), job.slice('/_jobs/'.length)));
      expect(own.filter(name => name.endsWith('.partial'))).toEqual([]);
      expect((await fetch(`${base}${job}`, { method: 'DELETE' })).status).toBe(202);
      expect(existsSync(join(exportsFolder(), job.slice('/_jobs/'.length)))).toBe(false);
    }
  });
});
