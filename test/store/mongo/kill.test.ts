import { expect, it } from 'vitest';
import { newMongoPlace } from '../../support/mongodb/place.ts';
import * as t from '../support/fixture.ts';
import { runAndKill } from '../support/run-and-kill.ts';
import { indexSteps } from '../support/verified.ts';

const rounds = Number(process.env['CRS_TEST_ROUNDS'] ?? 4);

it(
  `a load that is killed ${rounds} times and continues after its mark loses and doubles nothing`,
  { timeout: 60_000 + rounds * 60_000 },
  async () => {
    const place = await newMongoPlace();
    let next = 0;
    for (let round = 0; round < rounds; round += 1) {
      // Every other time it has acknowledged a batch, however slow the machine.
      const due = round % 2 === 0 ? /^ready$/m : /^done /m;
      const acknowledged = await loadAndKill(place.url, next, (round * 61) % 300, due);
      const { store, demo } = await t.openDemo(place.url, { mode: 'command' });
      const marked = Number((await demo.mark('load')) ?? -1);
      expect(marked).toBeGreaterThanOrEqual(acknowledged ?? next - 1);
      next = marked + 1;
      await store.close();
    }
    expect(next).toBeGreaterThanOrEqual(Math.floor(rounds / 2));
    const { store, demo } = await t.openDemo(place.url);
    // The batch behind the mark may be there in part: doing it again makes it whole.
    await demo.write(t.batch(next), t.each);
    const all = next + 1;
    expect(await demo.count(t.typeName, { kind: 'all' })).toBe(all * 20 - (all - 1));
    expect(await demo.count(t.typeName, t.hasCode('changed'))).toBe(all - 1);
    for (const at of [0, next - 1]) {
      expect(await demo.read(t.typeName, `b${at}-0`)).toMatchObject({ version: 2 });
      expect(await demo.read(t.typeName, `b${at}-0`, 1)).toMatchObject({ version: 1 });
      expect(await demo.read(t.typeName, `b${at}-1`)).toMatchObject({ version: 2, text: undefined });
    }
    expect((await indexSteps(store, 'demo')).flatMap(({ findings }) => findings)).toEqual([]);
    await store.close();
    await place.remove();
  },
);

/**
 * Loads, and kills that so many milliseconds after it has said what `due` matches. Gives the last batch that was
 * acknowledged; undefined where none was.
 */
async function loadAndKill(url: string, from: number, after: number, due: RegExp): Promise<number | undefined> {
  const output = await runAndKill('load-child.ts', [url, 'load', String(from)], after, due);
  const last = output.findLast(line => line.startsWith('done '));
  return last === undefined ? undefined : Number(last.slice(5));
}
