import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch, root, run } from './cli/process.ts';

// The README's example is taken out of it and followed, word by word.

let readme: string;
let folder: string;
beforeAll(async () => {
  readme = await readFile(join(root, 'README.md'), 'utf8');
  folder = await mkdtemp(join(tmpdir(), 'ninth-type-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The files that the README shows: a path in backticks and a colon, then the content. */
function files(): [path: string, content: string][] {
  return [...readme.matchAll(/`(\w+\/[\w-]+\.json)`:\n\n```json\n([^]*?)```/g)].map(([, path = '', content = '']) => [
    path,
    content,
  ]);
}

describe('a ninth type in three files', () => {
  it('is the same in the README and among the fixtures', async () => {
    expect(files()).toHaveLength(3);
    for (const [path, content] of files()) {
      const fixture = await readFile(join(root, 'test/fixtures/ninth-type', path), 'utf8');
      expect(JSON.parse(content)).toEqual(JSON.parse(fixture));
    }
  });

  it('is served as the README says', async () => {
    for (const [path, content] of files()) {
      await mkdir(dirname(join(folder, 'test/fixtures/ninth-type', path)), { recursive: true });
      await writeFile(join(folder, 'test/fixtures/ninth-type', path), content);
    }
    const [, record = ''] = /echo '(\{.*\})' > data\/practitioner\.ndjson/.exec(readme) ?? [];
    const [, load = ''] = /npm run cli -- (load --definitions .* data\/practitioner\.ndjson)/.exec(readme) ?? [];
    const [, start = ''] = /npm start -- (--definitions .*)/.exec(readme) ?? [];
    const [, query = ''] = /curl .*'http:\/\/127\.0\.0\.1:8080(\S+Practitioner\S+)'/.exec(readme) ?? [];

    const server = launch(['serve', '--demo', '--port', '0', '--log', 'off', ...start.split(' ')], { cwd: folder });
    const [, url = ''] = await server.until(/Serves (http:\/\/[^/]+)\/r4\/demo /);
    await writeFile(join(folder, 'data/practitioner.ndjson'), `${record}\n`);
    expect(await run(load.split(' '), { cwd: folder })).toMatchObject({ code: 0 });
    const [, ask = ''] = /npm run -s cli -- (token .*--definitions .*)\)\n/.exec(readme) ?? [];
    const token = (await run(ask.split(' '), { cwd: folder })).stdout.trim();
    const headers = { authorization: `Bearer ${token}` };
    const bundle = await (await fetch(url + query, { headers })).json();
    expect(bundle).toMatchObject({ entry: [{ resource: { resourceType: 'Practitioner', id: 'belanger-1' } }] });
    const clinician = await fetch(`${url}/r4/demo/Practitioner/practitioner-1`, { headers });
    expect(await clinician.json()).toMatchObject({ name: [{ family: 'Okafor' }] }); // the example leaves the demo accounts as they are
    const statement = (await (await fetch(`${url}/r4/demo/metadata`)).json()) as {
      rest: { resource: { type: string }[] }[];
    };
    expect(statement.rest[0]?.resource.map(({ type }) => type)).toContain('Practitioner');

    // The queries of the first lines find something.
    const first = [
      ...readme.matchAll(/curl (?:-H \S+ \S+ \S+ )?'http:\/\/127\.0\.0\.1:8080(\/r4\/demo\/(?!Practitioner)\S+)'/g),
    ];
    expect(first).toHaveLength(3);
    for (const [, path = ''] of first) {
      const response = await fetch(url + path, { headers });
      expect(response.status).toBe(200);
      const body = (await response.json()) as { resourceType: string; total?: number; entry?: unknown[] };
      const found = body.resourceType === 'CapabilityStatement' ? 1 : (body.total ?? body.entry?.length ?? 0);
      expect(found).toBeGreaterThan(0);
    }
    server.process.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });
});
