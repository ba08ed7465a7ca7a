import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { fewAtOnce } from '../../src/store/record/few-at-once.ts';

describe('few at once', () => {
  it.each([
    [0, 3, 0],
    [2, 3, 2],
    [10, 3, 3],
    [10, 1, 1],
  ])('%i items, %i at a time: %i at most run together, and the results are in order', async (items, most, together) => {
    let [running, seen] = [0, 0];
    const results = await fewAtOnce(Array(items).keys(), most, async at => {
      running += 1;
      seen = Math.max(seen, running);
      for (let turns = at % 4; turns >= 0; turns--) await setImmediate(); // they end in another order
      running -= 1;
      return at * 2;
    });
    expect(seen).toBe(together);
    expect(results).toEqual(Array.from({ length: items }, (_, at) => at * 2));
  });

  it('begins nothing more after a failure, and waits for what was begun', async () => {
    const ended: number[] = [];
    const work = fewAtOnce([0, 1, 2, 3, 4], 2, async at => {
      await setImmediate();
      if (at === 0) throw new Error('of the first');
      await setImmediate();
      ended.push(at);
    });
    await expect(work).rejects.toThrow('of the first');
    expect(ended).toEqual([1]);
  });
});
