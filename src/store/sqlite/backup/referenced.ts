import type { Bytes, Referenced } from '../../backup/attachments.ts';
import { knownAttachments } from '../attachment-rows.ts';
import type { Database } from '../open.ts';
import { bytesOf } from '../../files/sweep.ts';

/** Rows per read. */
const rowSlice = 512;

const inPartitions = 'n IN (SELECT n FROM partitions WHERE id IS NOT NULL)';

/** The attachments that a database references, which are beside a file. */
export function referencedBy(database: Database, file: string): Referenced {
  const partitions = database.all('SELECT id, n FROM partitions WHERE id IS NOT NULL ORDER BY id');
  const sizes = `SELECT max(size) AS size FROM attachments WHERE ${inPartitions} GROUP BY n, digest`;
  const [files, size] = database.get(`SELECT count(*), coalesce(sum(size), 0) FROM (${sizes})`) ?? [];
  return {
    files: Number(files),
    size: Number(size),
    partitions: new Map(partitions.map(([id, n]) => [String(id), Number(n)])),
    slices: () => slicesOf(database),
    bytes: n => bytesOf(knownAttachments(database), file, n, -Infinity),
  };
}

function* slicesOf(database: Database): Iterable<readonly Bytes[]> {
  for (let [n, digest] = [0, '']; ;) {
    const rows = database
      .all(
        `SELECT n, digest, max(size) FROM attachments WHERE (n, digest) > (?, ?) AND ${inPartitions}
         GROUP BY n, digest ORDER BY n, digest LIMIT ${rowSlice}`,
        [n, digest],
      )
      .map(([of, name, size]) => ({ n: Number(of), digest: String(name), size: Number(size) }));
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowSlice) return;
    ({ n, digest } = last);
  }
}
