import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import type { Partition } from '../../../src/store/port/partitions.ts';
import * as t from '../support/fixture.ts';
import { runAndKill } from '../support/run-and-kill.ts';
import { indexSteps } from '../support/verified.ts';

const child = 'load-child.ts';
const rounds = Number(process.env['CRS_TEST_ROUNDS'] ?? 5);

it(
  `a load that is killed ${rounds} times loses nothing acknowledged`,
  { timeout: 60_000 + rounds * 60_000 },
  async () => {
    const place = await t.newPlace();
    let next = 0;
    for (let round = 0; round < rounds; round += 1) {
      // Every other time it has acknowledged a batch, however slow the machine.
      const due = round % 2 === 0 ? /^ready$/m : /^done /m;
      const said = await runAndKill(child, [place.url, 'load', String(next)], Math.random() * 100, due);
      const acknowledged = said.flatMap(line => (line.startsWith('done ') ? [Number(line.slice(5))] : []));
      const { store, demo } = await t.openDemo(place.url);
      const marked = Number((await demo.mark('load')) ?? -1);
      expect(marked).toBeGreaterThanOrEqual(acknowledged.at(-1) ?? next - 1);
      next = marked + 1;
      if (next > 0) await expectBatches(demo, next);
      const steps = round % 10 === 9 ? await indexSteps(store, 'demo') : [];
      expect(steps.flatMap(({ findings }) => findings)).toEqual([]);
      await store.close();
      expect(integrity(place.path)).toBe('ok');
    }
    expect(next).toBeGreaterThanOrEqual(Math.floor(rounds / 2));
    await place.remove();
  },
);

it('a rebuild that is killed continues', { timeout: 120_000 }, async () => {
  const place = await t.newPlace();
  const first = await t.openDemo(place.url);
  for (let number = 0; number < 150; number += 1) await first.demo.write(t.batch(number));
  await first.store.close();
  const model = t.modelOf([t.owner, { ...t.code, digest: 'changed 1' }, t.name, t.date], 'changed 1');
  const progress: number[] = [];
  for (const after of [60, 90, 120]) {
    await runAndKill(child, [place.url, 'rebuild', '1'], after);
    const reader = await t.openDemo(place.url, { mode: 'command', model });
    progress.push(...(await t.pending(reader.store)).map(({ done }) => done));
    await reader.demo.write([t.put(`between-${after}`, [t.token('changed')]), t.remove(`b${after}-0`)]);
    await reader.store.close();
  }
  expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  const { store, demo } = await t.openDemo(place.url, { model });
  for (const end = Date.now() + 20_000; (await t.pending(store)).length > 0 && Date.now() < end;)
    await new Promise(done => setTimeout(done, 20));
  expect(await demo.count(t.typeName, t.hasCode('changed'))).toBe(149 + 3 - 3);
  expect(await demo.count(t.typeName, t.hasCode('c2'))).toBe(150 * 4);
  expect((await indexSteps(store, 'demo')).flatMap(({ findings }) => findings)).toEqual([]);
  await store.close();
  await place.remove();
});

/** All batches up to the next one are there, whole, and nothing of the next. */
async function expectBatches(demo: Partition, next: number): Promise<void> {
  expect(await demo.count(t.typeName, { kind: 'all' })).toBe(next * 20 - (next - 1));
  expect(await demo.count(t.typeName, t.hasCode('changed'))).toBe(next - 1);
  expect(await demo.count(t.typeName, t.and(t.isOf('p0'), t.hasCode('c0')))).toBe(next * 2 - (next - 1));
  expect(await t.find(demo, t.isNamed(`name ${next - 1}`), t.newest, 1)).toHaveLength(1);
  expect(await demo.read(t.typeName, `b${next}-5`)).toBeUndefined();
}

function integrity(path: string): unknown {
  const database = openDatabase(path, 'read');
  try {
    return database.get('PRAGMA integrity_check')?.[0];
  } finally {
    database.close();
  }
}
