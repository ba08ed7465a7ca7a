import type { BackupFinding } from '../../backup/port.ts';
import type { StoreFinding } from '../../port/transfer.ts';
import { reportParts } from '../../upkeep/verify.ts';
import type { Database } from '../open.ts';
import { partsOfFile } from '../verify-store.ts';
import { attempt } from '../walk-table.ts';
import type { Pace } from '../../backup/pace.ts';

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
