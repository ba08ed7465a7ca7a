import { expect, it } from 'vitest';
import { createByteBudget } from '../src/limits/byte-budget.ts';

it('gives so many bytes at the same time, in order, and more than all of them only alone', async () => {
  const budget = createByteBudget(10);
  const begun: string[] = [];
  const releases = new Map<string, () => void>();
  const begin = (name: string, bytes: number): void =>
    void budget.take(bytes).then(release => {
      begun.push(name);
      releases.set(name, release);
    });
  const settled = () => new Promise(resolve => setImmediate(resolve));
  begin('a', 6);
  begin('b', 4);
  begin('c', 1_000);
  begin('d', 1); // fits, but c was first
  await settled();
  expect(begun).toEqual(['a', 'b']);
  releases.get('a')?.();
  releases.get('a')?.(); // counts once
  await settled();
  expect(begun).toEqual(['a', 'b']);
  releases.get('b')?.();
  await settled();
  expect(begun).toEqual(['a', 'b', 'c']);
  releases.get('c')?.();
  await settled();
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
});
