import type { Position, Query } from '../../search/ast.ts';
import type { RecordStore, StoredVersion } from './records.ts';

/** Records that are read together. */
const page = 200;

/** The matching current records of a type, in id order, page by page. Throws the errors of a search. */
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
