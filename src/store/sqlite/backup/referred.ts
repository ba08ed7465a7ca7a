import type { Database } from '../open.ts';

/** An attachment of a partition by number that a version of a record references. */
export interface Bytes {
  readonly n: number;
  readonly digest: string;
  readonly size: number;
}

/** Rows per read. */
const rowSlice = 512;

const inPartitions = 'n IN (SELECT n FROM partitions WHERE id IS NOT NULL)';

/** All referenced attachments, in slices. Those of a partition that is being removed are not copied. */
export function* referred(database: Database): Iterable<readonly Bytes[]> {
  let [n, digest] = [0, ''];
  while (hasAttachments(database)) {
    const rows = database
      .all(
        `SELECT n, digest, max(size) FROM attachments WHERE (n, digest) > (?, ?) AND ${inPartitions}
         GROUP BY n, digest ORDER BY n, digest LIMIT ${rowSlice}`,
        [n, digest],
      )
      .map(([n, digest, size]) => ({ n: Number(n), digest: String(digest), size: Number(size) }));
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowSlice) return;
    ({ n, digest } = last);
  }
}

/** Their number and total size. */
export function totals(database: Database): readonly [files: number, size: number] {
  if (!hasAttachments(database)) return [0, 0];
  const sizes = `SELECT max(size) AS size FROM attachments WHERE ${inPartitions} GROUP BY n, digest`;
  const [files, size] = database.get(`SELECT count(*), coalesce(sum(size), 0) FROM (${sizes})`) ?? [];
  return [Number(files), Number(size)];
}

/** The first layout has none. */
export function hasAttachments(database: Database): boolean {
  return database.get(`SELECT 1 FROM sqlite_schema WHERE name = 'attachments'`) !== undefined;
}
