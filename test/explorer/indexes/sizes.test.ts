// https://sqlite.org/dbstat.html
import { expect, it } from 'vitest';
import { Recent } from '../../../src/explorer/indexes/recent.ts';
import { total, typeOf } from '../../../src/explorer/indexes/index-table.ts';
import type { DatabaseIndex } from '../../../src/store/port/indexes.ts';

const index = (bytes: number): DatabaseIndex => ({ collection: 'terms', name: 'terms', state: 'ready', bytes });

it('a value is measured once at a time, in the background, and again when it is old', async () => {
  let now = 0;
  const asked: ((of: number | Error) => void)[] = [];
  const failures: unknown[] = [];
  const measure = () =>
    new Promise<number>((resolve, reject) => {
      asked.push(of => (of instanceof Error ? reject(of) : resolve(of)));
    });
  const recent = new Recent<number>(100);
  const how = { measure, now: () => now, failed: (error: unknown) => failures.push(error) };
  const [server, other] = [{}, {}];
  const last = (): number | undefined => recent.last(server, 'demo', how)?.of;
  const answer = async (of: number | Error): Promise<void> => {
    asked.at(-1)?.(of);
    await new Promise(setImmediate);
  };
  expect([last(), last(), asked.length]).toEqual([undefined, undefined, 1]);
  await answer(15);
  expect([last(), asked.length]).toEqual([15, 1]);
  now = 100;
  expect([last(), asked.length]).toEqual([15, 2]);
  await answer(new Error('gone'));
  expect([last(), asked.length, failures.length]).toEqual([15, 3, 1]);
  await answer(7);
  expect(last()).toBe(7);

  const first = recent.get(other, 'demo', how);
  expect(asked.length).toBe(4); // another server has its own
  await answer(3);
  expect([await first, await recent.get(other, 'demo', how), asked.length]).toEqual([3, 3, 4]);
});

it('an index belongs to the type of its collection, or to all', () => {
  expect(['Patient', 'Patient.history', 'terms'].map(collection => typeOf({ ...index(1), collection }))).toEqual([
    'Patient',
    'Patient',
    undefined,
  ]);
  expect([total([index(10), index(5)]), total([{ ...index(1), bytes: undefined }])]).toEqual([15, undefined]);
});
