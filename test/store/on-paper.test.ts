import { expect, it } from 'vitest';
import { billion, rangeRows, sizeRows, touchedRows } from '../bench/on-paper.ts';
import { rowsOf } from '../support/readmes.ts';

const readme = 'src/store/mongo/README.md';

it('the README says what a billion records take on a sharded cluster, as it is computed', () => {
  expect(rowsOf(readme, 'What')).toEqual(sizeRows(billion));
  expect(rowsOf(readme, 'What is spread')).toEqual(rangeRows(billion));
});

it.each<[kind: string, shards: string]>([
  ['search by owner', '1'],
  ['search without the owner', '1 to 2'],
  ['a partition is removed', '32'],
])('a %s touches %s of 32 shards, by the table of the README', (kind, shards) => {
  expect(touchedRows(billion)).toContainEqual([kind, shards]);
});

it('what is larger than a range touches more shards, but never more than there are', () => {
  const one = { records: 1e8, partitions: 1, shards: 4 };
  expect(touchedRows(one)).toContainEqual(['search without the owner', '1 to 4']);
});
