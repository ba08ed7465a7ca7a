import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Query, Sort } from '../../../src/search/ast.ts';
import { openClinic, picture, shippedModel } from '../support/shipped.ts';

it('a search for what no resource has finds nothing, beside any other condition and in any order', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'nothing-'));
  const model = await shippedModel();
  const { store, clinic } = await openClinic(`sqlite:${join(folder, 'records.sqlite')}`, model);
  await clinic.write([picture('a', 'a')]);
  const param = model.types.get('Media')?.indexed.get('patient');
  if (param === undefined) throw new Error('The parameter is not there');
  // Without a type the terms of the reference are looked up: there are none.
  const nothing: Query = { kind: 'param', param, test: { kind: 'reference', id: 'nobody' } };
  const recent: Query = { kind: 'lastUpdated', bounds: [{ end: 'low', is: '>=', value: 5 }] };
  const sorts: Sort[] = [
    { by: 'default', descending: true },
    { by: 'id', descending: false },
    { by: 'lastUpdated', descending: true },
  ];
  for (const sort of sorts) {
    const ids = async (query: Query): Promise<readonly string[]> =>
      (await clinic.search('Media', { query, sort: [sort], limit: 5 })).versions.map(({ id }) => id);
    expect(await ids(nothing)).toEqual([]);
    expect(await ids({ kind: 'and', of: [recent, nothing] })).toEqual([]);
    expect(await ids({ kind: 'and', of: [recent, { kind: 'not', of: nothing }] })).toEqual(['a']);
  }
  expect(await clinic.count('Media', { kind: 'and', of: [recent, nothing] })).toBe(0);
  await store.close();
  rmSync(folder, { recursive: true });
});
