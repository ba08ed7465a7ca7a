import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newMongoPlace } from '../support/mongodb/place.ts';
import type { Place } from '../support/store-place.ts';
import { inOneProcess } from './one-process.ts';

const run = inOneProcess();
let place: Place;
let settings: readonly string[];
beforeAll(async () => {
  place = await newMongoPlace();
  settings = ['--store', place.url, '--capability', join(import.meta.dirname, '../fixtures/all-r4/capability')];
  await run(['partition', 'add', 'clinic', ...settings]);
  const record = { resourceType: 'Observation', id: 'o1', status: 'final', code: { text: 'x' } };
  await run(['load', '-', ...settings], { input: JSON.stringify(record) });
}, 120_000);
afterAll(() => place.remove());

it('`explain` prints the commands to MongoDB, their plans, and the rows', async () => {
  const { code, stdout } = await run(['explain', 'Observation?status=final&_sort=_id', ...settings]);
  expect(code).toBe(0);
  expect(stdout).toContain('Search of Observation: (param status (token any "final"))');
  expect(stdout).toMatch(/clause +\(terms status \d\) +t +range\n/);
  expect(stdout).toMatch(/\n +\{"find":"Observation","filter":.*"\?\|status\|\?/);
  expect(stdout).toMatch(/\n +IXSCAN t \(t, _id\)/);
  expect(stdout.trimEnd()).toMatch(/\d+ rows? examined, 1 returned\.$/);
});
