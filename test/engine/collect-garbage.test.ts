import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collectGarbage } from '../../src/engine/parts/warm.ts';

it('collects what is no longer referenced, and leaves no `gc` behind', async () => {
  const references = Array.from({ length: 100 }, () => new WeakRef({}));
  await setImmediate(); // until then a new WeakRef keeps its target
  collectGarbage();
  expect(references.filter(reference => reference.deref() !== undefined)).toEqual([]);
  expect('gc' in globalThis).toBe(false);
});
