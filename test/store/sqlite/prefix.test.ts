import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IndexEntry } from '../../../src/indexing/entry.ts';
import type { Query } from '../../../src/search/ast.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Partition } from '../../../src/store/port/partitions.ts';
import type { Store } from '../../../src/store/port/store.ts';
import { entry, model, quantity, thing, token } from '../../search/thing.ts';
import * as t from '../support/fixture.ts';

/** A component of a composite with any code: what no query of a client asks, and the plan lowers to any term. */
describe('a component that has any term', () => {
  let place: Awaited<ReturnType<typeof t.newPlace>>;
  let store: Store;
  let partition: Partition;

  beforeAll(async () => {
    place = await t.newPlace();
    ({ store, demo: partition } = await t.openDemo(place.url, { model }, openStore));
    const tuples = (...of: readonly (readonly [code: string | undefined, size: number])[]): readonly IndexEntry[] =>
      of.map(([code, size]) => {
        const codes = code === undefined ? [] : [token('http://s', code)];
        return entry('code-size', { kind: 'composite', of: [codes, [quantity(size)]] });
      });
    const records = {
      both: tuples(['a', 1], ['b', 2]),
      bare: tuples([undefined, 1]),
      apart: tuples([undefined, 1], ['a', 2]),
    };
    for (const [id, entries] of Object.entries(records)) await partition.write([put(id, entries)]);
  });
  afterAll(async () => {
    await store.close();
    await place.remove();
  });

  it('is in the same tuple as the other component', async () => {
    const param = thing.indexed.get('code-size');
    if (param === undefined) throw new Error('The type lacks the parameter');
    const bounds = [{ end: 'low', is: '<', value: 1.5 } as const];
    const query: Query = {
      kind: 'param',
      param,
      test: { kind: 'composite', of: [{ kind: 'token' }, { kind: 'quantity', bounds }] },
    };
    const sort = [{ by: 'id', descending: false }] as const;
    const { versions } = await partition.search(thing.name, { query, sort, limit: 10 });
    expect(versions.map(({ id }) => id)).toEqual(['both']);
  });
});

function put(id: string, entries: readonly IndexEntry[]): ReturnType<typeof t.put> {
  const of = t.put(id, entries);
  return { ...of, type: thing.name };
}
