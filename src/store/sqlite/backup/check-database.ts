import type { Bytes, Referenced } from '../../backup/attachments.ts';
import type { Pace } from '../../backup/pace.ts';
import type { BackupFinding } from '../../backup/port.ts';
import { bytesOf } from '../../files/sweep.ts';
import type { StoreFinding } from '../../port/transfer.ts';
import { reportParts } from '../../upkeep/verify.ts';
import { knownAttachments } from '../attachments.ts';
import type { Database } from '../open.ts';
import { partsOfFile } from '../verify-store.ts';
import { attempt } from '../walk-table.ts';

/**
 * Damage of a database that no process writes to: everything that `verify` finds without definitions, so that only the
 * comparison of index entries is left. SQLite's check, which reads the whole file, is not rate limited.
 */
export async function checkDatabase(
  database: Database,
  path: string,
  pace: Pace,
  step: (done: number, of: number) => void,
): Promise<readonly BackupFinding[]> {
  const parts = partsOfFile(database, path);
  const { size, versions } = extent(database);
  const found: StoreFinding[] = [];
  const read = { records: 0, versions: 0 };
  for await (const { step: part, checked, findings } of reportParts(parts)) {
    found.push(...findings);
    if (part !== 'records' && part !== 'versions') continue;
    const share = versions === 0 ? 0 : size / versions; // versions are counted, not bytes
    const more = (checked - read[part]) * share;
    read[part] = checked;
    step(Math.min((read.records + read.versions) * share, size), size);
    await pace.spend(more);
  }
  return found.map(one => ({ in: 'database', ...one }));
}

/** Size of the database, and its number of versions of records; 0 if that cannot be read. */
function extent(database: Database): { readonly size: number; readonly versions: number } {
  const one = (text: string): number => Number(attempt(() => database.get(text)).value?.[0] ?? 0);
  return {
    size: one('PRAGMA page_count') * one('PRAGMA page_size'),
    versions: one('SELECT count(*) FROM resources') + one('SELECT count(*) FROM versions'),
  };
}

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
