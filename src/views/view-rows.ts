import type { Query } from '../search/ast.ts';
import { pagesOf } from '../store/port/pages.ts';
import type { RecordStore } from '../store/port/records.ts';
import { readRows } from './read-rows.ts';
import { RowError } from './row-error.ts';
import { readRecord } from './rows.ts';
import type { ViewRow } from './rows.ts';
import type { View } from './view.ts';

/**
 * The rows of the matching records of a partition, in the order of their ids, page by page and `limit` at most. Throws
 * RowError with the record, TextDamaged, and the errors of a search.
 */
export async function* viewRows(
  partition: Pick<RecordStore, 'search'>,
  view: View,
  query: Query,
  { limit = Infinity, now = new Date().toISOString() }: { readonly limit?: number; readonly now?: string } = {},
): AsyncGenerator<readonly ViewRow[]> {
  let left = limit;
  if (left === 0) return;
  for await (const versions of pagesOf(partition, view.resourceType, query)) {
    const rows: ViewRow[] = [];
    for (const { type, id, text } of versions) {
      if (text === undefined || rows.length >= left) continue;
      for (const row of await inRecord(`${type}/${id}`, async () => readRows(view, readRecord(text), now)))
        rows.push(row);
    }
    yield rows.slice(0, left);
    left -= rows.length;
    if (left <= 0) return;
  }
}

async function inRecord<T>(record: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    throw new RowError(error.code, error.message, { place: error.place, record });
  }
}
