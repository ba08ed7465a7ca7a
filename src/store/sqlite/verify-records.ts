import { setImmediate } from 'node:timers/promises';
import type { StoreFinding } from '../transfer.ts';
import type { Checked } from '../upkeep/report.ts';
import { attempt } from './attempt.ts';
import { checkedColumns, checkRow } from './check-row.ts';
import type { Database, Row } from './open.ts';
import { nameOf, type Places } from './places.ts';
import { rowsAround } from './rows-around.ts';
import { type Index, recordIndexes, undigestedFindings, Unindexed } from './unindexed.ts';
import type { Table } from './places.ts';
import { type Walked, walkTable } from './walk-table.ts';

/** Versions that are in memory at once. */
const slice = 50;

export interface VerifyRecords {
  readonly database: Database;
  readonly places: Places;
  /** The partition that is meant; undefined for all. */
  readonly partition: string | undefined;
  /** Something is wrong with the file, so that each index is asked what the table should hold. */
  readonly isDamaged: boolean;
  /** Takes the latest `last_updated` by partition number. */
  readonly latest: Map<number, number>;
}

/**
 * Checks all versions that a table holds, in the order in which they lie. Where the file is damaged it then asks the
 * indexes, which are trees of their own, for what the table has lost or cannot give.
 */
export async function* verifyRecords(work: VerifyRecords, table: Table): AsyncIterable<Checked> {
  const { database } = work;
  const read = (after: number, limit: number): readonly Row[] =>
    database.all(`SELECT ${checkedColumns[table]} FROM ${table} NOT INDEXED WHERE rowid > ? ORDER BY rowid LIMIT ?`, [
      after,
      limit,
    ]);
  const unindexed = new Unindexed(database, work.places, table);
  for (const stretch of rowsAround(read, slice)) {
    if ('why' in stretch) {
      const why = `rows of \`${table}\` behind number ${stretch.after}: ${stretch.why}`;
      yield { checked: 0, findings: [{ is: 'file', partition: undefined, what: '-', why }] };
    } else {
      const step = checkedStep(work, table, stretch.rows);
      const meant = work.isDamaged ? stretch.rows.filter(row => isMeant(work, Number(row[1]))) : [];
      yield { ...step, findings: [...step.findings, ...meant.flatMap(row => unindexed.of(row))] };
    }
    await setImmediate();
    database.endMoment();
  }
  yield { checked: 0, findings: undigestedFindings(database, table) };
  if (!work.isDamaged) return;
  for (const index of recordIndexes[table])
    for (const t of work.places.keys())
      for (const entries of walkTable(database, entriesOf(table, index, t), slice)) {
        yield { checked: 0, findings: entries.flatMap(entry => lostBy(work, table, t, entry) ?? []) };
        await setImmediate();
        database.endMoment();
      }
}

function checkedStep(work: VerifyRecords, table: Table, rows: readonly Row[]): Checked {
  const findings: StoreFinding[] = [];
  let [checked, undigested] = [0, 0];
  for (const row of rows) {
    if (!isMeant(work, Number(row[1]))) continue;
    const { finding, undigested: isWithout } = checkRow(work.database, work.places, table, row);
    checked += 1;
    if (isWithout) undigested += 1;
    if (finding !== undefined) findings.push(finding);
    const n = work.places.get(Number(row[1]))?.n;
    if (n !== undefined) work.latest.set(n, Math.max(work.latest.get(n) ?? 0, Number(row[4])));
  }
  return { checked, undigested, findings };
}

/** Of all partitions what no partition is known for too. */
function isMeant({ places, partition }: VerifyRecords, t: number): boolean {
  const place = places.get(t);
  if (partition !== undefined) return place?.partition === partition;
  return place?.isRemoved !== true;
}

/** The entries `key…, rowid` of an index for a type. */
const entriesOf = (table: Table, { name, key, isPartial }: Index, t: number): Walked => ({
  from: `${table} INDEXED BY ${name}`,
  key,
  rest: ['rowid'],
  where: [isPartial ? 't = ? AND ord IS NOT NULL' : 't = ?', t],
});

/** What is wrong where an index names a row: it cannot be read, or another or none is there. */
function lostBy(work: VerifyRecords, table: Table, t: number, entry: Row): StoreFinding | undefined {
  if (!isMeant(work, t)) return undefined;
  const rowid = entry.at(-1) ?? null;
  const id = entry.find(value => typeof value === 'string') ?? null;
  const row = attempt(() =>
    work.database.get(`SELECT ${checkedColumns[table]} FROM ${table} NOT INDEXED WHERE rowid = ?`, [rowid]),
  );
  const name = nameOf(work.places, table, [t, id, table === 'versions' ? (entry[1] ?? null) : null]);
  if (row.failed !== undefined) return { is: 'unreadable', ...name, why: row.failed };
  const isThere = row.value?.[1] === t && row.value[2] === id;
  if (!isThere) return { is: 'lost', ...name, why: 'an index names it, and the table does not hold it' };
  return checkRow(work.database, work.places, table, row.value ?? []).finding;
}
