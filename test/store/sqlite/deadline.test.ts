import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Query } from '../../../src/search/ast.ts';
import { DeadlinePassed, StoreBusy } from '../../../src/store/port/errors.ts';
import type { Partition } from '../../../src/store/port/partitions.ts';
import type { Store } from '../../../src/store/port/store.ts';
import * as t from '../support/fixture.ts';

const contains = (text: string): Query => ({
  kind: 'param',
  param: t.name,
  test: { kind: 'string', how: 'contains', text },
});

/** Many alternatives of "contains" that none of many names has: work that no index bounds, longer than the deadline. */
const never: Query = { kind: 'or', of: Array.from({ length: 2_000 }, (_, at) => contains(`absent${at}`)) };

describe('work that is not bounded beforehand', () => {
  let place: t.Place;
  let store: Store;
  let demo: Partition;
  beforeAll(async () => {
    place = await t.newPlace();
    ({ store, demo } = await t.openDemo(place.url, { deadline: 100 }));
    for (let at = 0; at < 5; at += 1)
      await demo.write(Array.from({ length: 1_000 }, (_, i) => t.put(`r${at}-${i}`, [t.named(`Name zz${i}`)])));
  });
  afterAll(async () => {
    await store.close();
    await place.remove();
  });

  it('is stopped at the deadline, and the next is answered', async () => {
    const all = Array.from({ length: 200 }, (_, at) =>
      t.find(demo, t.and(never, { kind: 'not', of: { kind: 'id', anyOf: [`x${at}`] } })),
    );
    const results = await Promise.allSettled(all);
    expect(results.some(({ status }) => status === 'rejected')).toBe(true);
    const reasons = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []));
    expect(reasons.every(reason => reason instanceof DeadlinePassed || reason instanceof StoreBusy)).toBe(true);
    expect(await demo.count(t.typeName, { kind: 'id', anyOf: ['r0-0', 'nobody'] })).toBe(1);
  });

  it('is reported as busy if other searches take its time', async () => {
    const cheap = t.and({ kind: 'not', of: contains('zz1') });
    const before = Array.from({ length: 400 }, () => demo.count(t.typeName, never).catch(() => undefined));
    const waiting = await demo.count(t.typeName, cheap).catch((error: unknown) => error);
    await Promise.all(before);
    expect(waiting).toBeInstanceOf(StoreBusy);
    await vi.waitFor(async () => expect(await demo.count(t.typeName, cheap)).toBeGreaterThan(0), { timeout: 20_000 });
  });

  it('leaves the event loop free', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    await expect(t.find(demo, never)).rejects.toThrow(DeadlinePassed);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });
});
