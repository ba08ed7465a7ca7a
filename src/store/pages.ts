import type { Position, Query } from '../search/ast.ts';
import type { RecordStore, StoredVersion } from './records.ts';

/** How many records are read at a time. */
const page = 200;

/** The current records of a type that match, in id order, page by page. Throws what a search throws. */
export async function* pagesOf(
  partition: Pick<RecordStore, 'search'>,
  type: string,
  query: Query,
): AsyncIterable<readonly StoredVersion[]> {
  const sort = [{ by: 'id', descending: false }] as const;
  let after: Position | undefined;
  do {
    const { versions, next } = await partition.search(type, { query, sort, limit: page, ...(after && { after }) });
    yield versions;
    after = next;
  } while (after !== undefined);
}
