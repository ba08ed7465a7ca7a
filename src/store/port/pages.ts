import type { Position, Query } from '../../search/ast.ts';
import type { Attached } from './blobs.ts';
import type { RecordStore, StoredVersion } from './records.ts';
import type { PartitionTransfer } from './transfer.ts';

/**
 * Most characters of the records on one page: a page ends before its limit where their texts are long, since answers
 * are bounded in bytes too. Twice the largest record of a load fits.
 */
export const mostPageText = 16 * 1024 * 1024;

/** A found record, or a document of one. */
interface WithText {
  readonly text?: string | undefined;
}

/** The number of records that a page of at most `limit` has, of those found in its order: at least one. */
export function fitting(found: readonly WithText[], limit: number): number {
  const most = Math.min(found.length, limit);
  let characters = 0;
  for (let at = 0; at < most; at++) {
    characters += found[at]?.text?.length ?? 0;
    if (characters > mostPageText) return Math.max(at, 1);
  }
  return most;
}

/** Whether these are a whole page of at most `limit`, and perhaps more. */
export const isFull = (found: readonly WithText[], limit: number): boolean =>
  found.length >= limit || fitting(found, limit) < found.length;

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

/** The number of current resources of these types in a partition. */
export async function recordsIn(partition: Pick<RecordStore, 'count'>, types: Iterable<string>): Promise<number> {
  let count = 0;
  for (const type of types) count += await partition.count(type);
  return count;
}

/** The attachments of the current versions of records of a type, by id; a deleted record has none. */
export async function currentAttachments(
  partition: Pick<PartitionTransfer, 'export'>,
  type: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly Attached[]>> {
  const found = new Map<string, readonly Attached[]>();
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return found;
  const scope = { order: 'newest', of: [{ type, ids: wanted }], slice: wanted.length } as const;
  for await (const { id, attachments } of partition.export(scope)) {
    if (!found.has(id)) found.set(id, attachments); // the newest version comes first
    if (found.size === wanted.length) break;
  }
  return found;
}
