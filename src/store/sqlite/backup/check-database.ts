import type { BackupFinding } from '../../backup-port.ts';
import type { StoreFinding } from '../../transfer.ts';
import { isTold, type Told } from '../../told-findings.ts';
import { attempt } from '../attempt.ts';
import { layout, layoutOf } from '../migrations.ts';
import type { Database } from '../open.ts';
import { readPlaces } from '../places.ts';
import { fileFindings } from '../verify-file.ts';
import { verifyRecords } from '../verify-records.ts';
import { verifyValues } from '../verify-values.ts';
import type { Pace } from './pace.ts';

/** Lines of SQLite's own check that are reported of an older layout. */
const most = 100;

/**
 * What is damaged in a database that no process writes to: all that `verify` finds without definitions, so that only
 * the comparison of index entries is left to it. One of an older layout is checked by SQLite alone. SQLite's check,
 * which reads the whole file, is not paced.
 */
export async function checkDatabase(
  database: Database,
  path: string,
  pace: Pace,
  step: (done: number, of: number) => void,
): Promise<readonly BackupFinding[]> {
  const told: Told = new Set();
  const found: StoreFinding[] = [];
  const report = (findings: readonly StoreFinding[]): void =>
    void found.push(...findings.filter(one => !isTold(told, one)));
  if (layoutOf(database, path) < layout) report(integrityFindings(database));
  else {
    const places = readPlaces(database);
    report(fileFindings(database, path, places));
    const work = { database, places, partition: undefined, isDamaged: found.length > 0 };
    const { size, versions } = extent(database);
    let done = 0;
    for (const table of ['resources', 'versions'] as const)
      for await (const { checked, findings } of verifyRecords(work, table)) {
        report(findings);
        const read = versions === 0 ? 0 : (checked * size) / versions; // versions are counted, not bytes
        done += read;
        step(Math.min(done, size), size);
        await pace.spend(read);
      }
    for await (const { findings } of verifyValues(database)) report(findings);
  }
  return found.map(one => ({ in: 'database', ...one }));
}

function integrityFindings(database: Database): readonly StoreFinding[] {
  const check = attempt(() => database.all(`PRAGMA integrity_check(${most})`).map(([line]) => String(line)));
  const lines = check.value ?? [`the check ended: ${check.failed}`];
  return lines.filter(line => line !== 'ok').map(why => ({ is: 'file', partition: undefined, what: '-', why }));
}

/** Bytes of the database, and how many versions of records are in it; 0 where that cannot be read. */
function extent(database: Database): { readonly size: number; readonly versions: number } {
  const one = (text: string): number => Number(attempt(() => database.get(text)).value?.[0] ?? 0);
  return {
    size: one('PRAGMA page_count') * one('PRAGMA page_size'),
    versions: one('SELECT count(*) FROM resources') + one('SELECT count(*) FROM versions'),
  };
}
