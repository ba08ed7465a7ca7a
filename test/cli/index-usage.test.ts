// `index usage`: which indexes searches used, as the server has counted them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEngine } from '../../src/engine/engine.ts';
import { readConfig } from '../../src/config/read.ts';
import { requireModel } from '../support/loaded-once.ts';
import { newStorePlace, type Place } from '../support/store-place.ts';
import { inOneProcess } from './one-process.ts';

const run = inOneProcess();
let place: Place;
beforeAll(async () => {
  place = await newStorePlace();
});
afterAll(() => place.remove());

/** Starts a server, asks it, and ends it. */
async function ask(...paths: readonly string[]): Promise<void> {
  const flags = [
    '--port',
    '0',
    '--store',
    place.url,
    '--log',
    'off',
    '--access',
    'open',
    '--authorization-server',
    'off',
  ];
  const running = await startEngine(readConfig(flags), undefined, { load: requireModel });
  await running.engine.store.partitions.add('demo', { zone: 'UTC' });
  for (const path of paths) expect((await fetch(`${running.url}/r4/demo/${path}`)).status).toBe(200);
  await running.close();
}

describe('index usage', () => {
  it('lists every declared index with its uses, of all servers, the most used first', async () => {
    await ask('Observation?patient=p1&code=secret-code&_sort=date', 'Observation?category=x', 'Observation?category=y');
    await ask('Patient?name=secret-name&_total=accurate', 'Observation?category=z');
    const { code, stdout } = await run(['index', 'usage', '--store', place.url]);
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    const today = new Date().toISOString().slice(0, 10);
    expect(lines[0]).toBe(`Observation?date\tsort\t4\t${today}`);
    expect(lines[1]).toBe(`Observation?category\tsearch\t3\t${today}`);
    expect(lines).toContain(`Observation?patient+code\tsearch\t1\t${today}`);
    expect(lines).toContain(`Patient?name\tsearch\t2\t${today}`);
    expect(lines).toContain('Observation?code\tsearch\tnever\t-');
    expect(lines.at(-1)).toMatch(
      new RegExp(`^4 indexes used, \\d+ never, in the last 7 days; counted since ${today}\\.$`),
    );
    expect(stdout).not.toContain('secret');
  });

  it('lists those that no search used', async () => {
    const { stdout } = await run(['index', 'usage', '--unused', '--days', '1', '--store', place.url]);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.slice(0, -1).every(line => line.endsWith('\tnever\t-'))).toBe(true);
    expect(lines).toContain('Observation?code\tsearch\tnever\t-');
    expect(lines.at(-1)).toContain('in the last 1 day;');
  });

  it('rejects more days than are stored', async () => {
    expect(await run(['index', 'usage', '--days', '32', '--store', place.url])).toMatchObject({ code: 2 });
  });
});
