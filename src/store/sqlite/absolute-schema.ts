import type { Database } from './open.ts';
import type { SqlValue } from './sql.ts';

/**
 * The fourth layout: entries of absolute references do not depend on the public URL, and `absolute` marks the indexes
 * that have any. Indexes with such entries, and their pairs, are rebuilt (upgrade.ts); all others stay unchanged.
 */
export function freeOfPublicUrl(database: Database): void {
  database.exec(`
    ALTER TABLE parameters ADD COLUMN absolute INTEGER NOT NULL DEFAULT 0;
    UPDATE parameters SET digest = substr(digest, 1, instr(digest || ' ', ' ') - 1);
    UPDATE meta SET value = substr(value, 1, instr(value || ' ', ' ') - 1) WHERE key = 'definitions';
    UPDATE meta SET value = value + 1 WHERE key = 'epoch';
    INSERT INTO meta VALUES ('upgrade', '');
  `);
  const kept = database.all(`SELECT p, t, code FROM parameters WHERE state <> 'dropped'`);
  const changed = new Set(kept.flatMap(([p = 0, t, code]) => (hasAbsolute(database, p) ? [`${t} ${code}`] : [])));
  for (const [p = 0, t, code] of kept) {
    const [owner] = String(code).split('+');
    if (!changed.has(`${t} ${code}`) && !changed.has(`${t} ${owner}`)) continue;
    database.run(`UPDATE parameters SET state = 'dropped' WHERE p = ?`, [p]);
    database.run(
      `INSERT INTO parameters (t, code, digest, state) SELECT t, code, digest, 'pending' FROM parameters WHERE p = ?`,
      [p],
    );
  }
}

/** Terms of absolute URLs, or those that marked a reference as one to the server itself. */
function hasAbsolute(database: Database, p: SqlValue): boolean {
  const ranges = [['uhttp', 'uhttq'] as const, ['o', 'p'] as const];
  return ranges.some(
    range => database.get('SELECT 1 FROM terms WHERE p = ? AND v >= ? AND v < ? LIMIT 1', [p, ...range]) !== undefined,
  );
}
