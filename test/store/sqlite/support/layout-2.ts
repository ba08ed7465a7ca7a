import { DatabaseSync } from 'node:sqlite';

/** Makes a file what an engine of layout 2 would have left: without digests. */
export function asLayout2(path: string): void {
  const database = new DatabaseSync(path);
  for (const table of ['resources', 'versions']) database.exec(`DROP INDEX ${table}_undigested`);
  database.exec('DROP INDEX marks_digest; DROP INDEX resources_unowned');
  database.exec('DROP INDEX resources_removed; DROP INDEX versions_updated');
  for (const table of ['resources', 'versions']) database.exec(`ALTER TABLE ${table} DROP COLUMN owners`);
  for (const table of ['resources', 'versions', 'documents', 'marks', 'keys'])
    database.exec(`ALTER TABLE ${table} DROP COLUMN digest`);
  database.exec(`ALTER TABLE parameters DROP COLUMN absolute; DELETE FROM meta WHERE key = 'upgrade'`);
  database.exec('PRAGMA user_version = 2');
  database.close();
}
