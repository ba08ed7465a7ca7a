import { expect, it } from 'vitest';
import { Pace } from '../../../src/store/backup/pace.ts';

/** Milliseconds that the work takes. */
async function timeOf(work: () => Promise<void> | void): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

it('takes the time that the bytes may take, also in small pieces', async () => {
  const pace = new Pace(1_000_000);
  expect(await timeOf(() => pace.spend(50_000))).toBeGreaterThanOrEqual(48);
  const inPieces = async (): Promise<void> => {
    for (let piece = 0; piece < 100; piece += 1) await pace.spend(500);
  };
  expect(await timeOf(inPieces)).toBeGreaterThanOrEqual(44);
  expect(await timeOf(() => pace.spendAsleep(50_000))).toBeGreaterThanOrEqual(44);
});

it('never waits without a limit', async () => {
  const pace = new Pace(Infinity);
  pace.spendAsleep(1e15);
  await expect(pace.spend(1e15)).resolves.toBeUndefined();
});
