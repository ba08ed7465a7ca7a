import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Place } from '../support/store-place.ts';
import { inOneProcess } from './one-process.ts';
import { launch, root } from './process.ts';
import type { Ended, Launched } from './process.ts';

const ninth = join(root, 'test/fixtures/ninth-type');
const rounds = Number(process.env['CRS_TEST_ROUNDS'] ?? 2);

/** The test of a server whose stores are in these places. */
export function testKilledReloads(newPlace: () => Promise<Place>): void {
  const run = inOneProcess();
  it(`a server that is killed ${rounds} times during a reload starts again, and nothing is damaged`, async () => {
    expect.hasAssertions();
    const place = await newPlace();
    try {
      await killDuringReloads(place.url, run);
    } finally {
      await place.remove();
    }
  }, 240_000);
}

/**
 * Kills a server at a random time of a reload, which adds a type or removes it, and starts it again: it has the new
 * definitions then, and neither the records nor their indexes are damaged. `url` names an empty store.
 */
async function killDuringReloads(url: string, run: (args: readonly string[]) => Promise<Ended>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'killed-reload-'));
  const definitions = join(folder, 'definitions');
  mkdirSync(join(definitions, 'capability'), { recursive: true });
  const store = ['--store', url];
  const own = ['--definitions', definitions];
  const start = (): Launched => launch(['serve', '--port', '0', '--access', 'open', ...store, ...own]);
  let server: Launched | undefined;
  try {
    await run(['partition', 'add', 'clinic', ...store]);
    writeFileSync(join(folder, 'patients.ndjson'), patients.join('\n'));
    await run(['load', ...store, '--partition', 'clinic', join(folder, 'patients.ndjson')]);
    for (let round = 0; round < rounds; round += 1) {
      const isAdded = round % 2 === 0;
      server = start();
      await server.until(/Serves http/);
      if (isAdded) cpSync(ninth, definitions, { recursive: true });
      else rmSync(join(definitions, 'capability/practitioner.json'));
      const asked = run(['definitions', 'reload', ...store]);
      await wait(200 + Math.random() * 600);
      server.process.kill('SIGKILL');
      await server.ended;
      expect([0, 1]).toContain((await asked).code);
      server = start();
      const [, address = ''] = await server.until(/Serves (http:\S+)\/r4/);
      expect(await hasNinth(address)).toBe(isAdded);
      expect((await run(['definitions', 'reload', ...store])).stdout).toContain('The definitions are unchanged');
      server.process.kill('SIGTERM');
      await server.ended;
      expect((await run(['verify', ...store, ...own])).code).toBe(0);
      expect((await run(['index', 'verify', ...store, ...own, '--partition', 'clinic'])).code).toBe(0);
    }
  } finally {
    server?.process.kill('SIGTERM');
    await server?.ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

const patients = Array.from({ length: 300 }, (_, at) =>
  JSON.stringify({ resourceType: 'Patient', id: `p${at}`, name: [{ family: 'Roy' }], gender: 'female' }),
);

/** Whether practitioners can be searched. A new type of a store that other servers may use is 503 for a short time. */
async function hasNinth(address: string): Promise<boolean> {
  for (;;) {
    const { status } = await fetch(`${address}/r4/clinic/Practitioner?name=a`);
    if (status !== 503) return status === 200;
    await wait(100);
  }
}
