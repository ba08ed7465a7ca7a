import { valueDigest } from '../record/record-digest.ts';
import type { Database } from './open.ts';
import type { SqlValue } from './sql.ts';

/** Documents that are in memory at once. */
const documentSlice = 1_000;

/** The third layout: a digest of each version (store/record/record-digest.ts), and of each document, mark and key. */
const digestsSchema = `
-- NULL: from before this layout. A server fills in those of versions, which it finds by these indexes (digest-fill.ts).
ALTER TABLE resources ADD COLUMN digest TEXT;
ALTER TABLE versions ADD COLUMN digest TEXT;
CREATE INDEX resources_undigested ON resources (digest) WHERE digest IS NULL;
CREATE INDEX versions_undigested ON versions (digest) WHERE digest IS NULL;

ALTER TABLE documents ADD COLUMN digest TEXT;
ALTER TABLE marks ADD COLUMN digest TEXT;
-- So that a mark that is lost is missed, as rows of the other tables are by their indexes.
CREATE INDEX marks_digest ON marks (digest);
-- Those from before this layout stay without, for the day that they have.
ALTER TABLE keys ADD COLUMN digest TEXT;
`;

/** Adds the columns, and the digests of small tables: documents and marks. */
export function addDigests(database: Database): void {
  database.exec(digestsSchema);
  for (let after: SqlValue = -Infinity; ;) {
    const rows = database.all(
      'SELECT rowid, collection, key, value, expires FROM documents WHERE rowid > ? ORDER BY rowid LIMIT ?',
      [after, documentSlice],
    );
    for (const [rowid = null, ...parts] of rows) {
      database.run('UPDATE documents SET digest = ? WHERE rowid = ?', [valueDigest(parts), rowid]);
      after = rowid;
    }
    if (rows.length < documentSlice) break;
  }
  for (const [n = null, key = null, value = null] of database.all('SELECT n, key, value FROM marks'))
    database.run('UPDATE marks SET digest = ? WHERE n = ? AND key = ?', [valueDigest([n, key, value]), n, key]);
}
