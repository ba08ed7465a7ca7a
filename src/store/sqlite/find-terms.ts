import { afterPrefix } from '../keys/interval.ts';
import type { FindTerms } from './lower.ts';
import type { Database } from './open.ts';

/**
 * Finds the terms of an index with a prefix by leaping from one to the next: one step per term, however often it
 * occurs.
 */
export function referenceTermsOf(database: Database): FindTerms {
  return (p, prefix) => {
    const found: string[] = [];
    const end = afterPrefix(prefix) ?? '';
    let row = database.get('SELECT v FROM terms WHERE p = ? AND v >= ? AND v < ? ORDER BY v LIMIT 1', [p, prefix, end]);
    while (row !== undefined) {
      const term = String(row[0]);
      found.push(term);
      row = database.get('SELECT v FROM terms WHERE p = ? AND v > ? AND v < ? ORDER BY v LIMIT 1', [p, term, end]);
    }
    return found;
  };
}
