import { setImmediate } from 'node:timers/promises';
import type { StoreFinding } from '../port/transfer.ts';
import type { Checked } from '../upkeep/report.ts';
import { attempt } from './attempt.ts';
import { checkedColumns, checkRow } from './check-row.ts';
import type { Database, Row } from './open.ts';
import { nameOf, type Places, type Table } from './places.ts';
import { rowsAround } from './rows-around.ts';
import { conditionsOf, type Index, recordIndexes, Unindexed } from './unindexed.ts';
import { type Walked, walkTable } from './walk-table.ts';

/** Versions in memory. */
const versionSlice = 50;

export interface VerifyRecords {
  readonly database: Database;
  readonly places: Places;
  /** The partition; undefined for all. */
  readonly partition: string | undefined;
  /** The file is damaged, so that each index is compared with the table. */
  readonly isDamaged: boolean;
  /** Receives the latest `last_updated` by partition number. */
  readonly latest: Map<number, number>;
}

/**
 * Checks all versions of a table, in their physical order. If the file is damaged it then reads the indexes, which are
 * separate trees, to find rows that the table has lost or that are unreadable.
 */
export async function* verifyRecords(work: VerifyRecords, table: Table): AsyncIterable<Checked> {
  const { database } = work;
  const read = (after: number, limit: number): readonly Row[] =>
    database.all(`SELECT ${checkedColumns[table]} FROM ${table} NOT INDEXED WHERE rowid > ? ORDER BY rowid LIMIT ?`, [
      after,
      limit,
    ]);
  const unindexed = new Unindexed(database, work.places, table);
  for (const stretch of rowsAround(read, versionSlice)) {
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
  if (!work.isDamaged) return;
  for (const index of recordIndexes[table])
    for (const t of work.places.keys())
      for (const entries of walkTable(database, entriesOf(table, index, t), versionSlice)) {
        yield { checked: 0, findings: entries.flatMap(entry => lostBy(work, table, t, entry) ?? []) };
        await setImmediate();
        database.endMoment();
      }
}

function checkedStep(work: VerifyRecords, table: Table, rows: readonly Row[]): Checked {
  const findings: StoreFinding[] = [];
  let checked = 0;
  for (const row of rows) {
    if (!isMeant(work, Number(row[1]))) continue;
    const finding = checkRow(work.database, work.places, table, row);
    checked += 1;
    if (finding !== undefined) findings.push(finding);
    const n = work.places.get(Number(row[1]))?.n;
    if (n !== undefined) work.latest.set(n, Math.max(work.latest.get(n) ?? 0, Number(row[4])));
  }
  return { checked, findings };
}

/** For all partitions, also rows without a known partition. */
function isMeant({ places, partition }: VerifyRecords, t: number): boolean {
  const place = places.get(t);
  if (partition !== undefined) return place?.partition === partition;
  return place?.isRemoved !== true;
}

/** The entries `key…, rowid` of an index for a type. */
const entriesOf = (table: Table, { name, key, of }: Index, t: number): Walked => ({
  from: `${table} INDEXED BY ${name}`,
  key,
  rest: ['rowid'],
  where: [`t = ? ${conditionsOf[of]}`, t],
});

/** The finding about a row that an index names: it is unreadable, or another or none exists. */
function lostBy(work: VerifyRecords, table: Table, t: number, entry: Row): StoreFinding | undefined {
  if (!isMeant(work, t)) return undefined;
  const rowid = entry.at(-1) ?? null;
  const id = entry.find(value => typeof value === 'string') ?? null;
  const row = attempt(() =>
    work.database.get(`SELECT ${checkedColumns[table]} FROM ${table} NOT INDEXED WHERE rowid = ?`, [rowid]),
  );
  const name = nameOf(work.places, table, [t, id, table === 'versions' ? (entry.at(-2) ?? null) : null]);
  if (row.failed !== undefined) return { is: 'unreadable', ...name, why: row.failed };
  const isThere = row.value?.[1] === t && row.value[2] === id;
  if (!isThere) return { is: 'lost', ...name, why: 'an index names it, but the table does not have it' };
  return checkRow(work.database, work.places, table, row.value ?? []);
}
