// What Node keeps of compiled code across starts. https://nodejs.org/api/module.html#module-compile-cache
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { launch, root, run } from './process.ts';

const folder = mkdtempSync(join(tmpdir(), 'compile-ahead-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const cache = join(folder, 'compiled');
const env = { NODE_COMPILE_CACHE: cache };
const patient = join(folder, 'patient.json');
writeFileSync(patient, '{"resourceType":"Patient","id":"a","gender":"lady"}');

const files = (): readonly string[] =>
  readdirSync(cache, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .toSorted();

describe('compiled code that is kept across starts', () => {
  it('is there before a server is: it compiles no TypeScript to start, to write and to validate', async () => {
    await run(['--version'], { env }); // start.js is no TypeScript
    execFileSync(process.execPath, [join(root, 'src/cli/compile-ahead.ts')], { env: { ...process.env, ...env } });
    const before = files();
    expect(before.length).toBeGreaterThan(300);
    const store = `sqlite:${join(folder, 'records.sqlite')}`;
    await run(['partition', 'add', 'p', '--store', store], { env });
    const server = launch(['serve', '--port', '0', '--access', 'open', '--store', store], { env });
    const [, url = ''] = await server.until(/(http:\/\/127\.0\.0\.1:\d+)/);
    const headers = { 'Content-Type': 'application/fhir+json' };
    const body = JSON.stringify({ resourceType: 'Media', status: 'completed' });
    const response = await fetch(`${url}/r4/p/Media`, { method: 'POST', headers, body });
    await response.text();
    server.process.kill('SIGTERM');
    await server.ended;
    expect(response.status).toBe(400);
    expect(files()).toEqual(before);
  }, 60_000);

  it('is for its owner only, and made again where it is damaged', async () => {
    const good = await run(['validate', patient], { env });
    expect(good.stdout).toContain('Patient.gender: `lady` is not in');
    expect([...new Set(files().map(file => statSync(file).mode & 0o777))]).toEqual([0o600]);
    const before = new Map(files().map(file => [file, readFileSync(file)]));
    for (const [at, [file, bytes]] of [...before].entries())
      writeFileSync(file, at % 2 === 0 ? bytes.subarray(0, bytes.length / 2) : Buffer.from(bytes).fill(0x41, 100));
    const damaged = new Map(files().map(file => [file, readFileSync(file)]));
    expect(await run(['validate', patient], { env })).toEqual(good);
    const mended = files().filter(file => before.get(file)?.length === readFileSync(file).length);
    const changed = files().filter(file => damaged.get(file)?.equals(readFileSync(file)) === false);
    expect(mended.length).toBeGreaterThan(100);
    expect(changed.length).toBeGreaterThan(100);
  }, 60_000);
});
