import { cp, mkdtemp, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { media } from '../support/media.ts';
import { inOneProcess } from './one-process.ts';
import { launch } from './process.ts';

const run = inOneProcess();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lost-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** How many are created one after the other. */
const creates = 40;

it('verify names the creates that were acknowledged and are lost with the end of a WAL', async () => {
  const file = join(folder, 'records.sqlite');
  const store = ['--store', `sqlite:${file}`];
  await run(['partition', 'add', 'demo', ...store]);
  await run(['load', '-', ...store], { input: '{"resourceType":"Patient","id":"p1"}\n' });
  const server = launch(['serve', '--port', '0', '--log', 'off', '--access', 'open', ...store]);
  const [, base = ''] = await server.until(/Serves (http:\S+\/r4)/);
  // Whoever reads an old moment keeps the WAL from being moved into the file.
  const reader = new DatabaseSync(file, { readOnly: true });
  reader.exec('BEGIN; SELECT count(*) FROM resources');
  const acknowledged: string[] = [];
  for (let at = 0; at < creates; at += 1) acknowledged.push(await create(`${base}/demo/Media`));
  const ended = async () => (await run(['audit', 'list', ...store])).stdout.match(/\tcreate\t0\t/g)?.length;
  await expect.poll(ended).toBe(creates);
  server.process.kill('SIGKILL');
  await server.ended;

  const copied = join(folder, 'copied.sqlite');
  for (const ending of ['', '-wal', '.audit', '.attachments'])
    await cp(`${file}${ending}`, `${copied}${ending}`, { recursive: true });
  reader.close();
  const wal = await stat(`${copied}-wal`);
  await truncate(`${copied}-wal`, Math.floor(wal.size / 2));
  const database = new DatabaseSync(copied);
  const kept = new Set(
    database
      .prepare('SELECT id FROM resources')
      .all()
      .map(({ id }) => String(id)),
  );
  database.close();
  const lost = acknowledged.filter(id => !kept.has(id));
  expect(lost.length).toBeGreaterThan(0);
  expect(lost.length).toBeLessThan(creates);

  const { code, stdout } = await run(['verify', '--store', `sqlite:${copied}`]);
  expect(code).toBe(3);
  const named = [...stdout.matchAll(/^demo\tlost\tMedia\/([^/]+)\/_history\/1\tthe audit log has its write/gm)].map(
    ([, id]) => id,
  );
  expect(new Set(named)).toEqual(new Set(lost));
});

async function create(url: string): Promise<string> {
  const headers = { 'Content-Type': 'application/fhir+json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(media()) });
  const [, id = ''] = /Media\/([^/]+)/.exec(answer.headers.get('location') ?? '') ?? [];
  if (answer.status !== 201) throw new Error(await answer.text());
  return id;
}
