import type { NotIndexedCounts } from '../indexing/not-indexed.ts';
import { count } from './progress.ts';

/** A line for each search parameter and reason: how many records are not indexed by it, and the first of them. */
export const notIndexedLines = ({ all }: NotIndexedCounts): readonly string[] =>
  all.map(({ first: { type, id, param, why }, records }) => {
    const [what, which] = records === 1 ? ['record is', `${type}/${id}`] : ['records are', `${type}/${id} and others`];
    return `${count(records)} ${what} not indexed by ${type}?${param}, whose expression fails on ${which}: ${why}`;
  });
